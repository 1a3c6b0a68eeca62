import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { answerTool, finishedRun, pendingCall, startRun } from "../support/sandbox.ts";

const recall = { tools: [{ kind: "mantyx_plugin", name: "recall" }] };
const looping = '/repeat 9\n/call recall {"query":"refund policy"}\n/say Done.';

test.beforeEach(async ({ page }) => signIn(page));

test("a looping run shows its loop first, with links to its events", async ({ page, request }) => {
  const id = await finishedRun(request, looping, recall);
  await page.goto(`/runs/${id}`);
  const gaveUp = page.locator(".first-finding[data-kind=loop_gave_up]");
  await expect(gaveUp).toContainText("Looping — gave up");
  await expect(gaveUp.locator(".next-step a").last()).toBeVisible();
  // The nudge and the end of the loop are one finding; both stand in the timeline where they happened.
  await expect(page.locator("[data-kind=loop_nudged]")).toHaveCount(0);
  const notes = page.locator(".timeline .note, .timeline .repeats");
  await expect(notes.nth(0)).toContainText(/2 repeats \(1 skipped\)\s*of recall, turns 2–3/);
  await expect(notes.nth(1)).toContainText("nudged");
  await expect(notes.nth(2)).toContainText(/3 skipped repeats\s*of recall, turns 4–6/);
  await expect(notes.nth(3)).toContainText("gave up");
  await expect(page.locator(".facts")).toContainText("Tool calls2");
  await expect(page.locator("[data-fact=Skipped]")).toHaveText("Skipped4");
  await expect(gaveUp).toContainText("6 identical calls to recall in a row");
  await expectAccessible(page);
  const link = gaveUp.locator(".event-link").first();
  const seq = (await link.textContent())!.slice(1);
  await link.click();
  await expect(page).toHaveURL(new RegExp(`focus=${seq}#e${seq}$`));
  await expect(page.locator(`#e${seq}`)).toBeInViewport();
  await takeScreenshots(page, "run-looping");
});

test("repeated batches fold into one row that opens", async ({ page, request }) => {
  const id = await finishedRun(request, looping, recall);
  await page.goto(`/runs/${id}`);
  const repeats = page.locator(".repeats").first();
  await expect(repeats).toContainText("first wasted");
  const folded = await page.locator(".call").count();
  await repeats.locator(".toggle").click();
  await expect(page.locator(".call")).not.toHaveCount(folded);
  await expect(page).toHaveURL(/open=t1-repeats/);
  await page.goBack();
  await expect(page.locator(".call")).toHaveCount(folded);
});

test("a truncated run shows its partial output", async ({ page, request }) => {
  const id = await finishedRun(request, "/say The invoice total is 1,204.50 EUR and it was issued on\n/truncate");
  await page.goto(`/runs/${id}`);
  await expect(page.locator(".finding")).toContainText("Partial output kept");
  await expect(page.getByRole("heading", { name: "Partial output" })).toBeVisible();
  await expect(page.locator(".output")).toContainText("The invoice total is 1,204.50 EUR");
  // Once in the timeline and once in the panel; the next step is in the finding alone.
  await expect(page.getByText("The invoice total is 1,204.50 EUR").and(page.locator("p:not(.prompt p)"))).toHaveCount(2);
  await expect(page.getByRole("link", { name: "Relaunch with a larger model" })).toHaveCount(1);
  await expectAccessible(page);
  await takeScreenshots(page, "run-truncated");
});

test("an exhausted budget has a banner, a row and a line in the tools tab", async ({ page, request }) => {
  const script = '/call recall {"query":"a"}\n/say Hm.\n/call recall {"query":"b"}\n/say Done.';
  const id = await finishedRun(request, script, { ...recall, toolBudgets: { recall: { maxCalls: 1 } } });
  await page.goto(`/runs/${id}`);
  await expect(page.locator("[data-kind=budget_exceeded]")).toContainText("Tool budget exhausted: recall");
  await expect(page.locator(".note", { hasText: "was stopped before it ran" })).toBeVisible();
  await page.getByRole("link", { name: "Tools", exact: true }).click();
  await expect(page.locator(".tools tr", { hasText: "recall" })).toContainText("1 of 1");
  await expectAccessible(page);
  await takeScreenshots(page, "run-tools");
});

