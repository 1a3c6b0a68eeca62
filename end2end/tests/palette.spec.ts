// The command palette and the list of shortcuts.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { finishedRun } from "../support/sandbox.ts";

test.beforeEach(async ({ page }) => {
  await signIn(page);
  await expect(page.locator("html[data-js]")).toBeAttached();
});

test("the palette opens a page, a view and a run by keyboard", async ({ page, request }) => {
  const run = await finishedRun(request, "/say Found.", { name: "palette-run" });
  const palette = page.getByRole("dialog", { name: "Go to" });
  const options = palette.getByRole("option");

  await page.keyboard.press("Control+k");
  await expect(palette.getByRole("combobox")).toBeFocused();
  await expect(options.filter({ hasText: "Failed" }).first()).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "palette");
  await page.keyboard.type("import");
  await expect(options.first()).toHaveText(/^Import logs/);
  await expect(options.last()).toHaveText(/find runs with this text/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/import$/);
  await expect(palette).toBeHidden();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("trunc");
  await expect(options.first()).toHaveText(/Truncated.*view of runs/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/runs\?.*q=is(:|%3A)truncated/);

  await page.keyboard.press("Control+k");
  await page.keyboard.type(run);
  await expect(options.filter({ hasText: "open the run" })).toBeVisible();
  await expect(options.filter({ hasText: "open the session" })).toHaveCount(0);
  await expect(options.filter({ hasText: /palette-run.*succeeded · / })).toBeVisible();
  const wanted = await options.filter({ hasText: "open the run" }).evaluate((option) => {
    return Array.from(option.parentElement!.children).indexOf(option);
  });
  for (let i = 0; i < wanted; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/runs/${run}$`));
});

test("the palette opens by its button and closes by Escape", async ({ page }) => {
  await page.getByRole("button", { name: /Go to/ }).click();
  const palette = page.getByRole("dialog", { name: "Go to" });
  await expect(palette.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
});

test("a question mark shows the shortcuts, but not while typing", async ({ page }) => {
  const shortcuts = page.getByRole("dialog", { name: "Shortcuts" });
  await page.getByRole("combobox", { name: "Filter" }).fill("");
  await page.keyboard.type("?");
  await expect(shortcuts).toBeHidden();
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await expect(shortcuts).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "shortcuts");
  await shortcuts.getByRole("button", { name: "Close" }).click();
  await expect(shortcuts).toBeHidden();
});
