// Scrolling of the run page: a replay and a run in progress stay in view, unless the reader scrolls away.

import type { Page } from "@playwright/test";
import { expect, signIn, takeScreenshots, test } from "../fixtures.ts";
import { type Event, imported } from "../support/import.ts";
import { answerTool, startRun } from "../support/sandbox.ts";

const TURNS = 60;
const log: Event[] = [
  ...Array.from({ length: TURNS }, (_, turn): Event[] => [
    ["assistant_message", { text: `Turn ${turn}.`, turn, toolCalls: [{ id: `c${turn}`, name: "look", input: { turn } }] }],
    ["tool_result", { toolUseId: `c${turn}`, name: "look", result: `answer ${turn}` }],
  ]).flat(),
  ["result", { subtype: "success", text: "Done." }],
];

const approve = { tools: [{ kind: "local", name: "approve" }] };

/** Calls that wait one after the other. */
function calls(count: number): string {
  return Array.from({ length: count }, (_, n) => `/call approve {"n":${n}}\n/say Asked ${n}.`).join("\n");
}

test.beforeEach(async ({ page }) => signIn(page));

test("a replay keeps its row and its bar in view, by the slider, by keys and by the strip", async ({ page, request }) => {
  const id = await imported(request, log);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const current = page.locator(".row.current");
  const bar = page.locator(".replay");
  for (const at of [80, 100, 22]) {
    await page.locator(".scrub-handle").fill(String(at));
    await expect(current).toContainText(`answer ${at / 2 - 1}`);
    await expect(current).toBeInViewport({ ratio: 1 });
    await expect(bar).toBeInViewport({ ratio: 1 });
  }
  await takeScreenshots(page, "run-replay-in-view");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/at=23/);
  await expect(current).toBeInViewport({ ratio: 1 });

  const strip = (await page.locator(".strip").boundingBox())!;
  await page.locator(".strip").click({ position: { x: strip.width * 0.75, y: 4 } });
  await expect(page).toHaveURL(/at=91/);
  await expect(current).toContainText('{"turn":45}');
  await expect(current).toBeInViewport({ ratio: 1 });
  await expect(bar).toBeInViewport({ ratio: 1 });
  await page.locator(".strip").click({ position: { x: strip.width - 1, y: 4 } });
  await expect(page.locator(".replay-position")).toContainText(/Event (\d+) of \1$/);
});

test("scrolling away while a log plays is respected, and a button jumps back", async ({ page, request }) => {
  const id = await imported(request, log);
  await page.goto(`/runs/${id}?at=60`);
  await page.locator("html[data-js]").waitFor();
  await page.getByRole("button", { name: /Play/ }).click();
  const current = page.locator(".row.current");
  await expect(page).toHaveURL(/at=6[2-9]/);
  await expect(current).toBeInViewport({ ratio: 1 });
  await scrollToTop(page);
  const jump = page.getByRole("link", { name: "Jump to this step" });
  await expect(jump).toBeVisible();
  const at = new URL(page.url()).searchParams.get("at");
  await expect(page).not.toHaveURL(new RegExp(`at=${at}$`));
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.getByRole("button", { name: /Pause/ }).click();
  await jump.click();
  await expect(current).toBeInViewport({ ratio: 1 });
  await expect(current).toBeFocused();
  await expect(jump).toHaveCount(0);
});

test("a replay stops when its page is left", async ({ page, request }) => {
  const id = await imported(request, log);
  await page.goto(`/runs/${id}?at=10`);
  await page.locator("html[data-js]").waitFor();
  await page.getByRole("combobox", { name: "Speed" }).selectOption("20");
  await page.getByRole("button", { name: /Play/ }).click();
  await expect(page).toHaveURL(/at=2\d/);
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
  await expect(page.getByRole("heading", { name: "Sessions", level: 1 })).toBeVisible();
  // It would have gone on ten times a second.
  const frames = () => new Promise<void>((done) => {
    const until = performance.now() + 400;
    const look = () => (performance.now() > until ? done() : requestAnimationFrame(look));
    look();
  });
  await page.evaluate(frames);
  await expect(page).toHaveURL(/\/sessions$/);
});

test("a run in progress scrolls only while its end is in view", async ({ page, request }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  const id = await startRun(request, `${calls(5)}\n/say Done.`, approve);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const jump = page.getByRole("link", { name: /^Jump to newest/ });
  await expect(page.getByLabel("Your answer")).toBeVisible();
  await expect(jump).toHaveCount(0);
  await page.locator("#newest").scrollIntoViewIfNeeded();

  // At the end: the next call comes into view by itself.
  const answered = page.locator(".call-answer", { hasText: "yes" });
  const box = page.getByLabel("Your answer");
  for (const count of [1, 2]) {
    await answerTool(request, id, await newestCall(page, id), "yes");
    await expect(answered).toHaveCount(count);
    await expect(box).toBeInViewport();
    await expect(page.locator("#newest")).toBeInViewport();
  }

  // Elsewhere: nothing moves, and it is said that there is more.
  await scrollToTop(page);
  await expect(jump).toBeVisible();
  await answerTool(request, id, await newestCall(page, id), "yes");
  await expect(answered).toHaveCount(3);
  await expect(jump).toHaveText(/^Jump to newest: \d+ new events$/);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await takeScreenshots(page, "run-jump-to-newest");
  await page.setViewportSize({ width: 1280, height: 500 });
  await jump.click();
  await expect(box).toBeInViewport();
  await expect(jump).toHaveCount(0);
});

