// The next step of every kind of banner: its link does what it says.

import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { openFindings } from "../support/findings.ts";
import { finishedRun, startRun } from "../support/sandbox.ts";

const recall = { kind: "mantyx_plugin", name: "recall" };
const object = { type: "object", required: ["total"] };
const loop = '/repeat 9\n/call recall {"query":"x"}\n/say Done.';
const supervised = { tools: [recall], toolBudgets: {}, loopDetection: false, reasoningLevel: "high" };
const twentyCalls = '/repeat 20\n/call recall {"query":"x"}';
const pay = { kind: "local", name: "pay", parameters: { type: "object", properties: { amount: { type: "number" } } } };
const look = { kind: "local", name: "look", parameters: { type: "object" } };

/** A kind, the script and spec that lead to it, the link's words, and what then differs from the run. */
const relaunched: [kind: string, script: string, spec: object, link: RegExp, differs: RegExp[]][] = [
  ["truncated", "/say The total is\n/truncate", {}, /larger model/, [/\/modelId/, /sandbox\/script-large/]],
  [
    "truncated",
    "/think Let me think about every single case of it first.\n/truncate",
    { reasoningLevel: "high" },
    /reasoningLevel low/,
    [/\/reasoningLevel/, /high/, /low/],
  ],
  [
    "truncated",
    "/think Let me think about every single case of it first.\n/truncate",
    { reasoningLevel: "low" },
    /reasoningLevel off/,
    [/\/reasoningLevel/, /low/, /off/],
  ],
  ["loop_nudged", '/repeat 4\n/call recall {"query":"x"}\n/say Done.', { tools: [recall] }, /stricter loop guard/, [/\/loopDetection/]],
  ["loop_gave_up", loop, { tools: [recall] }, /stricter loop guard/, [/\/loopDetection/]],
  [
    "loop_gave_up",
    loop,
    { tools: [recall], loopDetection: { consecutiveThreshold: 2, hardCutoffThreshold: 3 } },
    /budget of 1 call/,
    [/\/toolBudgets/, /maxCalls/],
  ],
  [
    "budget_exceeded",
    '/call recall {"query":"a"}\n/say Hm.\n/call recall {"query":"b"}\n/say Done.',
    { tools: [recall], toolBudgets: { recall: { maxCalls: 1 } } },
    /budget of 2 calls/,
    [/\/toolBudgets\/recall\/maxCalls/, /1/, /2/],
  ],
  ["supervisor_redirect", twentyCalls, { ...supervised, supervisor: { interval: 2 } }, /review every 4 model calls/, [/\/supervisor\/interval/]],
  ["supervisor_finalize", twentyCalls, { ...supervised, supervisor: { interval: 3 } }, /review every 6 model calls/, [/\/supervisor\/interval/]],
  [
    "local_tool_timeout",
    "/call look {}\n/say Done.",
    { tools: [look], budgets: { localToolTimeoutMs: 50 } },
    /timeout of 100 ms/,
    [/\/budgets\/localToolTimeoutMs/],
  ],
  ["context_window", "word ".repeat(20_000), { modelId: "sandbox/script-mini" }, /larger model/, [/\/modelId/]],
  [
    "schema_not_enforced",
    '/json {"total":7}',
    { modelId: "sandbox/script-plain", outputSchema: { schema: object, enforcement: "best_effort" } },
    /enforcement strict/,
    [/\/outputSchema\/enforcement/, /strict/],
  ],
];

test.beforeEach(async ({ page }) => signIn(page));

async function step(page: Page, id: string, kind: string) {
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await openFindings(page);
  return page.locator(`[data-kind=${kind}]`).first();
}

for (const [kind, script, spec, link, differs] of relaunched) {
  test(`${kind}: «${link.source}» is set in the launch form`, async ({ page, request }) => {
    const id = await finishedRun(request, script, spec);
    await (await step(page, id, kind)).getByRole("link", { name: link }).click();
    await expect(page).toHaveURL(/\/launch\?like=/);
    for (const words of differs) await expect(page.locator(".changes")).toContainText(words);
    await expect(page.locator(".changes li")).toHaveCount(1);
  });
}

