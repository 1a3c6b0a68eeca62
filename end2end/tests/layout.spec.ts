// Places and sizes on the pages of a run, a session and a comparison, at every width.

import { expect, signIn, test } from "../fixtures.ts";
import { finishedRun, say, startSession } from "../support/sandbox.ts";

test.beforeEach(async ({ page }) => signIn(page));

/** Runs with a finding that has a long next step, and with enough events for a strip. */
async function findRun(page: import("@playwright/test").Page, filter: string): Promise<string> {
  const { runs } = await (await page.request.get(`/api/runs?limit=1&q=${encodeURIComponent(filter)}`)).json();
  return runs[0].id;
}

test("a finding, the strip and the calls fit their place at every width", async ({ page }) => {
  const id = await findRun(page, "name:supplier-research");
  for (const width of [390, 720, 800, 900, 1000, 1100, 1440, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/runs/${id}`);
    await page.locator("html[data-js]").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `sideways at ${width}`).toBeLessThanOrEqual(0);
    const text = (await page.locator(".first-finding .finding-text").boundingBox())!;
    const step = (await page.locator(".first-finding .next-step").boundingBox())!;
    const isBeside = text.x + text.width <= step.x + 1;
    const isAbove = text.y + text.height <= step.y + 1;
    expect(isBeside || isAbove, `the next step covers the text at ${width}`).toBe(true);
    expect(text.width, `room for the text at ${width}`).toBeGreaterThan(200);
    const bar = (await page.locator(".replay").boundingBox())!;
    const inside = await page.locator(".replay-controls").boundingBox();
    expect(inside!.x + inside!.width, `controls at ${width}`).toBeLessThanOrEqual(bar.x + bar.width);
  }
});

test("arguments of a call are not shortened while there is room", async ({ page, request }) => {
  const args = { order: "6550", amount: 380 };
  const id = await finishedRun(request, `/call recall ${JSON.stringify({ query: "refund policy" })}\n/say ${JSON.stringify(args)}`, {
    tools: [{ kind: "mantyx_plugin", name: "recall" }],
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/runs/${id}`);
  const shown = page.locator(".call-args").first();
  await expect(shown).toContainText("refund policy");
  expect(await shown.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
});

test("an answer in JSON keeps its lines", async ({ page, request }) => {
  const id = await finishedRun(request, '/json {"total":452.5,"lines":[{"item":"Seats"}]}');
  await page.goto(`/runs/${id}`);
  await expect(page.locator(".row.text pre code")).toHaveText(/^\{"total":452.5/);
});

test("the conversation is wider than what stands beside it", async ({ page, request }) => {
  const session = await startSession(request, { name: "wide" });
  await say(request, session, "/say Hello.");
  for (const width of [1100, 1440, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/sessions/${session}`);
    const main = (await page.locator(".conversation").boundingBox())!;
    const side = (await page.locator(".run-side").boundingBox())!;
    expect(main.width, `at ${width}`).toBeGreaterThan(Math.min(500, side.width));
    expect(main.x + main.width).toBeLessThanOrEqual(side.x);
  }
});

test("panels of a tab have a gap, and steps of a kind have different shades", async ({ page }) => {
  const id = await findRun(page, "name:weekly-report tool:slow_report");
  await page.goto(`/runs/${id}?tab=tools`);
  const panels = page.locator(".run-side .panel");
  await expect(panels).toHaveCount(2);
  const [first, second] = [(await panels.nth(0).boundingBox())!, (await panels.nth(1).boundingBox())!];
  expect(second.y - (first.y + first.height)).toBeGreaterThanOrEqual(8);
  const tools = page.locator(".time-shares li[data-step=tool]");
  const shades = await tools.evaluateAll((all) => all.map((item) => item.getAttribute("data-shade")));
  expect(shades).toEqual(shades.map((_, i) => String(i % 3)));
});

test("the titles of all pages stand at the same place", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const tops = new Set<number>();
  for (const path of ["/runs", "/sessions", "/launch?draft=new", "/import", "/sessions/new", "/compare", "/api/docs"]) {
    await page.goto(path);
    const box = (await page.locator("h1").boundingBox())!;
    tops.add(Math.round(box.y + box.height / 2));
  }
  expect(Math.max(...tops) - Math.min(...tops), [...tops].join()).toBeLessThanOrEqual(1);
  await page.goto("/runs");
  const runs = (await page.locator(".views").boundingBox())!;
  await page.goto("/sessions");
  expect((await page.locator(".views").boundingBox())!.y).toBe(runs.y);
});

test("a comparison keeps a turn's event and its duration apart", async ({ page }) => {
  const id = await findRun(page, "is:looping name:support-triage");
  await page.goto(`/compare?left=${id}`);
  const side = page.locator(".compare-side:has(> .took)").first();
  const link = (await side.locator("> .event-link").boundingBox())!;
  const took = (await side.locator("> .took").boundingBox())!;
  expect(took.x - (link.x + link.width)).toBeGreaterThanOrEqual(3);
});
