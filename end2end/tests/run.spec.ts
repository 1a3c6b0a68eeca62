import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { answerTool, finishedRun, pendingCall, startRun } from "../support/sandbox.ts";

const recall = { tools: [{ kind: "mantyx_plugin", name: "recall" }] };

test.beforeEach(async ({ page }) => signIn(page));

test("a looping run says so first, and links to where it happened", async ({ page, request }) => {
  const id = await finishedRun(request, '/repeat 9\n/call recall {"query":"refund policy"}\n/say Done.', recall);
  await page.goto(`/runs/${id}`);
  await expect(page.locator("[data-kind=loop_gave_up]")).toContainText("Looping — gave up");
  await expect(page.locator("[data-kind=loop_nudged]")).toContainText("Looping — nudged");
  await expectAccessible(page);
  const link = page.locator("[data-kind=loop_gave_up] a");
  await link.click();
  const target = await link.getAttribute("href");
  await expect(page).toHaveURL(new RegExp(`${target}$`));
  await expect(page.locator(target!)).toBeInViewport();
  await takeScreenshots(page, "run-looping");
});

test("a truncated run shows what was salvaged", async ({ page, request }) => {
  const id = await finishedRun(request, "/say The invoice total is 1,204.50 EUR and it was issued on\n/truncate");
  await page.goto(`/runs/${id}`);
  await expect(page.locator("[data-kind=truncated]")).toContainText("a fragment, not an answer");
  await expect(page.getByRole("heading", { name: "Salvaged output" })).toBeVisible();
  await expect(page.locator(".output")).toContainText("The invoice total is 1,204.50 EUR");
  await expectAccessible(page);
  await takeScreenshots(page, "run-truncated");
});

test("a budget that was used up has its banner and its place", async ({ page, request }) => {
  const script = '/call recall {"query":"a"}\n/say Hm.\n/call recall {"query":"b"}\n/say Done.';
  const id = await finishedRun(request, script, { ...recall, toolBudgets: { recall: { maxCalls: 1 } } });
  await page.goto(`/runs/${id}`);
  await expect(page.locator("[data-kind=budget_exceeded]")).toContainText("Tool budget exhausted: `recall`");
  await expect(page.locator(".note", { hasText: "was intercepted" })).toBeVisible();
});

test("a call opens to its arguments and its answer", async ({ page, request }) => {
  const script = '/think Numbers first.\n/call calculator {"expression":"6*7"}\n/say It is 42.';
  const more = { tools: [{ kind: "mantyx_plugin", name: "calculator" }], reasoningLevel: "low" };
  const id = await finishedRun(request, script, more);
  await page.goto(`/runs/${id}`);
  await page.locator(".call summary").click();
  await expect(page.locator(".call-body")).toContainText('"expression": "6*7"');
  await expect(page.locator(".call-body")).toContainText("42");
  await page.getByText("Thinking").click();
  await expect(page.getByText("Numbers first.").last()).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "run-call-open");
});

test("a run in progress is followed live, through a local tool, to its end", async ({ page, request }) => {
  const script = '/say One moment, I will ask for approval.\n/call approve_refund {"amount":42}\n/say The refund is approved.';
  const id = await startRun(request, script, { tools: [{ kind: "local", name: "approve_refund" }] });
  await page.goto(`/runs/${id}`);
  const waiting = page.locator("[data-kind=waiting_local_tool]");
  await expect(waiting).toContainText("approve_refund");
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "running");
  await takeScreenshots(page, "run-waiting");

  await answerTool(request, id, await pendingCall(id), "approved by finance");
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded");
  await expect(waiting).toHaveCount(0);
  await expect(page.locator(".output")).toHaveText("The refund is approved.");
  await expect(page.locator(".facts")).toContainText(/Duration\s*[\d.]+ (ms|s)/);
  await takeScreenshots(page, "run-finished-live");
});

test("hostile text stays text", async ({ page, request }) => {
  const hostile = '</title><img src=x onerror="document.body.dataset.owned=1"><script>document.body.dataset.owned=1</script>';
  const id = await finishedRun(request, `/say ${hostile}`, { name: hostile, metadata: { note: hostile.slice(0, 200) } });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".output")).toContainText("<script>");
  expect(await page.evaluate(() => document.body.dataset.owned)).toBeUndefined();
  expect(await page.title()).toContain("</title><img");
  await takeScreenshots(page, "run-hostile");
});

test("an unknown run is a page that says so", async ({ page, problems }) => {
  problems.allow(/status of 404/);
  const answer = await page.goto("/runs/run_unknown");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Not found" })).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "run-unknown");
});