test("text is appended to its row as it arrives, and scrolled", async ({ page, request }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  const words = Array.from({ length: 24 }, (_, n) => `/say Part ${n} of what is written.\n/sleep 60`).join("\n");
  const id = await startRun(request, `/call approve {}\n/say Begin.\n/sleep 1500\n${words}\n/call approve {"last":true}`, approve);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.locator("#newest").scrollIntoViewIfNeeded();
  await answerTool(request, id, await newestCall(page, id), "yes");
  const written = page.locator(".row.text", { hasText: "Begin." });
  await expect(written).toBeVisible();
  await expect(written).toContainText("Part 0");
  let asked = 0;
  page.on("request", (request) => (asked += request.url().includes("/rpc/") ? 1 : 0));
  await expect(written).toContainText("Part 18");
  expect(asked, "text alone asks the server for nothing").toBe(0);
  await expect(page.locator("#newest")).toBeInViewport();
  await expect(page.getByLabel("Your answer")).toBeInViewport();
  for (const n of [0, 1, 23]) expect((await written.innerText()).split(`Part ${n} `)).toHaveLength(2);
});

const recall = { kind: "mantyx_plugin", name: "recall" };
const named = { name: "live", metadata: { customer: "acme", env: "prod" } };
const liveRuns: [string, number, string, object][] = [
  ["a name and metadata", 1440, "/say Done.", named],
  ["a wide screen", 1920, "/say Done.", named],
  ["a narrow screen", 390, "/say Done.", named],
  ["no name", 1440, "/say Done.", { name: undefined }],
  ["a failure", 1440, "/fail server", { name: "fails" }],
  ["a truncated answer", 1440, "/say It goes on and\n/truncate", { name: "truncated" }],
];
for (const [what, width, last, more] of liveRuns) {
  test(`nothing moves on the page of a run in progress: ${what}`, async ({ page, request }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.addInitScript(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      const describe = (node: Node | null) => (node instanceof Element ? node.outerHTML.slice(0, 80) : String(node?.textContent));
      const observer = new PerformanceObserver((list) => {
        for (const shift of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Node | null }[] })[])
          moved.push(`${shift.value.toFixed(5)} ${shift.sources.map(({ node }) => describe(node)).join(" | ")}`);
      });
      observer.observe({ type: "layout-shift", buffered: true });
    });
    // It waits until the page follows it. Then it writes slowly, calls tools, loops, and ends.
    const lines = ["/say I look that up.", "/sleep 200", '/call recall {"query":"a"}', "/repeat 4", '/call recall {"query":"b"}'];
    const text = ["/say The first line of a longer answer, which is long enough to be wrapped when it is complete.", "/sleep 200", "/say The second."];
    const script = ["/call approve {}", ...lines, ...text, "/sleep 200", last].join("\n");
    const id = await startRun(request, script, { tools: [...approve.tools, recall], ...more });
    await page.goto(`/runs/${id}`);
    await page.locator("html[data-js]").waitFor();
    expect(await widestGap(page), "the room that is kept in the header").toBeLessThan(70);
    await answerTool(request, id, await newestCall(page, id), "yes");
    await expect(page.locator(".row.outcome")).toBeVisible({ timeout: 20_000 });
    await expect(page.locator('[data-fact="Duration"] .elapsed')).toBeHidden();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([]);
  });
}

/** The widest empty room between two figures of the header in one line. */
async function widestGap(page: Page): Promise<number> {
  const texts = await page.locator(".run-head .facts > div").evaluateAll((facts) => facts
    .filter((fact) => getComputedStyle(fact).visibility === "visible")
    .map((fact) => {
      const range = document.createRange();
      range.selectNodeContents(fact);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
      return { top: boxes[0]!.top, left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)) };
    }));
  const gaps = texts.slice(1).map((fact, at) => (Math.abs(fact.top - texts[at]!.top) < 12 ? fact.left - texts[at]!.right : 0));
  return Math.max(...gaps);
}

/** As a person does: again, until it is there. */
async function scrollToTop(page: Page): Promise<void> {
  await page.mouse.move(500, 300);
  await expect(async () => {
    await page.mouse.wheel(0, -10_000);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  }).toPass({ intervals: [50] });
}

/** The call that waits now. */
async function newestCall(page: Page, id: string): Promise<string> {
  const box = page.locator(".answer-call input[name=tool_use_id]");
  await expect(box).toHaveCount(1);
  return (await box.getAttribute("value"))!;
}
