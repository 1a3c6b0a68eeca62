// The waterfall: bars against the axis, zoom by drag, keys and links, marks, and runs in progress.

import { type Locator, type Page } from "@playwright/test";
import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { answerTool, startRun } from "../support/sandbox.ts";

const START = 1_790_000_000_000;

type LogEvent = { type: string; data: object; at?: number };

/** Imports a log whose events happened so many milliseconds after the start. */
async function importLog(page: Page, events: LogEvent[]): Promise<string> {
  const lines = events.map(({ type, data, at }, i) =>
    JSON.stringify({ seq: i + 1, type, data, at: at === undefined ? undefined : START + at }),
  );
  const headers = { Origin: new URL(page.url()).origin };
  const answer = await page.request.post("/api/import", { data: lines.join("\n"), headers });
  return (await answer.json()).runId;
}

const message = (at: number | undefined, text: string, ...calls: [id: string, name: string][]): LogEvent => ({
  type: "assistant_message",
  data: { text, toolCalls: calls.map(([id, name]) => ({ id, name, input: {} })) },
  at,
});
const result = (at: number | undefined, id: string, ok = true): LogEvent => ({
  type: "tool_result",
  data: { toolUseId: id, ok, summary: "found" },
  at,
});

/** Two calls at once, a failed one that is retried, a guard, a stretch without times, and a person who takes long. */
const mixed: LogEvent[] = [
  { type: "started", data: {}, at: 0 },
  { type: "assistant_delta", data: { text: "I" }, at: 1_500 },
  message(2_000, "I look.", ["a", "search"], ["b", "read"]),
  result(5_000, "b"),
  result(8_000, "a", false),
  message(9_000, "Again.", ["c", "search"]),
  result(12_000, "c"),
  { type: "loop_detected", data: { consecutiveCount: 2, hardCutoff: false, tools: ["search"] }, at: 12_000 },
  message(undefined, "Now this.", ["d", "store"]),
  result(undefined, "d"),
  message(20_000, "And you?"),
  { type: "local_tool_call", data: { toolUseId: "e", name: "approve_refund", args: {} }, at: 20_000 },
  { type: "local_tool_result_in", data: { toolUseId: "e", result: "yes" }, at: 58_000 },
  message(60_000, "Done."),
  { type: "result", data: { text: "Done." }, at: 60_000 },
];

async function open(page: Page, id: string, query = ""): Promise<void> {
  await page.goto(`/runs/${id}?density=waterfall${query}`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".waterfall-row").first()).toBeVisible();
}

const row = (page: Page, name: string): Locator => page.locator(".waterfall-row").filter({ hasText: name });

/** Where a bar begins and ends, as parts of its track. */
async function extent(row: Locator): Promise<[number, number]> {
  const bar = (await row.locator(".bar").boundingBox())!;
  const track = (await row.locator(".track").boundingBox())!;
  return [(bar.x - track.x) / track.width, (bar.x + bar.width - track.x) / track.width];
}