test("a larger model says that its context is larger and its output limit unknown", async ({ page, request }) => {
  const id = await finishedRun(request, "/say The total is\n/truncate");
  await (await step(page, id, "truncated")).getByRole("link", { name: "Relaunch with a larger model" }).click();
  await expect(page.getByText(/a context of 400,000 tokens instead of 128,000/)).toBeVisible();
});

test("without a larger model the form says so and changes nothing", async ({ page, request }) => {
  const id = await finishedRun(request, "/say The total is\n/truncate", { modelId: "sandbox/script-large" });
  await (await step(page, id, "truncated")).getByRole("link", { name: "Relaunch with a larger model" }).click();
  await expect(page.getByText(/No larger model than sandbox\/script-large/)).toBeVisible();
  await expect(page.locator(".changes")).toContainText("No changes yet");
});

test("the larger model is one that supports the output schema", async ({ page, request }) => {
  const outputSchema = { name: "o", schema: { type: "object", properties: { total: { type: "number" } } } };
  await finishedRun(request, '/json {"total":1}', { modelId: "sandbox/script-plain", outputSchema });
  await page.goto("/runs?q=model:script-plain");
  const id = await finishedRun(request, "/say {\n/truncate", { modelId: "sandbox/script-mini", outputSchema });
  await (await step(page, id, "truncated")).getByRole("link", { name: "Relaunch with a larger model" }).click();
  await expect(page.locator(".changes")).toContainText("/modelId");
  await expect(page.locator(".changes")).not.toContainText("script-plain");
});

test("failed: the run is relaunched unchanged", async ({ page, request }) => {
  const id = await finishedRun(request, "/say Half an ans\n/fail rate_limit");
  await (await step(page, id, "failed")).getByRole("link", { name: "Relaunch" }).click();
  await expect(page.locator(".changes")).toContainText("No changes yet");
});

for (const density of ["conversation", "events"]) {
  test(`waiting: the reply box has the focus, also where there is none at first: ${density}`, async ({ page, request }) => {
    const id = await startRun(request, "/call look {}\n/say Done.", { tools: [look] });
    await page.goto(`/runs/${id}?density=${density}`);
    await page.locator("html[data-js]").waitFor();
    await page.locator("[data-kind=waiting_local_tool]").getByRole("link", { name: "Answer it here" }).click();
    await expect(page.getByLabel("Your answer")).toBeFocused();
    await page.keyboard.type("seen");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded");
  });
}

test("looping: the iterations scroll into view, also on a narrow page", async ({ page, request }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const id = await finishedRun(request, loop, { tools: [recall] });
  await (await step(page, id, "loop_gave_up")).getByRole("link", { name: "See the iterations" }).click();
  await expect(page.locator(".loop h2")).toBeInViewport();
  await expect(page.locator("#side")).toBeFocused();
});

/** Where only a person can tell what to write, the link leads to the field. */
const fields: [kind: string, script: string, spec: object, link: string, field: string][] = [
  ["refused", "/say I would rather\n/refuse", {}, "another system prompt", "#field-systemPrompt"],
  ["failed", "/fail overloaded", {}, "a fallback model", "#field-fallbackModelId"],
  ["tool_input_invalid", '/call pay {"amount":"much"}\n/say No.', { tools: [pay] }, "other tools", "#tools"],
];

for (const [kind, script, spec, link, field] of fields) {
  test(`${kind}: «${link}» leads to its place in the form`, async ({ page, request }) => {
    const id = await finishedRun(request, script, spec);
    await (await step(page, id, kind)).getByRole("link", { name: `Relaunch with ${link}` }).click();
    await expect(page).toHaveURL(new RegExp(`/launch\\?like=${id}.*${field}$`));
    await expect(page.locator(field)).toBeInViewport();
    await expect(page.locator(".changes")).toContainText("No changes yet");
  });
}