test("a call opens to its arguments and its answer as trees", async ({ page, request }) => {
  const script = '/think Numbers first.\n/call calculator {"expression":"6*7"}\n/say It is **42**.\n';
  const more = { tools: [{ kind: "mantyx_plugin", name: "calculator" }], reasoningLevel: "low" };
  const id = await finishedRun(request, script, more);
  await page.goto(`/runs/${id}`);
  await page.locator(".call .toggle").click();
  await expect(page.locator(".call-body .json").first()).toContainText("expression");
  await expect(page.locator(".call-body")).toContainText("42");
  await page.locator(".thinking .toggle").click();
  await expect(page.getByText("Numbers first.").last()).toBeVisible();
  await expect(page.locator(".row.text strong")).toHaveText("42");
  await page.getByRole("link", { name: "Show raw text" }).click();
  await expect(page.locator(".row.text")).toContainText("**42**");
  await expectAccessible(page);
  await takeScreenshots(page, "run-call-open");
});

test("the log is replayed by steps, by the slider and by keys, and the URL contains the position", async ({ page, request }) => {
  const id = await finishedRun(request, looping, recall);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".replay-position")).toContainText(/Event (\d+) of \1$/);
  const strip = (await page.locator(".strip").boundingBox())!;
  await page.getByRole("link", { name: "Previous event" }).click();
  await expect(page).toHaveURL(/at=\d+/);
  // The status and the model are those of the run, at every point of its log.
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded");
  await expect(page.locator("[data-fact=Model]")).toContainText("sandbox/script");
  await page.locator(".scrub-handle").fill("3");
  await expect(page.locator(".replay-position")).toContainText("Event 3 of");
  expect((await page.locator(".strip").boundingBox())!.width).toBe(strip.width);
  await expect(page.locator("[data-kind=loop_gave_up]")).toHaveCount(0);
  await page.locator(".run-head").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/at=4/);
  await page.reload();
  await expect(page.locator(".replay-position")).toContainText("Event 4 of");
  await takeScreenshots(page, "run-replay");
  await page.getByRole("link", { name: "Back to the end" }).click();
  await expect(page.locator("[data-kind=loop_gave_up]")).toBeVisible();
});

test("a log plays to its end", async ({ page, request }) => {
  const id = await finishedRun(request, "/say One two three four five six seven eight nine ten.");
  await page.goto(`/runs/${id}?at=1`);
  await page.locator("html[data-js]").waitFor();
  await page.getByLabel("Speed").selectOption("20");
  await page.getByRole("button", { name: /Play/ }).click();
  await expect(page.locator(".replay-position")).toContainText(/Event (\d+) of \1$/);
  await expect(page.locator(".output")).toContainText("nine ten.");
});

test("densities show fewer or more rows, and search steps through matches", async ({ page, request }) => {
  const id = await finishedRun(request, looping, recall);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByRole("link", { name: "Conversation" }).click();
  await expect(page.locator(".call")).toHaveCount(0);
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await expect(page.locator(".row.event", { hasText: "loop_detected" }).first()).toBeVisible();
  await takeScreenshots(page, "run-events");
  await page.getByPlaceholder(/Find:/).fill("type:loop_detected");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText(/1 of \d/);
  await page.getByRole("link", { name: "Next match" }).click();
  await expect(page.locator(".hits")).toContainText("2 of");
  await page.getByPlaceholder(/Find:/).press("Enter");
  await expect(page.locator(".hits")).toContainText("1 of 2");
  await page.getByPlaceholder(/Find:/).press("Enter");
  await expect(page.locator(".hits")).toContainText("2 of 2");
  await page.getByPlaceholder(/Find:/).fill("NUDGED");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText("1 of 1");
  await page.getByRole("link", { name: "Conversation" }).click();
  await expect(page.locator(".hits")).toHaveText("no matches");
  await page.getByRole("link", { name: "1 in “Steps”" }).click();
  await expect(page.locator(".hits")).toContainText("1 of 1");
  await page.getByRole("link", { name: "Clear the search" }).click();
  await expect(page.locator(".hits")).toHaveCount(0);
});

