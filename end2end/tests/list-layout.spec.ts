// The layout of the list of runs: rows, columns, preview and widths.

import type { Page } from "@playwright/test";
import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { answerTool, finishedRun, pendingCall, startRun } from "../support/sandbox.ts";

const rows = "table.runs tbody tr";

test.beforeEach(async ({ page }) => {
  await signIn(page);
  await page.locator("html[data-js]").waitFor();
});

async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

async function rowHeight(page: Page): Promise<number> {
  return page.locator(rows).first().evaluate((row) => row.getBoundingClientRect().height);
}

test("compact rows are 36 pixels high, and 16 of them are above the fold", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await rowHeight(page)).toBe(36);
  const visible = await page.locator(rows).evaluateAll(
    (all) => all.filter((row) => row.getBoundingClientRect().bottom <= window.innerHeight).length,
  );
  expect(visible).toBeGreaterThanOrEqual(16);
});

test("comfortable rows have two lines, and the choice is remembered", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator("summary", { hasText: "Display" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Comfortable" }).click();
  await expect(page.locator("table.runs.comfortable")).toBeVisible();
  expect(await rowHeight(page)).toBeGreaterThan(45);
  const [name, text] = await Promise.all(
    [".run-name", ".preview"].map((part) => page.locator(`${rows} ${part}`).first().boundingBox()),
  );
  expect(text!.y).toBeGreaterThanOrEqual(name!.y + name!.height - 4);
  await takeScreenshots(page, "runs-comfortable");
  await page.reload();
  await expect(page.locator("table.runs.comfortable")).toBeVisible();
});

test("rows and facets are updated when the logs of their runs arrive", async ({ page, request }) => {
  const pause = async (paused: boolean) => {
    const headers = { Authorization: "Bearer mantyx_sandbox_demo" };
    expect((await request.post("/api/sync", { headers, data: { paused } })).ok()).toBe(true);
  };
  await pause(true);
  try {
    await Promise.all(
      Array.from({ length: 12 }, () => finishedRun(request, "/say Half\n/truncate", { name: "synced-late" })),
    );
    // The list has snapshots of the runs. Only their logs say that they were truncated.
    await expect(async () => {
      await page.goto("/runs?q=name:synced-late");
      await expect(page.locator(rows)).toHaveCount(12, { timeout: 500 });
    }).toPass();
  } finally {
    await pause(false);
  }
  await expect(page.locator(`${rows} .mark`, { hasText: "truncated" })).toHaveCount(12, { timeout: 20_000 });
  await expect(page.locator("#facets")).toContainText(/truncated\s*12/, { timeout: 20_000 });
});

test("failed rows say why, good rows show the prompt, waiting runs are marked", async ({ page, request }) => {
  await page.goto("/runs?q=status:failed");
  const reasons = page.locator(`${rows} .preview`);
  await expect(page.locator(`${rows} .preview.reason`)).toHaveCount(await reasons.count());
  for (const reason of await reasons.all()) await expect(reason).not.toBeEmpty();
  await page.goto("/runs?q=is:truncated");
  await expect(page.locator(`${rows} .preview.reason`).first()).not.toBeEmpty();

  const good = await finishedRun(request, "/say Fine.", { name: "good" });
  const waiting = await startRun(request, "/call ask {}\n/say Done.", { tools: [{ kind: "local", name: "ask" }], name: "asks" });
  await pendingCall(waiting);
  // The log is read when the run is opened.
  await page.goto(`/runs/${waiting}`);
  await expect(async () => {
    await page.goto(`/runs?q=id:${good},${waiting}`);
    await expect(page.locator(rows)).toHaveCount(2, { timeout: 500 });
    await expect(page.locator(rows, { hasText: "asks" }).locator(".mark")).toHaveText("waiting", { timeout: 500 });
  }).toPass();
  const prompt = page.locator(rows, { hasText: "good" }).locator(".preview");
  await expect(prompt).toHaveText("/say Fine.");
  await expect(prompt).not.toHaveClass(/reason/);
});

test("the longest status and cost fit into their columns", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const overflowing = await page.locator(rows).first().evaluate((row) => {
    row.querySelector(".status")!.lastChild!.textContent = "incomplete";
    row.querySelector("td.col-cost")!.textContent = "<$0.0001";
    const cells = [row.querySelector(".cell-status")!, row.querySelector("td.col-cost")!];
    return cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.className);
  });
  expect(overflowing).toEqual([]);
});

