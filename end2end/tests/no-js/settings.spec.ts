import { expect, signIn, signInAgain, takeScreenshots, test } from "../../fixtures.ts";

test("the settings work by plain forms", async ({ page, browser }) => {
  await signIn(page, "owner@other.test", "/settings");
  await takeScreenshots(page, "settings-plain");
  const zone = page.getByLabel("Time zone");
  await zone.fill("Mars/Base");
  await page.locator("form", { has: zone }).getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("alert")).toContainText("“Mars/Base” is not a known time zone.");
  await zone.fill("europe/vienna");
  await page.locator("form", { has: zone }).getByRole("button", { name: "Apply" }).click();
  await expect(zone).toHaveValue("Europe/Vienna");
  await expect(page.getByRole("region", { name: "Your sessions" }).locator("time").first()).toHaveAttribute("title", / \+0[12]:00$/);
  await page.getByRole("button", { name: "Pause sync" }).click();
  await expect(page.getByRole("button", { name: "Resume sync" })).toBeVisible();
  await page.getByRole("button", { name: "Resume sync" }).click();
  await expect(page.getByRole("button", { name: "Pause sync" })).toBeVisible();

  const elsewhere = await browser.newContext({ javaScriptEnabled: false, baseURL: process.env.RUNLENS_URL });
  const other = await elsewhere.newPage();
  await signInAgain(other, "owner@other.test", "/settings");
  await other.getByRole("button", { name: "Sign out other sessions" }).click();
  await expect(other.getByRole("status")).toContainText("signed out");
  await page.reload();
  await expect(page).toHaveURL(/\/sign-in/);
  await expect(other.getByRole("button", { name: "Sign out everywhere" })).toBeHidden();
  await other.locator("summary", { hasText: "Sign out everywhere" }).click();
  await other.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(other).toHaveURL(/\/sign-in/);
  await elsewhere.close();
});

test("redaction patterns work by plain forms", async ({ page }) => {
  await signIn(page, "owner@other.test", "/settings");
  const field = page.getByLabel("Pattern 1", { exact: true });
  await field.fill("x*");
  await page.getByRole("button", { name: "Save patterns" }).click();
  await expect(field).toHaveAccessibleDescription(/also matches an empty text/);
  await expect(field).toHaveValue("x*");
  await field.fill("zebra-[0-9]+");
  await page.getByRole("button", { name: "Save patterns" }).click();
  await expect(page.getByRole("status")).toContainText("Redaction patterns saved");
  await field.fill("");
  await page.getByRole("button", { name: "Save patterns" }).click();
  await expect(field).toHaveValue("");
});