test("the spec masks secrets and has code samples; every event opens and is searched as a whole", async ({ page, request }) => {
  const secret = "sk-live-0123456789abcdef";
  const tools = [{ kind: "mcp", name: "crm", url: "http://127.0.0.1:9/mcp", headers: { Authorization: `Bearer ${secret}` } }];
  const id = await finishedRun(request, "/say hi", { tools });
  await page.goto(`/runs/${id}?tab=spec`);
  await expect(page.locator(".run-side .json")).toContainText("•••");
  await page.getByText("As curl").click();
  await expect(page.locator(".program pre").first()).toContainText("curl --fail-with-body");
  expect(await page.content()).not.toContain(secret);
  await takeScreenshots(page, "run-spec");
  await page.getByRole("link", { name: "Events", exact: true }).click();
  const first = page.locator(".row.event").first();
  await first.locator(".toggle").click();
  await expect(first.locator(".json")).toContainText("seq");
  await expectAccessible(page);
  await takeScreenshots(page, "run-event-open");
  // The subtype is in the event only, in no row of the other views.
  await page.getByPlaceholder(/Find:/).fill("subtype");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toHaveText("1 of 1");
});

test("a run in progress is followed live, and a local call is answered from the page", async ({ page, request }) => {
  const script = '/say One moment, I will ask for approval.\n/call approve_refund {"amount":42}\n/say The refund is approved.';
  const id = await startRun(request, script, { tools: [{ kind: "local", name: "approve_refund" }] });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const waiting = page.locator("[data-kind=waiting_local_tool]");
  await expect(waiting).toContainText("approve_refund");
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "running");
  await expect(page.locator(".answer-call")).toContainText(/Waiting (at least )?\d+ s/);
  await expectAccessible(page);
  await takeScreenshots(page, "run-waiting");

  await page.getByLabel("Your answer").fill('{"approved":true}');
  // What is written stays while the page around it changes.
  await page.locator(".call .toggle").click();
  await expect(page.locator(".call-body")).toBeVisible();
  await expect(page.getByLabel("Your answer")).toHaveValue('{"approved":true}');
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded");
  await expect(waiting).toHaveCount(0);
  await expect(page.locator(".output")).toContainText("The refund is approved.");
  await expect(page.locator(".facts")).toContainText(/Duration\s*[\d.]+ (ms|s)/);
  await takeScreenshots(page, "run-finished-live");
});

test("an answer given elsewhere appears at once", async ({ page, request }) => {
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  await page.goto(`/runs/${id}`);
  await expect(page.locator("[data-kind=waiting_local_tool]")).toBeVisible();
  await answerTool(request, id, await pendingCall(id), "approved by finance");
  await expect(page.locator(".call-answer")).toContainText("approved by finance");
});

test("a run is cancelled from its page", async ({ page, request }) => {
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByText("Cancel", { exact: true }).click();
  await page.getByRole("button", { name: "Stop this run" }).click();
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "cancelled");
  await expect(page.locator("[data-kind=cancelled]")).toBeVisible();
  await takeScreenshots(page, "banner-cancelled");
});

