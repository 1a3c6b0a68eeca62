// How long steps took: durations in the timeline, where the time went, and the waterfall.

import { type Page } from "@playwright/test";
import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";

/** Opens the newest run of the demonstration that matches. */
async function openRun(page: Page, filter: string): Promise<string> {
  const { runs } = await (await page.request.get(`/api/runs?limit=1&q=${encodeURIComponent(filter)}`)).json();
  await page.goto(`/runs/${runs[0].id}`);
  await page.locator("html[data-js]").waitFor();
  return runs[0].id;
}

test.beforeEach(async ({ page }) => {
  await signIn(page);
});

test("turns and calls show how long they took, and where the time went", async ({ page }) => {
  await openRun(page, "name:refund-approval status:succeeded tool:approve_refund");
  await expect(page.locator(".turn-head .took").first()).toHaveText(/\d (ms|s)$/);
  await expect(page.locator(".row.call .took").last()).toHaveText(/\d s$/);
  await page.getByRole("link", { name: "Tools", exact: true }).click();
  const shares = page.getByRole("figure", { name: "Where the time went" });
  await expect(shares.getByRole("listitem").first()).toHaveText(/Waiting for approve_refund .* · \d+ %/);
  await expectAccessible(page);
  await takeScreenshots(page, "run-time-shares");
});

test("the finding names the tool that took most of the time", async ({ page }) => {
  await openRun(page, "name:refund-approval status:failed tool:approve_refund");
  await expect(page.locator(".first-finding")).toContainText(/ of .* were spent waiting for approve_refund\./);
});

test("the waterfall has a bar for each turn and call, on one axis, and links to the events", async ({ page }) => {
  await openRun(page, "name:weekly-report tool:slow_report");
  await page.getByRole("link", { name: "Waterfall" }).click();
  await expect(page).toHaveURL(/density=waterfall/);
  const rows = page.locator(".waterfall-row");
  await expect(rows.first()).toContainText("Turn 1");
  const slow = rows.filter({ hasText: "slow_report" }).first();
  await expect(slow.locator(".took")).toHaveText("24.0 s");
  const bar = (await slow.locator(".bar").boundingBox())!;
  const track = (await slow.locator(".track").boundingBox())!;
  expect(bar.x).toBeGreaterThan(track.x);
  expect(bar.x + bar.width).toBeLessThanOrEqual(track.x + track.width + 1);
  expect(bar.width / track.width).toBeGreaterThan(0.3);
  await expectAccessible(page);
  await takeScreenshots(page, "run-waterfall");
  await slow.locator(".bar-label").click();
  await expect(page).toHaveURL(/focus=/);
  await expect(page).not.toHaveURL(/density=/);
});

test("the axis and all tracks of the waterfall have the same place and width", async ({ page }) => {
  const id = await openRun(page, "name:refund-approval status:succeeded tool:approve_refund");
  for (const width of [1440, 1024, 720, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/runs/${id}?density=waterfall`);
    await expect(page.locator(".waterfall-row[data-depth='1'] .track").first()).toBeVisible();
    const axis = (await page.locator(".axis .ticks").boundingBox())!;
    const tracks = page.locator(".waterfall-row .track");
    for (const track of await tracks.all()) {
      const box = (await track.boundingBox())!;
      expect(Math.abs(box.x - axis.x), `left at ${width}`).toBeLessThanOrEqual(1);
      expect(Math.abs(box.width - axis.width), `width at ${width}`).toBeLessThanOrEqual(1);
    }
  }
});

test("the waterfall shows the run as of an event, and says so when times are unknown", async ({ page }) => {
  const id = await openRun(page, "name:weekly-report tool:slow_report");
  const rows = page.locator(".waterfall-row");
  await page.goto(`/runs/${id}?density=waterfall`);
  await expect(rows.first()).toBeVisible();
  const all = await rows.count();
  await page.goto(`/runs/${id}?density=waterfall&at=1`);
  await expect(rows.first()).toBeVisible();
  expect(await rows.count()).toBeLessThan(all);
  const log = '{"seq":1,"type":"assistant_message","data":{"text":"a"}}\n{"seq":2,"type":"result","data":{"text":"a"}}';
  const imported = await page.request.post("/api/import", { data: log, headers: { Origin: new URL(page.url()).origin } });
  await page.goto(`/runs/${(await imported.json()).runId}?density=waterfall`);
  await expect(page.getByText("The times of this run are unknown")).toBeVisible();
});

test("at phone width the waterfall stays within the page", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const id = await openRun(page, "name:refund-approval");
  await page.goto(`/runs/${id}?density=waterfall`);
  await expect(page.locator(".waterfall-row").first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