test("the page never scrolls sideways, whatever columns are chosen", async ({ page }) => {
  const widths = [390, 720, 800, 900, 1000, 1100, 1280, 1440, 1920, 2560];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflow(page), `sideways at ${width}`).toBeLessThanOrEqual(0);
  }
  await page.locator("summary", { hasText: "Display" }).click();
  for (const box of await page.locator("input[name=column]").all()) await box.check();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.locator("table.runs.chosen")).toBeVisible();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflow(page), `sideways at ${width} with all columns`).toBeLessThanOrEqual(0);
    const hidden = width < 720 ? 0 : await page.locator("table.runs th").evaluateAll((all) => all.filter((th) => !th.clientWidth).length);
    expect(hidden, `hidden columns at ${width}`).toBe(0);
  }
});

test("the preview narrows the table, moves no row, and begins with the cause", async ({ page }) => {
  for (const width of [1100, 1440, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/runs?q=is:failed");
    await page.locator("html[data-js]").waitFor();
    const second = page.locator(rows).nth(1);
    const before = (await second.boundingBox())!;
    await page.locator(`${rows} .preview`).first().click();
    const panel = page.getByRole("complementary", { name: "Preview" });
    await expect(panel).toBeVisible();
    const [table, place, after] = [await page.locator(".table-scroll").boundingBox(), await panel.boundingBox(), await second.boundingBox()];
    expect(table!.x + table!.width, `covered at ${width}`).toBeLessThanOrEqual(place!.x);
    expect([after!.y, after!.height], `moved at ${width}`).toEqual([before.y, before.height]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await expect(page.locator(".preview-body > :first-child")).toHaveClass(/findings|cause/);
    const reason = await page.locator(`${rows} .preview.reason`).first().boundingBox();
    if (width >= 1440) expect(reason!.width, `reason at ${width}`).toBeGreaterThan(80);
  }
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const panel = (await page.getByRole("complementary", { name: "Preview" }).boundingBox())!;
  expect([panel.x, panel.width]).toEqual([0, 390]);
});

test("relative times change while the page is open", async ({ page }) => {
  await page.clock.install();
  await page.reload();
  await page.locator("html[data-js]").waitFor();
  const time = page.locator(`${rows} time`).first();
  await expect(time).toHaveText(/(now|s ago|min ago|h ago)$/);
  const before = await time.boundingBox();
  await page.clock.fastForward(48 * 3_600_000);
  await expect(time).toHaveText("2 d ago");
  const after = await time.boundingBox();
  expect(after!.x + after!.width, "right-aligned").toBe(before!.x + before!.width);
});

test("the labels of the bottom bar have gaps, and the count of Waiting covers none", async ({ page, request }) => {
  test.slow();
  await page.setViewportSize({ width: 390, height: 844 });
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  await expect(async () => {
    await page.goto("/insights");
    await expect(page.locator(".rail-count")).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
  const box = (selector: string) => page.locator(selector).evaluateAll((all) => all.map((item) => item.getBoundingClientRect().toJSON()));
  const labels = await box(".rail nav .rail-text");
  expect(labels).toHaveLength(6);
  for (const [at, label] of labels.entries()) {
    expect(label.right, "on the screen").toBeLessThanOrEqual(390);
    if (at > 0) expect(label.left - labels[at - 1].right, `before label ${at}`).toBeGreaterThanOrEqual(4);
  }
  const [count] = await box(".rail-count");
  const covered = labels.filter((label) => label.left < count.right && label.right > count.left && label.top < count.bottom && label.bottom > count.top);
  expect(covered).toEqual([]);
  await takeScreenshots(page, "bottom-bar");
  await answerTool(request, id, await pendingCall(id), "done");
});