async function drag(page: Page, area: Locator, from: number, to: number): Promise<void> {
  const box = (await area.boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y, { steps: 4 });
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

/** The id of the call that has no answer yet. */
async function openCall(page: Page, run: string): Promise<string> {
  let open: { id: string } | undefined;
  await expect(async () => {
    const { turns } = await (await page.request.get(`/api/runs/${run}/timeline`)).json();
    const calls = turns.flatMap((turn: any) => turn.entries).flatMap((entry: any) => entry.call ?? []);
    open = calls.find((call: any) => !call.answer);
    expect(open).toBeDefined();
  }).toPass();
  return open!.id;
}

function zoomOf(page: Page): [number, number] | undefined {
  const zoom = new URL(page.url()).searchParams.get("zoom");
  return zoom ? (zoom.split("-").map(Number) as [number, number]) : undefined;
}

test.beforeEach(async ({ page }) => {
  await signIn(page);
});

test("bars are where the axis says, parallel calls overlap, and marks stand at their times", async ({ page }) => {
  const id = await importLog(page, mixed);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await open(page, id);
    for (const [name, index, from, to] of [
      ["search", 0, 2_000, 8_000],
      ["read", 0, 2_000, 5_000],
      ["search", 1, 9_000, 12_000],
      ["approve_refund", 0, 20_000, 58_000],
    ] as const) {
      const [left, right] = await extent(row(page, name).nth(index));
      expect(left, `${name} begins`).toBeCloseTo(from / 60_000, 1.7);
      expect(right, `${name} ends`).toBeCloseTo(to / 60_000, 1.7);
    }
    const ticks = (await page.locator(".ticks").boundingBox())!;
    const track = (await page.locator(".waterfall-row .track").first().boundingBox())!;
    expect(Math.abs(ticks.x - track.x) + Math.abs(ticks.width - track.width)).toBeLessThanOrEqual(1);
    const label = (await page.locator(".ticks text", { hasText: "30 s" }).boundingBox())!;
    expect(Math.abs(label.x + label.width / 2 - (ticks.x + ticks.width / 2))).toBeLessThanOrEqual(2);
    const guard = (await page.locator(".guard").boundingBox())!;
    expect(Math.abs(guard.x + guard.width / 2 - (ticks.x + ticks.width / 5))).toBeLessThanOrEqual(2);
    await expect(page.locator(".retry")).toHaveCount(1);
    await expect(row(page, "store").locator(".took")).toHaveText("time unknown");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await expectAccessible(page);
  await takeScreenshots(page, "waterfall-mixed");
});

test("dragging across the bars zooms in, and the URL has the part that is shown", async ({ page }) => {
  const id = await importLog(page, mixed);
  await open(page, id);
  await drag(page, page.locator(".waterfall-row .track").first(), 1 / 3, 1);
  await expect(page).toHaveURL(/zoom=/);
  const [from, to] = zoomOf(page)!;
  expect(Math.abs(from - 20_000)).toBeLessThan(400);
  expect(to).toBeGreaterThan(59_500);
  // What happened before is left out, and the bars use the whole width.
  await expect(row(page, "read")).toHaveCount(0);
  expect((await extent(row(page, "approve_refund")))[0]).toBeLessThan(0.02);
  await takeScreenshots(page, "waterfall-zoomed");

  // The marked part of the overview can be moved.
  await drag(page, page.locator(".overview"), 0.6, 0.4);
  await expect.poll(() => zoomOf(page)![0]).toBeLessThan(9_000);
  expect(Math.abs(zoomOf(page)![1] - zoomOf(page)![0] - (to - from))).toBeLessThan(5);
  await page.goBack();
  await expect.poll(() => zoomOf(page)).toEqual([from, to]);
  await page.reload();
  await expect(row(page, "approve_refund")).toBeVisible();
  await expect(row(page, "read")).toHaveCount(0);
  await page.getByRole("link", { name: "Whole run" }).click();
  await expect(row(page, "read")).toBeVisible();
  expect(zoomOf(page)).toBeUndefined();
});

test("keys zoom, move and go from row to row", async ({ page }) => {
  const id = await importLog(page, mixed);
  await open(page, id);
  await page.keyboard.press("+");
  await expect.poll(() => zoomOf(page)).toEqual([15_000, 45_000]);
  await page.locator(".zoom-range").waitFor();
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => zoomOf(page)).toEqual([30_000, 60_000]);
  await expect(page.locator(".zoom-range")).toContainText("30.0 s – 1 m 00 s");
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(() => zoomOf(page)).toEqual([15_000, 45_000]);
  await expect(page.locator(".zoom-range")).toContainText("15.0 s – 45.0 s");
  await page.keyboard.press("0");
  await expect.poll(() => zoomOf(page)).toBeUndefined();
  expect(new URL(page.url()).searchParams.get("at")).toBeNull();

  const labels = page.locator(".bar-label");
  await expect(row(page, "read")).toBeVisible();
  await labels.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(labels.nth(1)).toBeFocused();
  await expect(page.locator(".waterfall-row .bar-details").nth(1)).toBeVisible();
  await page.keyboard.press("ArrowUp");
  await expect(labels.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/focus=3#e3$/);
  await expect(page.locator(".row.call").first()).toBeVisible();
});

test("a bar tells its times when the pointer is on it", async ({ page }) => {
  const id = await importLog(page, mixed);
  await open(page, id);
  const first = page.locator(".waterfall-row").first();
  const details = first.locator(".bar-details");
  await expect(details).toBeHidden();
  await first.locator(".track").hover();
  await expect(details).toHaveText("Starts at 0 ms · first token after 1.5 s · message after 2.0 s · takes 8.0 s");
  await expect(details).toBeVisible();
});

test("a run of three calls and one of three thousand are readable", async ({ page }) => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, i) => [
      message(i * 100 + 20, "", [`c${i}`, i % 2 ? "search" : "read"]),
      result(i * 100 + 90, `c${i}`),
    ]).flat();
  const few = await importLog(page, calls(3));
  await open(page, few);
  await expect(page.locator(".waterfall-row")).toHaveCount(6);
  await takeScreenshots(page, "waterfall-3");
  const many = await importLog(page, calls(3_000));
  await open(page, many);
  await expect(page.locator(".waterfall-row")).toHaveCount(200);
  await takeScreenshots(page, "waterfall-3000");
  // The axis fits the rows that are shown, so that each bar can be seen.
  await expect(page.locator(".zoom-range")).toHaveText("0 ms – 10.0 s of 4 m 59 s");
  const [left, right] = await extent(page.locator(".waterfall-row").nth(101));
  expect(left).toBeGreaterThan(0.4);
  expect(right - left).toBeGreaterThan(0.005);
  const range = page.locator(".zoom-range");
  const whole = await range.innerText();
  await drag(page, page.locator(".overview"), 0.5, 0.55);
  await expect(range).not.toHaveText(whole);
  for (let i = 0; i < 3; i++) {
    // The link leads on from the part that is drawn, so the next click waits for the drawing, not for the URL.
    const before = await range.innerText();
    await page.getByRole("link", { name: "Zoom in (+)" }).click();
    await expect(range).not.toHaveText(before);
  }
  await expect.poll(() => page.locator(".waterfall-row").count()).toBeLessThan(80);
  await takeScreenshots(page, "waterfall-3000-zoomed");
});

