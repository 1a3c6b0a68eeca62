// Hostile texts in runs and errors: nothing runs, nothing is loaded, and nothing around them changes.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { APIRequestContext, Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { corpus, everything, expectHarmless, type Hostile, watchRequests } from "../support/hostile.ts";

const key = { Authorization: "Bearer mantyx_sandbox_demo" };
let foreign: string[] = [];

test.beforeEach(async ({ page, context, problems }) => {
  // A browser says so when it meets a control character in a page's address.
  problems.allow(/status of 40[04]/);
  foreign = watchRequests(context);
  await signIn(page);
});

test.afterEach(() => expect(foreign, "requests to other hosts").toEqual([]));

/** Imports a run that has a hostile text in each of its fields. */
async function importHostile(request: APIRequestContext, { name, text, line }: Hostile): Promise<string> {
  const tool = (id: string) => ({ id, name: line, input: { [line]: text, nested: [text] } });
  const tokens = { inputTokens: 1, cachedTokens: 0, reasoningTokens: 0, outputTokens: 1 };
  const run = {
    name: line, agentId: line, model: line, inputPreview: text, createdAtMs: Date.now(), tokens,
    metadata: { hostile: name, [line.slice(0, 60)]: line.slice(0, 500), customer: line.slice(0, 500) },
  };
  const tools = [{ kind: "local", name: line, description: text, parameters: { type: "object", properties: { [line]: { description: text } } } }];
  const spec = { name: line, systemPrompt: text, prompt: text, modelId: line, tools, metadata: { [line]: line } };
  const events: [string, object][] = [
    ["thinking_delta", { text }],
    ["assistant_delta", { text }],
    ["assistant_message", { text, thinking: text, turn: 0, model: line, toolCalls: [tool("c1"), tool(line), tool("c3")] }],
    ["tool_result", { toolUseId: "c1", name: line, result: text }],
    ["tool_result", { toolUseId: line, name: line, ok: false, error: text, summary: line }],
    ["tool_budget_exceeded", { tool: line, maxCalls: 1, callIndex: 2 }],
    ["model_fallback", { from: line, to: line, reason: text }],
    [line, { text, [line]: line }],
    ["assistant_message", { text, turn: 1, toolCalls: [tool("c4")] }],
    ["error", { error: text, code: line, errorClass: line, partialText: text, retryable: false }],
  ];
  const lines = events.map(([type, data], i) => JSON.stringify({ seq: i + 1, type, data }));
  const body = [JSON.stringify({ runlens: 1, run, spec }), ...lines, `unreadable ${line}`].join("\n");
  const answer = await request.post(`/api/import?name=${encodeURIComponent(line.slice(0, 200))}`, {
    headers: { ...key, "Content-Type": "application/x-ndjson" },
    data: body,
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()).runId;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator("html[data-js]").waitFor();
  await expectHarmless(page, path);
}

for (const hostile of corpus.filter(({ name }) => name === "markup")) {
  test(`a run with hostile ${hostile.name} is shown as text`, async ({ page, request, context }) => {
    test.slow();
    const id = await importHostile(request, hostile);
    const [mark = ""] = hostile.marks;
    const views = ["open=t0-0,t0-1", "density=events", "tab=tools", "tab=spec", `find=${encodeURIComponent(mark)}`];
    for (const view of views) await open(page, `/runs/${id}?${view}`);
    for (const mark of hostile.marks) await expect(page.locator("main")).toContainText(mark);

    // In the list: name, prompt, reason, metadata as columns and facets, the preview, and the filter itself.
    const filter = encodeURIComponent(`hostile:${hostile.name}`);
    await open(page, `/runs?q=${filter}`);
    await expect(page.locator("table.runs tbody tr")).toHaveCount(1);
    await page.locator("table.runs tbody tr .preview").first().click();
    await expect(page.getByRole("complementary", { name: "Preview" })).toBeVisible();
    await expectHarmless(page, "the preview");
    await open(page, `/runs?q=${encodeURIComponent(hostile.line.slice(0, 500))}`);
    await open(page, `/compare?left=${id}&right=${id}`);
    await open(page, `/launch?like=${id}`);

    // The report opens from a file, where no server's policy protects it.
    const download = page.waitForEvent("download");
    await page.evaluate((url) => { location.href = url; }, `/runs/${id}/export?format=html`);
    const path = await (await download).path();
    const report = await context.newPage();
    const file = pathToFileURL(path).href;
    await report.route(file, (route) => route.fulfill({ contentType: "text/html", body: readFileSync(path) }));
    await report.goto(file);
    for (const mark of hostile.marks) await expect(report.locator("body")).toContainText(mark);
    await expectHarmless(report, "the report");
    await report.close();
  });
}

test("errors that repeat hostile texts show them as text", async ({ page }) => {
  test.slow();
  const text = encodeURIComponent(everything);
  for (const path of [
    `/runs/${text}`,
    `/sessions/${text}`,
    `/nothing/${text}`,
    `/runs?q=status:${text}`,
    `/runs?cursor=${text}`,
    `/auth/callback?error=access_denied&error_description=${text}&state=x`,
    `/sign-in?return_to=${text}`,
  ]) {
    await page.goto(path);
    await expectHarmless(page, path.slice(0, 40));
  }
  await page.goto("/import");
  await page.locator("html[data-js]").waitFor();
  const file = { name: "x.ndjson", mimeType: "text/plain", buffer: Buffer.from(corpus.map(({ text }) => text).join("\n")) };
  await page.getByLabel(/^Files/).setInputFiles(file);
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("No run events found")).toBeVisible();
  await expectHarmless(page, "a file that is no log");
});
