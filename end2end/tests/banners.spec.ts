// Every kind of banner that the engine can produce, each from a real run. Gaps and logs without an end are imported.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { openFindings } from "../support/findings.ts";
import { finishedRun } from "../support/sandbox.ts";

const recall = { kind: "mantyx_plugin", name: "recall" };
const object = { type: "object", required: ["total"] };
const supervised = {
  supervisor: { interval: 2 },
  tools: [recall],
  toolBudgets: {},
  loopDetection: false,
  reasoningLevel: "high",
};

/** A kind, the script and spec that lead to it, words of its banner, and where its next step leads. */
const kinds: [kind: string, script: string, spec: object, words: RegExp][] = [
  ["truncated", "/say The total is\n/truncate", {}, /output limit/],
  ["loop_nudged", '/repeat 4\n/call recall {"query":"x"}\n/say Done.', { tools: [recall] }, /nudged/],
  ["loop_gave_up", '/repeat 9\n/call recall {"query":"x"}\n/say Done.', { tools: [recall] }, /gave up/],
  [
    "budget_exceeded",
    '/call recall {"query":"a"}\n/say Hm.\n/call recall {"query":"b"}\n/say Done.',
    { tools: [recall], toolBudgets: { recall: { maxCalls: 1 } } },
    /budget/,
  ],
  ["supervisor_redirect", '/repeat 20\n/call recall {"query":"x"}', supervised, /supervisor/i],
  ["supervisor_finalize", '/repeat 20\n/call recall {"query":"x"}', supervised, /supervisor/i],
  [
    "local_tool_timeout",
    "/call look {}\n/say Done.",
    { tools: [{ kind: "local", name: "look", parameters: { type: "object" } }], budgets: { localToolTimeoutMs: 50 } },
    /timed out|in time/,
  ],
  [
    "tool_input_invalid",
    '/call pay {"amount":"much"}\n/say No.',
    { tools: [{ kind: "local", name: "pay", parameters: { type: "object", properties: { amount: { type: "number" } } } }] },
    /argument|input/i,
  ],
  ["refused", "/say I would rather\n/refuse", {}, /refus/i],
  ["context_window", "word ".repeat(20_000), { modelId: "sandbox/script-mini" }, /context window/],
  ["model_fallback", "/fail server\n/say Here.", { fallbackModelId: "sandbox/script-large" }, /fallback/i],
  [
    "schema_not_enforced",
    '/json {"total":7}',
    { modelId: "sandbox/script-plain", outputSchema: { schema: object, enforcement: "best_effort" } },
    /schema/i,
  ],
  ["failed", "/say Half an ans\n/fail rate_limit", {}, /too many requests/],
];

test.beforeEach(async ({ page }) => signIn(page));

for (const [kind, script, spec, words] of kinds) {
  test(`${kind}: its banner leads to its event and to a next step`, async ({ page, request }) => {
    const id = await finishedRun(request, script, spec);
    await page.goto(`/runs/${id}`);
    await page.locator("html[data-js]").waitFor();
    await openFindings(page);
    const banner = page.locator(`[data-kind=${kind}]`).first();
    await expect(banner).toContainText(words);
    await expect(banner.locator(".next-step")).toBeAttached();
    await expectAccessible(page);
    await takeScreenshots(page, `banner-${kind}`);

    const link = banner.locator(".event-link").first();
    const seq = (await link.textContent())!.replace(/\D/g, "");
    await link.click();
    await expect(page).toHaveURL(new RegExp(`focus=${seq}`));
    await expect(page.locator(`#e${seq}`)).toBeInViewport();
  });
}
