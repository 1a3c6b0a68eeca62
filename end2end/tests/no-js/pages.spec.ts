import { expect, signIn, test } from "../../fixtures.ts";
import { finishedRun } from "../../support/sandbox.ts";

test("the list reads and filters", async ({ page }) => {
  await signIn(page);
  await expect(page.locator("table.runs tbody tr")).toHaveCount(25);
  await page.getByRole("combobox", { name: "Filter" }).fill("status:failed");
  await page.getByRole("textbox", { name: "Add metadata" }).fill("env:prod");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  await expect(page.locator("table.runs .status[data-status=succeeded]")).toHaveCount(0);
  await expect(page.locator("table.runs .status[data-status=failed]").first()).toBeVisible();
});

test("a run reads, with its banners and its calls", async ({ page, request }) => {
  const script = '/repeat 4\n/call recall {"query":"x"}\n/say I could not find it.';
  const id = await finishedRun(request, script, { tools: [{ kind: "mantyx_plugin", name: "recall" }] });
  await signIn(page, "owner@demo.test", `/runs/${id}`);
  await expect(page.locator("[data-kind=loop_nudged]")).toBeVisible();
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("query");
  await expect(page.locator(".output")).toContainText("I could not find it.");
  await page.getByRole("link", { name: "One event back" }).click();
  await expect(page.locator(".replay-position")).toContainText("as of #");
  await page.getByPlaceholder(/Find:/).fill("tool:recall");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText("1 of");
});

test("theme and sign-out are plain forms", async ({ page }) => {
  await signIn(page);
  await page.getByRole("button", { name: "Dark theme" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
});
