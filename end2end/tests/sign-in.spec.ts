import { expect, expectAccessible, signInAgain, takeScreenshots, test } from "../fixtures.ts";

test("after signing in a newcomer returns to the requested page", async ({ page }) => {
  await page.goto("/runs?q=env:prod");
  await expect(page).toHaveURL(/\/sign-in/);
  await expect(page.getByRole("heading", { name: "See what your agents did" })).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "sign-in");
  await signInAgain(page, "owner@demo.test", "/runs?q=env:prod");
  await expect(page).toHaveURL(/\/runs\?q=env:prod$/);
  await expect(page.getByText("owner@demo.test").first()).toBeVisible();
});

test("after a denied sign-in the next one leads to the page that was asked for first", async ({ page, problems }) => {
  problems.allow(/status of 400/);
  await page.goto("/runs?q=env:prod");
  await page.getByRole("link", { name: "Sign in with MANTYX" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await expect(page.getByRole("heading", { name: "You denied access." })).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "denied");
  await page.getByRole("link", { name: "Go to the sign-in page" }).click();
  await expect(page).toHaveURL(/\/sign-in\?return_to=/);
  await page.getByRole("link", { name: "Sign in with MANTYX" }).click();
  await page.getByRole("radio", { name: "owner@demo.test" }).check();
  await page.getByRole("button", { name: "Approve" }).click();
  await expect(page).toHaveURL(/\/runs\?q=env:prod$/);
});

test("signing out ends the session", async ({ page }) => {
  await signInAgain(page);
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await page.goto("/runs");
  await expect(page).toHaveURL(/\/sign-in\?return_to/);
});