test("bars grow while a run is in progress", async ({ page, request }) => {
  const calls = [1, 2, 3].map((n) => `/say Call ${n}.\n/call approve {"n":${n}}`);
  const id = await startRun(request, `${calls.join("\n")}\n/say Fine.`, { tools: [{ kind: "local", name: "approve" }] });
  await page.goto(`/runs/${id}?density=waterfall`);
  await expect(page.locator(".live-notice")).toBeVisible();
  const rows = page.locator(".waterfall-row").filter({ hasText: "approve" });
  // Only events after a pause of the stream are known to be seen when they happened: the third call is.
  for (const call of [1, 2]) {
    await answerTool(request, id, await openCall(page, id), "yes");
    await expect(rows).toHaveCount(call + 1, { timeout: 15_000 });
  }
  const took = rows.last().locator(".took");
  await expect(took).toHaveText(/so far/, { timeout: 15_000 });
  const before = await took.textContent();
  await expect(took).not.toHaveText(before!, { timeout: 15_000 });
  await answerTool(request, id, await openCall(page, id), "yes");
  await expect(page.locator(".waterfall-row").filter({ hasText: "so far" })).toHaveCount(0, { timeout: 15_000 });
});

test("a replay can run at the original speed", async ({ page }) => {
  const events: LogEvent[] = [{ type: "started", data: {}, at: 0 }];
  // Twenty events at once, then a pause of a minute.
  for (let i = 0; i < 10; i++) events.push(message(500, `Part ${i}`, [`c${i}`, "search"]), result(500, `c${i}`));
  events.push(message(60_500, "Late."), { type: "result", data: { text: "Late." }, at: 60_500 });
  const id = await importLog(page, events);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByLabel("Speed").selectOption({ label: "Original speed" });
  await page.getByRole("button", { name: /Play from here/ }).click();
  await expect(page.locator(".replay-position")).toHaveText("Event 21 of 23");
  await page.getByLabel("Speed").selectOption({ label: "20 × original" });
  // The pause takes three seconds now.
  await expect(page.locator(".replay-position")).toHaveText("Event 23 of 23", { timeout: 15_000 });
  await expect(page.getByRole("button", { name: /Play from here/ })).toBeVisible();
});

test("a run without times can't be replayed at its speed", async ({ page }) => {
  const id = await importLog(page, [message(undefined, "a"), { type: "result", data: { text: "a" } }]);
  await page.goto(`/runs/${id}?at=1`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.getByLabel("Speed").locator("option")).toHaveCount(4);
});

test("waiting time is a column and a filter", async ({ page }) => {
  const id = await importLog(page, mixed);
  await page.context().addCookies([{ name: "runlens_columns", value: "duration.waited", url: page.url() }]);
  await page.goto("/runs?q=waited:%3E37s+slowest-tool:approve_refund+is:imported");
  await expect(page.getByRole("columnheader", { name: "Waited" })).toBeVisible();
  await expect(page.locator(`table.runs tr:has(a[href*="${id}"]) .col-waited`)).toHaveText("38.0 s");
});
