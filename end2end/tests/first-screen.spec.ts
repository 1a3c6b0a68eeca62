// The first screen of a run: its cause and the timeline from its first turn.

import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { importLog } from "../support/import.ts";
import { finishedRun } from "../support/sandbox.ts";

test.use({ viewport: { width: 1440, height: 900 } });
test.beforeEach(async ({ page }) => signIn(page));

const logs = ["early-protocol", "guards-2026", "local-tools", "loop-gave-up", "truncated-json", "waiting-with-gap"];

for (const name of logs) {
  test(`${name}: the finding is small and turn 1 is near the top`, async ({ page }) => {
    await importLog(page, name);
    await expectFirstScreen(page);
  });
}

test("a looping run with a long prompt has its first turn near the top", async ({ page, request }) => {
  const prompt = `${"A long question about refunds. ".repeat(20)}\n/repeat 9\n/call recall {"query":"x"}\n/say Done.`;
  const id = await finishedRun(request, prompt, {
    tools: [{ kind: "mantyx_plugin", name: "recall" }],
    metadata: { customer: "acme", env: "prod", region: "eu" },
  });
  await page.goto(`/runs/${id}`);
  await expectFirstScreen(page);
  await expect(page.locator(".timeline > li").first()).toContainText("User");
});

test("six iterations of a loop are on the first screen, without sideways scrolling", async ({ page, request }) => {
  const id = await finishedRun(request, '/repeat 9\n/call recall {"query":"the refund policy of the customer for late deliveries"}\n/say Done.', {
    tools: [{ kind: "mantyx_plugin", name: "recall" }],
  });
  await page.goto(`/runs/${id}?tab=loop`);
  await page.locator("html[data-js]").waitFor();
  const iterations = page.locator(".iteration");
  await expect(iterations.nth(5)).toBeVisible();
  const boxes = await iterations.evaluateAll((rows) => rows.slice(0, 6).map((row) => row.getBoundingClientRect().toJSON()));
  for (const [i, box] of boxes.entries()) {
    expect(box.bottom, `iteration ${i + 1}`).toBeLessThanOrEqual(900);
    expect(box.right, `iteration ${i + 1}`).toBeLessThanOrEqual(1440);
    if (i > 0) expect(box.top).toBeGreaterThanOrEqual(boxes[i - 1].bottom);
  }
  const panel = await page.locator(".run-side").evaluate((side) => ({ inner: side.scrollWidth, outer: side.clientWidth }));
  expect(panel.inner).toBeLessThanOrEqual(panel.outer);
});

async function expectFirstScreen(page: Page) {
  await page.locator("html[data-js]").waitFor();
  const boxes = await page.evaluate(() => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    return {
      finding: box(".finding")?.height ?? 0,
      strip: box(".replay:not([hidden])")?.height ?? 28,
      turn: box(".turn-head")?.top ?? 0,
    };
  });
  expect(boxes.finding).toBeLessThanOrEqual(120);
  expect(boxes.strip).toBe(28);
  expect(boxes.turn).toBeLessThanOrEqual(400);
}
