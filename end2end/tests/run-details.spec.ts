// The run page beside the timeline: JSON trees, the plan, files, feedback, and links.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { importLog } from "../support/import.ts";
import { finishedRun } from "../support/sandbox.ts";

test("a JSON tree can be searched, and its paths and values copied", async ({ page, request, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page);
  const value = { order: { id: "A-17", lines: [{ sku: "x1", qty: 2 }, { sku: "needle-9", qty: 1 }] }, note: "n", paid: true, n: 1 };
  const id = await finishedRun(request, `/call calculator ${JSON.stringify({ expression: "1+1", ...value })}\n/say ok`, {
    tools: [{ kind: "mantyx_plugin", name: "calculator" }],
  });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.locator(".row.call .toggle").click();
  const tree = page.getByRole("group", { name: "the arguments" });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  const deep = tree.locator(".json-leaf", { hasText: "needle-9" });
  await expect(deep).toBeHidden();
  await tree.getByLabel("Find in the arguments").fill("NEEDLE");
  await expect(deep).toBeVisible();
  await expect(deep).toHaveClass(/hit/);
  await expect(tree.locator(".json-leaf.hit")).toHaveCount(1);

  await deep.getByRole("button", { name: "sku" }).click();
  await expect.poll(copied).toBe("/order/lines/1/sku");
  await deep.getByRole("button", { name: "sku" }).click({ modifiers: ["Shift"] });
  await expect.poll(copied).toBe("needle-9");
  await tree.getByRole("button", { name: "order", exact: true }).click({ modifiers: ["Shift"] });
  await expect.poll(async () => JSON.parse(await copied())).toEqual(value.order);
  await tree.getByRole("button", { name: "Copy the whole value" }).click();
  await expect.poll(async () => JSON.parse(await copied()).expression).toBe("1+1");
});

test("a plan is a checklist with its progress", async ({ page }) => {
  await signIn(page);
  await importLog(page, "plan-v1");
  const steps = page.locator(".run-side .plan li");
  await expect(steps).toHaveText([/Pull revenue.*done/, /Compute deltas.*done/, /Summarise.*done/]);
  await expectAccessible(page);
  await takeScreenshots(page, "run-plan");
  // As of an event: what was done by then.
  await page.goto(`${page.url()}?at=4`);
  await expect(steps).toHaveText([/Pull revenue.*done/, /Compute deltas.*in progress/, /Summarise.*pending/]);
});

test("files of a tool are listed at its call", async ({ page }) => {
  await signIn(page);
  await importLog(page, "files");
  const calls = page.locator(".row.call");
  await expect(calls).toHaveText([/1 file/, /1 file/, /1 file/]);
  await calls.first().locator(".toggle").click();
  await expect(page.locator(".files li")).toHaveText(/q3\.png image\/png, 1,024 bytes/);
  await expect(page.locator(".files a")).toHaveAttribute("href", "https://files.example/q3.png");
  await takeScreenshots(page, "run-files");
});

test("feedback that may not be sent to MANTYX is saved here, and the page says so", async ({ page, request }) => {
  const id = await finishedRun(request, "/say hi");
  await signIn(page, "owner@demo.test", `/runs/${id}`, ["feedback:write"]);
  await page.locator("html[data-js]").waitFor();
  await page.getByText("Feedback", { exact: true }).click();
  await page.getByRole("button", { name: "Send as bad" }).click();
  await expect(page.getByText("Saved in Runlens. Your sign-in can't send feedback to MANTYX (feedback:write).")).toBeVisible();
  await page.reload();
  await expect(page.locator(".feedback")).toHaveAttribute("data-thumb", "DOWN");
  await page.getByText("Feedback", { exact: true }).click();
  await expect(page.getByText("Saved here, not at MANTYX by owner@demo.test")).toBeVisible();
});

test("a copied link shows the same view in the workspace and nothing in another one", async ({ page, request, context, browser, problems }) => {
  problems.allow(/status of 404/);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page);
  const id = await finishedRun(request, "/say hi");
  await page.goto(`/runs/${id}?density=events`);
  await page.locator("html[data-js]").waitFor();
  await page.getByText("Export", { exact: true }).click();
  await expect(page.getByText("for people in this workspace only")).toBeVisible();
  await page.getByRole("button", { name: "Copy a link to this view" }).click();
  await expect(page.getByRole("button", { name: "Link copied" })).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(`${process.env.RUNLENS_URL}/runs/${id}?density=events`);

  const another = async (account: string) => {
    const other = await browser.newContext({ baseURL: process.env.RUNLENS_URL });
    const visitor = await other.newPage();
    await signIn(visitor, account);
    return { visitor, answer: await visitor.goto(link) };
  };
  const colleague = await another("owner@demo.test");
  expect(colleague.answer?.status()).toBe(200);
  await expect(colleague.visitor.locator(".row.event").first()).toBeVisible();
  const stranger = await another("owner@other.test");
  expect(stranger.answer?.status()).toBe(404);
  await expect(stranger.visitor.getByRole("heading", { name: "Not found" })).toBeVisible();
});

test("a run page prints its content alone, in dark ink, with nothing cut off", async ({ page, request }) => {
  await signIn(page);
  const prompt = `${"A long question about refunds. ".repeat(20)}\n/repeat 4\n/call recall {"query":"x"}\n/say The answer.`;
  const id = await finishedRun(request, prompt, { tools: [{ kind: "mantyx_plugin", name: "recall" }] });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Dark theme" }).click();
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ media: "print" });
  for (const hidden of [".rail", ".run-actions", ".run-toolbar", ".tabs", ".replay"]) await expect(page.locator(hidden)).toBeHidden();
  for (const shown of ["h1", ".finding", ".timeline", ".output"]) await expect(page.locator(shown).first()).toBeVisible();
  const paper = await page.evaluate(() => {
    const cut = [...document.querySelectorAll(".prompt .prose, .finding-text > p")].filter((text) => text.scrollHeight > text.clientHeight + 1);
    const { colorScheme, color } = getComputedStyle(document.body);
    return { cut: cut.length, colorScheme, color, wide: document.documentElement.scrollWidth };
  });
  expect(paper).toEqual({ cut: 0, colorScheme: "light", color: "rgb(26, 29, 36)", wide: 794 });
  await page.emulateMedia({ media: null });
});
