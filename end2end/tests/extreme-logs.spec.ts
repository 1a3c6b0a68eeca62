// Logs of unusual size and shape: pages stay bounded, and hostile content stays text.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { type Event, imported } from "../support/import.ts";

/** Turns that each think, write, call a tool with other arguments and are answered. */
function turns(count: number, deltas: number): Event[] {
  return Array.from({ length: count }, (_, turn): Event[] => [
    ...Array.from({ length: deltas }, (_, i): Event => ["assistant_delta", { text: `word${i} ` }]),
    ["assistant_message", { text: `Turn ${turn}.`, turn, toolCalls: [{ id: `c${turn}`, name: "look", input: { turn } }] }],
    ["tool_result", { toolUseId: `c${turn}`, name: "look", result: `answer ${turn}` }],
  ]).flat();
}

test.beforeEach(async ({ page }) => signIn(page));

test("a page shows a bounded part of a long log, and every event can be reached", async ({ page, request }) => {
  test.slow();
  const log = turns(1_000, 20);
  const id = await imported(request, [...log, ["result", { subtype: "success", text: "Done." }]]);
  const answer = await page.goto(`/runs/${id}`);
  expect((await answer!.body()).length).toBeLessThan(1_000_000);
  await page.locator("html[data-js]").waitFor();
  expect(await page.locator(".timeline > li").count()).toBeLessThanOrEqual(200);
  expect(await page.locator(".strip rect").count()).toBeLessThanOrEqual(400);
  await page.getByRole("link", { name: /later rows/ }).click();
  await expect(page).toHaveURL(/from=/);

  // As of a point, the newest rows are shown, and so they are while it plays.
  await page.goto(`/runs/${id}?at=${log.length / 2}`);
  await expect(page.locator(".turn-head").last()).toContainText("Turn 500");
  await page.goto(`/runs/${id}?focus=${log.length}`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(`#e${log.length}`)).toBeInViewport();
  await expect(page.locator(`#e${log.length}`)).toContainText("answer 999");
  await page.locator(".call .toggle").last().click();
  await expect(page.locator(".call-body")).toContainText("answer 999");
});

test("links open events inside folds and closed calls", async ({ page, request }) => {
  const same = Array.from({ length: 4 }, (_, turn): Event[] => [
    ["assistant_message", { text: "", turn, toolCalls: [{ id: `c${turn}`, name: "look", input: {} }] }],
    ["tool_result", { toolUseId: `c${turn}`, name: "look", ok: false, summary: "no" }],
  ]).flat();
  const id = await imported(request, [...same, ["result", { subtype: "success", text: "Done." }]]);
  await page.goto(`/runs/${id}?density=conversation`);
  await page.locator("html[data-js]").waitFor();
  await page.goto(`/runs/${id}?focus=2#e2`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator("#e2")).toBeInViewport();
  // The answer to the third of the repeated calls.
  await page.goto(`/runs/${id}?focus=6#e6`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator("#e6")).toBeInViewport();
  await expect(page.locator("#e6")).toContainText("retries #3");
});

test("a result of two megabytes opens, and the raw log stays bounded", async ({ page, request }) => {
  const id = await imported(request, [
    ["assistant_message", { text: "", turn: 0, toolCalls: [{ id: "c", name: "dump", input: {} }] }],
    ["tool_result", { toolUseId: "c", name: "dump", result: "row ".repeat(500_000) }],
    ["result", { subtype: "success", text: "Done." }],
  ]);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.locator(".call .toggle").click();
  await expect(page.locator(".call-body")).toContainText("more bytes are in the exported log");
  const answer = await page.goto(`/runs/${id}?density=events`);
  expect((await answer!.body()).length).toBeLessThan(1_000_000);
  await page.locator(".event-line .toggle").nth(1).click();
  await expect(page.locator(".row.event").nth(1)).toContainText("more bytes are in the exported log");
});

test("hostile arguments, answers, names and depths stay text", async ({ page, request }) => {
  const hostile = '<img src=x onerror="document.body.dataset.owned=1">';
  const deep = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
  const id = await imported(request, [
    ["assistant_message", { text: "a".repeat(1_000_000), turn: 0, model: `m\u202Eevil`, toolCalls: [{ id: "c", name: hostile, input: { [hostile]: hostile } }] }],
    ["tool_result", { toolUseId: "c", name: hostile, result: `\u001b[31m${hostile}` }],
    ["tool_result", `{"toolUseId":"d","name":"deep","result":${deep}}`],
    [`kind${"x".repeat(50)}`, { text: hostile }],
    ["result", { subtype: "success", text: `[x](javascript:alert(1)) ${hostile}` }],
  ]);
  await page.goto(`/runs/${id}?open=t0-0&find=img`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".call-body")).toContainText("<img src=x");
  await expect(page.locator(".call mark").first()).toHaveText("img");
  await expect(page.locator("img[src=x]")).toHaveCount(0);
  await expect(page.locator('a[href^="javascript"]')).toHaveCount(0);
  expect(await page.evaluate(() => document.body.dataset.owned)).toBeUndefined();
  await page.goto(`/runs/${id}?density=events`);
  await expect(page.locator(".row.event")).toHaveCount(5);
  await expectAccessible(page);
  await takeScreenshots(page, "run-hostile-log");
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, "the page is wider than its window").toBeLessThanOrEqual(0);
});
