import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { finishedRun } from "../support/sandbox.ts";

test.beforeEach(async ({ page }) => {
  await signIn(page);
  await page.locator("html[data-js]").waitFor();
});

test("the first page is not empty and is accessible", async ({ page }) => {
  await expect(page).toHaveTitle("Runs · Runlens");
  await expect(page.locator("table.runs tbody tr")).toHaveCount(25);
  await expectAccessible(page);
  await takeScreenshots(page, "runs");
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
});

test("all outcomes are in the demo", async ({ page }) => {
  for (const status of ["succeeded", "failed", "cancelled"]) {
    await page.goto(`/runs?q=status:${status}`);
    await expect(page.locator(`table.runs .status[data-status=${status}]`).first()).toBeVisible();
  }
});

test("filters are typed, shown as chips, and removed one by one, without a page load", async ({ page }) => {
  await page.evaluate(() => Object.assign(window, { stayed: true }));
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.fill("env:prod");
  await filter.press("Enter");
  await expect(page).toHaveURL(/q=env(:|%3A)prod/);
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  await page.locator(".facets a", { hasText: "failed" }).first().click();
  await expect(page.getByRole("link", { name: "Remove the filter status:failed" })).toBeVisible();
  for (const row of await page.locator("table.runs tbody tr").all()) {
    await expect(row.locator(".status")).toHaveAttribute("data-status", "failed");
  }
  await takeScreenshots(page, "runs-filtered");
  await page.getByRole("link", { name: "Remove the filter env:prod" }).click();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toHaveCount(0);
  await expect(filter).toHaveValue("");
  await expect(page.locator(".filter-field .chip")).toHaveText("status:failed");
  await page.goBack();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  expect(await page.evaluate(() => "stayed" in window)).toBe(true);
});

test("an invalid filter is explained where it was typed", async ({ page }) => {
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.fill("status:lost");
  await filter.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Unknown status lost");
  await expect(filter).toHaveValue("status:lost");
  await expect(filter).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator(".facets a").first()).toBeVisible();
  // A chart of all runs above no rows would look like the filter's result.
  await expect(page.locator(".chart")).toHaveCount(0);
  await expect(page.locator(".time-range summary")).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "runs-filter-error");
});

test("a click on a metadata value filters by it", async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1000 });
  await page.goto("/runs?q=has:customer");
  await page.locator("table.runs .chip", { hasText: "customer" }).first().click();
  await expect(page.locator(".filter-field .chip", { hasText: /^customer:/ })).toBeVisible();
});

test("older runs follow the newer ones", async ({ page }) => {
  const first = await page.locator("a.run-name").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  await page.getByRole("link", { name: "Older runs" }).click();
  await expect(page.getByRole("link", { name: "Newest" })).toBeVisible();
  const second = await page.locator("a.run-name").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  expect(second.length).toBeGreaterThan(0);
  expect(second.filter((href) => first.includes(href))).toEqual([]);
});

test("an empty list names the clause that excludes every run, and removes it", async ({ page }) => {
  await page.goto("/runs?q=customer:nobody+env:prod");
  await expect(page.getByRole("heading", { name: "No matching runs" })).toBeVisible();
  await takeScreenshots(page, "runs-empty");
  await page.getByRole("link", { name: "Remove customer:nobody" }).click();
  await expect(page).toHaveURL(/q=env:prod$/);
  await expect(page.locator("table.runs tbody tr").first()).toBeVisible();
});

test("very long texts stay in their place", async ({ page, request }) => {
  const metadata = { note: "long ".repeat(50), id: "x".repeat(256) };
  await finishedRun(request, `/say ${"word".repeat(500)}`, { name: "n".repeat(200), metadata });
  await expect(async () => {
    await page.goto("/runs");
    await expect(page.locator("table.runs")).toContainText("nnnnnnnn");
  }).toPass();
  for (const width of [1280, 1100, 1000, 900, 800, 720, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `sideways at ${width}`).toBeLessThanOrEqual(0);
  }
  await takeScreenshots(page, "runs-long");
});

test("theme and rail are remembered by the server", async ({ page }) => {
  await page.getByRole("button", { name: "Collapse the navigation" }).click();
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Dark theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("data-rail", "narrow");
  await takeScreenshots(page, "runs-rail-narrow");
});

test("hydration moves nothing", async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { sources: { node?: Element }[] }[]) {
        shifts.push(...entry.sources.map(({ node }) => node?.outerHTML ?? node?.textContent ?? "something"));
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.reload();
  await page.locator("html[data-js]").waitFor();
  await page.getByRole("link", { name: "Failed", exact: true }).hover();
  expect(await page.evaluate(() => (window as unknown as { shifts: string[] }).shifts)).toEqual([]);
});
