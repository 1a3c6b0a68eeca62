// Insights: figures of runs, each a link to the list that it counts.

import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";

const everything = "/insights?q=since:30d";

/** The number of runs that the list has under a filter. */
async function matching(page: Page): Promise<number> {
  const text = await page.locator(".sync .matching").textContent();
  return Number(text!.replace(/\D/g, ""));
}

test.beforeEach(async ({ page }) => {
  // The first page of the list is synced before the figures are read.
  await signIn(page, "owner@demo.test", everything);
  await page.locator("html[data-js]").waitFor();
  // Logs are synced in the background, and have the tools.
  await expect(async () => {
    await page.goto(everything);
    await expect(page.locator("section[aria-labelledby=tools] tbody tr").nth(5)).toBeVisible({ timeout: 500 });
  }).toPass();
});

test("the page has figures, charts and their tables, and is accessible", async ({ page }) => {
  await expect(page.getByRole("link", { name: "Insights" })).toHaveAttribute("aria-current", "page");
  await expect(page.locator(".rate-tile")).toHaveCount(6);
  await expect(page.locator(".chart .chart-part").first()).toBeAttached();
  await expect(page.locator(".measure")).toHaveCount(3);
  await expectAccessible(page);
  for (const summary of await page.locator(".chart-data summary").all()) await summary.click();
  await expect(page.getByRole("region", { name: "Runs over time" }).locator("tbody tr").first()).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await takeScreenshots(page, "insights");
});

test("figures link to lists with the same number of runs", async ({ page }) => {
  // Logs are still synced, so that figures may change between two pages.
  await expect(async () => {
    await page.goto(everything);
    const links = await figures(page);
    expect(links.filter(({ runs }) => runs > 0).length).toBeGreaterThanOrEqual(8);
    for (const { href, runs } of links) {
      await page.goto(href);
      expect(await matching(page), href).toBe(runs);
    }
  }).toPass();
});

/** Some figures of the page with their links: rates, rows and a bar. */
async function figures(page: Page): Promise<{ href: string; runs: number }[]> {
  const links: { href: string; runs: number }[] = [];
  const add = async (link: Locator, text: string | null) =>
    links.push({ href: (await link.getAttribute("href"))!, runs: Number.parseInt(text!.replace(/[^\d ]/g, ""), 10) });
  for (const tile of await page.locator(".rate-tile").all()) {
    const count = tile.locator(".rate-runs").or(tile.locator(".rate-value")).first();
    await add(tile.locator(".rate-label"), await count.textContent());
  }
  for (const section of ["breakdown", "errors"]) {
    const row = page.locator(`section[aria-labelledby=${section}] tbody tr`).first();
    await add(row.locator("th a"), await row.locator("td").first().textContent());
  }
  const tool = page.locator("section[aria-labelledby=tools] tbody th a").first();
  await add(tool, (await tool.getAttribute("title"))!.replace(/\D/g, ""));
  const bar = page.locator(".rate-tile[data-signal=failed] .chart-bars a").first();
  await add(bar, (await bar.getAttribute("aria-label"))!.match(/: (\d+) of/)![1]!);
  return links;
}

test("the range, the key and the charts can be changed, and a bar opens its runs", async ({ page }) => {
  await page.getByRole("navigation", { name: "By" }).getByRole("link", { name: "customer" }).click();
  await expect(page.getByRole("heading", { name: "By customer" })).toBeVisible();
  await page.getByRole("navigation", { name: "Show" }).getByRole("link", { name: "Sum" }).click();
  await expect(page).toHaveURL(/by=metadata\.customer&show=sum/);
  await expect(page.locator(".measure").first()).toContainText("sum");
  await page.locator(".time-range summary").click();
  await page.getByRole("link", { name: "Last 7 days" }).click();
  // The choices stay.
  await expect(page).toHaveURL(/by=metadata\.customer&show=sum&q=since:7d/);
  await expect(page.locator(".change").first()).toBeVisible();
  await page.getByRole("combobox", { name: "Filter" }).fill("customer:acme");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: "Remove the filter customer:acme" })).toBeVisible();
  await expect(page.locator("section[aria-labelledby=breakdown] tbody tr")).toHaveCount(1);
  await page.locator(".measure .chart-bars a").first().click();
  await expect(page).toHaveURL(/\/runs\?q=customer:acme\+since:/);
});

test("a day with a regression and a slow tool stand out", async ({ page }) => {
  const rates = await page.locator(".rate-tile[data-signal=warning]").first().locator(".chart-bars a").evaluateAll((bars) =>
    bars.map((bar) => Number(bar.getAttribute("aria-label")!.match(/: (\d+) of/)![1])),
  );
  const most = Math.max(...rates);
  expect(most).toBeGreaterThan(1);
  const slowest = page.locator("section[aria-labelledby=tools] tbody tr", { hasText: "slow_report" });
  await expect(slowest).toContainText(/\d+\.\d s/);
});

test("an empty range and an unknown time are explained", async ({ page, problems }) => {
  problems.allow(/status of 400/);
  await page.goto("/insights?q=since:2026-10-08+before:2026-10-01");
  await expect(page.getByRole("alert")).toContainText("The time range is empty");
  await page.goto("/insights?q=since:someday");
  await expect(page.getByRole("alert")).toBeVisible();
  await page.goto("/insights?q=customer:nobody");
  await expect(page.getByText("No matching runs")).toBeVisible();
  await expectAccessible(page);
});

test("nothing scrolls sideways on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(everything);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await expectAccessible(page);
});

test("the list's chart shows cost, tokens or durations", async ({ page }) => {
  await page.goto("/runs?q=since:30d");
  for (const [choice, peak] of [["p95 duration", /peak [\d.]+ /], ["cost", /peak \$/], ["tokens", /peak [\d.,]+k?/]] as const) {
    await page.locator(".chart-peak summary").click();
    await page.locator(".chart-peak").getByRole("link", { name: choice }).click();
    await expect(page.locator(".chart-peak")).toContainText(peak);
    await expect(page.locator(".chart-peak summary")).toHaveText(`Show: ${choice}`);
    await expect(page.locator(".chart-part[data-status=number]").first()).toBeAttached();
  }
  await expectAccessible(page);
  // The choice stays with the next filter.
  await page.locator(".facet a, .facets a").first().click();
  await expect(page).toHaveURL(/chart=tokens/);
});
