// Waiting local calls: their age, permission to answer them, and answers that come too late.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { answerTool, cancelRun, pendingCall, startRun } from "../support/sandbox.ts";

const tools = [{ kind: "local", name: "approve" }];
const script = "/call approve {}\n/say Fine.";

/** What an age says, in seconds. */
function seconds(age: string | null): number {
  const [, minutes = "0", rest = "0"] = age!.match(/^(?:(\d+) m )?(\d+) s$/)!;
  return Number(minutes) * 60 + Number(rest);
}

test("a waiting call has an age that keeps counting after a reload", async ({ page, request }) => {
  await signIn(page);
  const id = await startRun(request, script, { tools });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const inBanner = page.locator("[data-kind=waiting_local_tool] time");
  const atCall = page.locator(".answer-call time");
  await expect(page.locator("[data-kind=waiting_local_tool] .age")).toHaveText(/^· (at least )?\d+ s$/);
  await expect(atCall).toHaveText(/^\d+ s$/);
  // It counts on: in both places it gets to three seconds by itself.
  for (const age of [inBanner, atCall]) {
    await expect.poll(async () => seconds(await age.textContent()), { timeout: 15_000 }).toBeGreaterThanOrEqual(3);
  }
  const before = seconds(await atCall.textContent());
  await page.reload();
  await page.locator("html[data-js]").waitFor();
  expect(seconds(await atCall.textContent())).toBeGreaterThanOrEqual(before - 1);
  expect(seconds(await inBanner.textContent())).toBeGreaterThanOrEqual(before - 1);
});

test("answering a call that was already answered shows an error", async ({ page, request, problems }) => {
  problems.allow(/status of 409|live\?after=/);
  await signIn(page);
  const id = await startRun(request, "/call approve {}\n/call approve {\"n\":2}\n/say Fine.", { tools });
  // The page does not hear of what happens next.
  await page.route("**/live?*", (route) => route.abort());
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const box = page.locator(".answer-call").first();
  await box.getByLabel("Your answer").fill("yes");
  await answerTool(request, id, await pendingCall(id), "no");
  await box.getByRole("button", { name: "Send answer" }).click();
  await expect(box.getByRole("alert")).toContainText("already been answered");
  await expect(box.getByLabel("Your answer")).toHaveValue("yes");
  await takeScreenshots(page, "call-already-answered");
});

test("answering after the end of the run shows an error", async ({ page, request, problems }) => {
  problems.allow(/status of 409|live\?after=/);
  await signIn(page);
  const id = await startRun(request, script, { tools });
  await page.route("**/live?*", (route) => route.abort());
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByLabel("Your answer").fill("yes");
  await cancelRun(request, id);
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".answer-call").getByRole("alert")).toContainText("The run has ended");
});

test("after an answer the focus moves to the next box, and after the last one to its call", async ({ page, request }) => {
  await signIn(page);
  const id = await startRun(request, '/call approve {"n":1}\n/call approve {"n":2}\n/say Fine.', { tools });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const rows = page.locator(".row.call");
  await rows.first().getByLabel("Your answer").fill("one");
  // The page hears of the answer and of the next call at once.
  await page.route("**/rpc/run-state*", async (route) => {
    await expect(async () => {
      const log = await (await page.request.get(`/api/runs/${id}/events`)).text();
      expect(log.match(/"local_tool_call"/g)).toHaveLength(2);
    }).toPass();
    await route.continue();
  });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(rows.first()).toHaveAttribute("data-outcome", "ok");
  await expect(rows.last().getByLabel("Your answer")).toBeFocused();
  await page.keyboard.type("two");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(rows.last()).toHaveAttribute("data-outcome", "ok");
  await expect(rows.last()).toBeFocused();
  await expect(page.locator(".unsent-draft")).toHaveCount(0);
});

test("an unsent answer stays visible when the call is answered elsewhere", async ({ page, request }) => {
  await signIn(page);
  const id = await startRun(request, script, { tools });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByLabel("Your answer").fill("a long thought");
  await answerTool(request, id, await pendingCall(id), "no");
  const kept = page.getByLabel("Your unsent answer");
  await expect(kept).toHaveValue("a long thought");
  await expect(kept).toBeFocused();
  await expect(page.locator(".unsent-draft")).toContainText("Your answer was not sent.");
  await expect(page.getByLabel("Your answer")).toHaveCount(0);
  await expectAccessible(page);
  await takeScreenshots(page, "call-draft-kept");
});

test("cancelling a run moves the focus to its status", async ({ page, request }) => {
  await signIn(page);
  const id = await startRun(request, script, { tools });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const cancel = page.locator(".cancel-run summary");
  await cancel.focus();
  await page.keyboard.press("Enter");
  const stop = page.getByRole("button", { name: "Stop this run" });
  await expect(stop).toBeVisible();
  await takeScreenshots(page, "run-cancel-asks");
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "running");
  await cancel.focus();
  await page.keyboard.press("Tab");
  await expect(stop).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "cancelled");
  await expect(page.locator(".run-status")).toBeFocused();
});

test("without the write scope the call is shown with the reason why there is no box", async ({ page, request }) => {
  const id = await startRun(request, script, { tools });
  await signIn(page, "owner@demo.test", `/runs/${id}`, ["runs:write"]);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".row.call")).toContainText("Your sign-in can't answer it: it lacks runs:write.");
  await expect(page.getByLabel("Your answer")).toHaveCount(0);
  await expect(page.getByText("Cancel", { exact: true })).toHaveCount(0);
  await expect(page.locator("[data-kind=waiting_local_tool] .age")).toHaveText(/^· (at least )?\d+ s$/);
  await page.locator("[data-kind=waiting_local_tool]").getByRole("link", { name: "See the call" }).click();
  await expect(page.locator(".row.call")).toBeFocused();
  await takeScreenshots(page, "call-without-write");
});

test("a replay offers no reply box before the answer", async ({ page, request }) => {
  await signIn(page);
  const id = await startRun(request, script, { tools });
  await answerTool(request, id, await pendingCall(id), "yes");
  await expect(async () => {
    await page.goto(`/runs/${id}`);
    await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded", { timeout: 500 });
  }).toPass();
  const log = await (await page.request.get(`/api/runs/${id}/events`)).text();
  const events = log.trim().split("\n").map((line) => JSON.parse(line) as { seq: number; type: string });
  const call = events.find((event) => event.type === "local_tool_call")!;
  await page.goto(`/runs/${id}?at=${call.seq}`);
  await page.locator("html[data-js]").waitFor();
  const banner = page.locator("[data-kind=waiting_local_tool]");
  await expect(banner).toBeVisible();
  await expect(banner.getByRole("link", { name: "See the call" })).toBeVisible();
  await expect(page.locator(".answer-call")).toHaveCount(0);
});
