// The settings page: connection, sync, display, sessions, audit log and the server's configuration.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";

test.beforeEach(async ({ page }) => {
  await signIn(page, "owner@demo.test", "/settings");
  await page.locator("html[data-js]").waitFor();
});

test("the page is reached from the navigation and the palette, and its links lead to the sections", async ({ page }) => {
  await page.goto("/runs");
  await page.locator("html[data-js]").waitFor();
  await page.getByRole("complementary", { name: "Navigation" }).getByRole("link", { name: "Settings" }).click();
  await expect(page).toHaveURL(/\/settings$/);
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Audit log" }).click();
  await expect(page).toHaveURL(/#audit$/);
  await expect(page.getByRole("heading", { name: "Audit log" })).toBeInViewport();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("settings");
  await expect(page.getByRole("dialog", { name: "Go to" }).getByRole("option").first()).toHaveText(/^Settings/);
});

test("the page is accessible and fits narrow screens", async ({ page }) => {
  await expectAccessible(page);
  await takeScreenshots(page, "settings");
  for (const width of [390, 720, 1000, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow, `sideways at ${width}`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await takeScreenshots(page, "settings-narrow");
});

test("the sync is paused and resumed without leaving the page", async ({ page }) => {
  const sync = page.getByRole("region", { name: "Sync", exact: true });
  await sync.getByRole("button", { name: "Pause sync" }).click();
  await expect(sync).toContainText("Paused");
  await expect(page.getByRole("cell", { name: "Pause sync" }).first()).toBeVisible();
  await sync.getByRole("button", { name: "Resume sync" }).click();
  await expect(sync.getByRole("button", { name: "Pause sync" })).toBeVisible();
});

test.describe("in a browser in Kathmandu", () => {
  test.use({ timezoneId: "Asia/Kathmandu" });

  test("the browser's time zone is used for times on hover, also on pages that scripts load", async ({ page }) => {
    await page.getByRole("button", { name: /^Use the browser's: Asia\/Kath?mandu$/ }).click();
    await expect(page.getByLabel("Time zone")).toHaveValue(/^Asia\/Kath?mandu$/);
    await page.locator("html[data-js]").waitFor();
    const sessions = page.getByRole("region", { name: "Your sessions" }).locator("time").first();
    const rendered = await sessions.getAttribute("title");
    expect(rendered).toMatch(/ \+05:45$/);
    // The list is rendered in the browser.
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await expect(page.locator("table.runs time").first()).toHaveAttribute("title", / \+05:45$/);
  });
});

test("a dark theme is chosen, and rows and columns are those of the list", async ({ page }) => {
  const display = page.getByRole("region", { name: "Display", exact: true });
  await display.getByRole("button", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await display.getByRole("button", { name: "Comfortable" }).click();
  await expect(display.getByRole("button", { name: "Comfortable" })).toHaveAttribute("aria-pressed", "true");
  await display.getByRole("checkbox", { name: "Turns" }).check();
  await display.getByRole("button", { name: "Apply" }).last().click();
  await page.goto("/runs");
  await expect(page.locator("table.runs th.col-turns")).toBeVisible();
});

test("a scope that was not allowed is shown with what does not work without it", async ({ page }) => {
  await page.context().clearCookies();
  await signIn(page, "owner@demo.test", "/settings", ["feedback:write"]);
  const connection = page.getByRole("region", { name: "Connection", exact: true });
  await expect(connection.locator("[data-granted=false]")).toContainText("Feedback is stored in this dashboard only.");
  await expectAccessible(page);
});

test("the fields of the tables are visible and wide enough to type in", async ({ page }) => {
  const fields = ["Pattern 1", "Model 1", "Input price 1"].map((label) => page.getByLabel(label, { exact: true }));
  for (const width of [390, 720, 1000, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const field of fields) {
      const table = await field.locator("xpath=ancestor::div[contains(@class, 'table-scroll')]").boundingBox();
      expect(table?.width, `table at ${width}`).toBeGreaterThan(200);
      expect((await field.boundingBox())?.width, `field at ${width}`).toBeGreaterThan(50);
    }
    expect((await fields[0]!.boundingBox())?.width, `pattern at ${width}`).toBeGreaterThan(100);
  }
});

test("a redaction pattern is corrected, tested and saved, and hides what it matches", async ({ page }) => {
  const redaction = page.getByRole("region", { name: "Redaction", exact: true });
  const field = redaction.getByLabel("Pattern 1", { exact: true });
  await field.fill("zebra(");
  await redaction.getByRole("button", { name: "Save patterns" }).click();
  await expect(redaction).toContainText("unclosed group");
  await expect(field).toHaveValue("zebra(");
  await expect(field).toHaveAccessibleDescription(/not a valid regular expression/);
  await expectAccessible(page);
  await field.fill("zebra-\\d+");
  await redaction.getByLabel("Sample text").fill("Feed zebra-17 today.");
  await redaction.getByRole("button", { name: "Test" }).click();
  await expect(redaction.locator("[data-tested]")).toHaveText("Feed •••••••• today.");
  await redaction.getByRole("button", { name: "Save patterns" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Redaction patterns saved" })).toBeVisible();
  await expect(field).toHaveValue("zebra-\\d+");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await field.fill("");
  await redaction.getByRole("button", { name: "Save patterns" }).click();
  await expect(field).toHaveValue("");
});

test("a price that is no number is explained at its field", async ({ page }) => {
  const prices = page.getByRole("region", { name: "Model prices", exact: true });
  await prices.getByLabel("Model 1", { exact: true }).fill("sandbox/unknown");
  await prices.getByLabel("Input price 1").fill("cheap");
  await prices.getByLabel("Output price 1").fill("1");
  await prices.getByRole("button", { name: "Save prices" }).click();
  await expect(prices.getByLabel("Input price 1")).toHaveValue("cheap");
  await expect(prices.getByLabel("Input price 1")).toHaveAccessibleDescription(/Use a number/);
  await expect(prices.getByLabel("Model 1", { exact: true })).toHaveAccessibleDescription(/No run in this workspace/);
  await expectAccessible(page);
});