test("feedback is saved", async ({ page, request }) => {
  const id = await finishedRun(request, "/say hi");
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByText("Feedback", { exact: true }).click();
  await page.getByLabel(/What was good/).fill("Polite.");
  await page.getByRole("button", { name: "Send as good" }).click();
  await expect(page.getByText("Sent to MANTYX. Thank you.")).toBeVisible();
  await takeScreenshots(page, "run-feedback");
  await page.reload();
  await expect(page.locator(".feedback")).toHaveAttribute("data-thumb", "UP");
});

test("hostile text stays text", async ({ page, request }) => {
  const hostile = '</title><img src=x onerror="document.body.dataset.owned=1"><script>document.body.dataset.owned=1</script>';
  const link = "[click](javascript:document.body.dataset.owned=1) \u202Eevil\u001b[31m";
  const id = await finishedRun(request, `/say ${hostile} ${link}`, { name: hostile, metadata: { note: hostile.slice(0, 200) } });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".output")).toContainText("<script>");
  await expect(page.locator(".output")).toContainText("⟨U+202E⟩evil␛[31m");
  await expect(page.locator('a[href^="javascript"]')).toHaveCount(0);
  expect(await page.evaluate(() => document.body.dataset.owned)).toBeUndefined();
  expect(await page.title()).toContain("</title><img");
  await takeScreenshots(page, "run-hostile");
});

test("very long texts and values stay in their place", async ({ page, request }) => {
  test.slow();
  const word = "x".repeat(3_000);
  const script = `/think ${word}\n/call calculator {"expression":"1+1","${"k".repeat(300)}":"${word}"}\n/say ${word}\n/say | a | b |\n/say ${`${"many-words-".repeat(8)} `.repeat(80)}`;
  const more = {
    name: "n".repeat(200),
    tools: [{ kind: "mantyx_plugin", name: "calculator" }],
    reasoningLevel: "low",
    metadata: { id: "x".repeat(256) },
  };
  const id = await finishedRun(request, script, more);
  await page.goto(`/runs/${id}?open=t0-thinking,t0-0&tab=spec`);
  await expect(page.locator(".call-body")).toBeVisible();
  await expect(page.getByRole("link", { name: /Show [\d,]+ more bytes/ })).toBeVisible();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `sideways at ${width}`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await takeScreenshots(page, "run-long");
  await page.goto(`/runs/${id}?open=t0-thinking,t0-0`);
  await expect(page.locator(".call-body")).toBeVisible();
  await expectAccessible(page);
});

test("an unknown run shows an error page", async ({ page, problems }) => {
  problems.allow(/status of 404/);
  const answer = await page.goto("/runs/run_unknown");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Not found" })).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "run-unknown");
});

test("new banners are announced once, and opening a row announces nothing", async ({ page, request }) => {
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const waiting = page.locator("[data-kind=waiting_local_tool]");
  await waiting.getByRole("link", { name: "Answer it here" }).click();
  await expect(page.getByLabel("Your answer")).toBeInViewport();
  await page.getByText("Cancel", { exact: true }).click();
  await page.getByRole("button", { name: "Stop this run" }).click();
  const news = page.locator(".visually-hidden[role=status]");
  await expect(news).toHaveText("Cancelled");
  await page.locator(".call .toggle").click();
  await expect(page.locator(".call-body")).toBeVisible();
  await expect(news).toHaveText("Cancelled");
});

test("a lost connection is shown, and no event is lost", async ({ page, request, problems }) => {
  problems.allow(/Failed to load resource|503 from GET/);
  const id = await startRun(request, "/call approve {}\n/say All is well.", { tools: [{ kind: "local", name: "approve" }] });
  let refuse = true;
  await page.route("**/live?*", (route) => (refuse ? route.fulfill({ status: 503, body: "" }) : route.continue()));
  await page.goto(`/runs/${id}`);
  await expect(page.getByText("The live connection was lost")).toBeVisible();
  refuse = false;
  await answerTool(request, id, await pendingCall(id), "yes");
  await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded", { timeout: 15_000 });
  await expect(page.locator(".output")).toContainText("All is well.");
});
