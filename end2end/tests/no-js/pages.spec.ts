import path from "node:path";
import { expect, signIn, takeScreenshots, test } from "../../fixtures.ts";
import { logs } from "../../support/import.ts";
import { answerTool, finishedRun, pendingCall, say, startRun, startSession } from "../../support/sandbox.ts";

test("the list is readable and can be filtered", async ({ page }) => {
  await signIn(page);
  await expect(page.locator("table.runs tbody tr")).toHaveCount(25);
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.fill("status:failed");
  await page.getByRole("button", { name: "Filter" }).click();
  // The filter so far stays: it is sent with the text that is added.
  await filter.fill("env:prod");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("link", { name: "Remove the filter status:failed" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  await expect(page.locator("table.runs .status[data-status=succeeded]")).toHaveCount(0);
  await expect(page.locator("table.runs .status[data-status=failed]").first()).toBeVisible();
});

test("a run is readable, with its banners and calls", async ({ page, request }) => {
  const script = '/repeat 4\n/call recall {"query":"x"}\n/say I could not find it, although I looked in every place that I know of and asked every source twice before I gave up.';
  const id = await finishedRun(request, script, { tools: [{ kind: "mantyx_plugin", name: "recall" }] });
  await signIn(page, "owner@demo.test", `/runs/${id}`);
  await expect(page.locator("[data-kind=loop_nudged]")).toBeVisible();
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("query");
  await expect(page.locator(".output")).toContainText("I could not find it");
  await page.getByRole("link", { name: "Previous event" }).click();
  await expect(page.locator(".replay-position")).toContainText(/Event \d+ of/);
  await page.getByPlaceholder(/Find:/).fill("tool:recall");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText("1 of");
});

test("a waiting call shows its age and is answered by a plain form", async ({ page, request }) => {
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  await pendingCall(id);
  await signIn(page, "owner@demo.test", `/runs/${id}`);
  await expect(page.locator("[data-kind=waiting_local_tool] h2")).toHaveText(/^Waiting for approve · at least \d+ s$/);
  await page.getByRole("link", { name: "Answer it here" }).click();
  await expect(page.locator(".answer-call .age")).toHaveText(/^Waiting at least \d+ s\.$/);
  await page.getByLabel("Your answer").fill("approved");
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(async () => {
    await page.goto(`/runs/${id}`);
    await expect(page.locator(".output")).toContainText("Fine.", { timeout: 1_000 });
  }).toPass();
});

test("a run is cancelled by a plain form after a confirmation", async ({ page, request }) => {
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  await pendingCall(id);
  await signIn(page, "owner@demo.test", `/runs/${id}`);
  await expect(page.locator(".facts")).toContainText(/\d+ s so far/);
  await expect(page.getByRole("button", { name: "Stop this run" })).toBeHidden();
  await page.getByText("Cancel", { exact: true }).click();
  await page.getByRole("button", { name: "Stop this run" }).click();
  await expect(async () => {
    await page.goto(`/runs/${id}`);
    await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "cancelled", { timeout: 1_000 });
  }).toPass();
});

test("the list is filtered, saved as a view and previewed by links and plain forms", async ({ page }) => {
  await signIn(page);
  await page.locator(".facets a", { hasText: "failed" }).first().click();
  await expect(page.getByRole("link", { name: "Remove the filter status:failed" })).toBeVisible();
  await page.locator(".chart-bars a").first().click();
  await expect(page).toHaveURL(/since:/);
  await page.locator("summary", { hasText: "Save view" }).click();
  await page.getByLabel("Name").fill("Plain");
  await page.getByRole("button", { name: "Save view" }).click();
  const views = page.getByRole("navigation", { name: "Views" });
  await expect(views.getByRole("link", { name: "Plain" })).toHaveAttribute("aria-current", "page");
  await page.locator("summary", { hasText: "View options" }).click();
  await page.locator("summary", { hasText: "Delete view" }).click();
  await page.getByRole("button", { name: "Delete this view" }).click();
  await expect(views.getByRole("link", { name: "Plain" })).toHaveCount(0);
  await page.goto("/runs?q=");
  await page.getByRole("link", { name: /^Preview run_/ }).first().click();
  await expect(page.getByRole("complementary", { name: "Preview" })).toBeVisible();
  await page.getByRole("link", { name: "Next run (J)" }).click();
  await expect(page.locator("table.runs tbody tr").nth(1)).toHaveAttribute("aria-current", "true");
  await page.getByRole("link", { name: "Close preview" }).click();
  await expect(page.getByRole("complementary", { name: "Preview" })).toHaveCount(0);
});

test("a session is continued and ended by plain forms", async ({ page, request }) => {
  const id = await startSession(request, { name: "plain" });
  await say(request, id, "/say The first answer.");
  await signIn(page, "owner@demo.test", `/sessions/${id}`);
  await page.getByLabel("Next message").fill("/say The second answer.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${id}\\??$`));
  await expect(async () => {
    await page.reload();
    await expect(page.locator(".turn-said")).toHaveCount(4, { timeout: 500 });
  }).toPass();
  await page.locator("summary", { hasText: "End session" }).click();
  await page.getByRole("button", { name: "End session" }).click();
  await expect(page.getByText("This session has ended")).toBeVisible();
});

test("the API has a page", async ({ page }) => {
  await page.goto("/api/docs");
  await expect(page.getByRole("heading", { name: "GET /api/runs", exact: true })).toBeVisible();
  // It has the app's frame, also for a reader who is not signed in.
  await expect(page.locator(".rail-nav").getByRole("link", { name: "Runs" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Dark theme" })).toBeVisible();
  await takeScreenshots(page, "api-docs");
});

test("theme and sign-out are plain forms", async ({ page }) => {
  await signIn(page);
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Dark theme" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
});

test("a rejected form returns to its page with the reason", async ({ page, request }) => {
  await signIn(page, "owner@demo.test", "/runs?q=env:prod+status:failed");
  await page.locator("summary", { hasText: "Save view" }).click();
  await page.getByLabel("Name").fill("   ");
  await page.getByRole("button", { name: "Save view" }).click();
  await expect(page).toHaveURL(/\/runs\?q=env:prod\+status:failed$/);
  await expect(page.locator(".refused")).toContainText(/name/i);
  await takeScreenshots(page, "refused-form");

  const session = await startSession(request);
  await page.goto(`/sessions/${session}`);
  await page.getByLabel("Next message").fill("Something long to write");
  const other = await page.context().newPage();
  await other.goto(`/sessions/${session}`);
  await other.locator("summary", { hasText: "End session" }).click();
  await other.getByRole("button", { name: /^End/ }).last().click();
  await expect(other.getByText("This session has ended")).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.locator(".refused")).toContainText("The session has ended");
  await expect(page.locator(".refused .written")).toHaveText("Something long to write");
  await page.reload();
  await expect(page.locator(".refused")).toHaveCount(0);
});

test("time range, order, row height and selection are links and plain forms", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, "owner@demo.test", "/runs?q=status:succeeded");
  await page.locator(".time-range summary").click();
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByRole("button", { name: "Apply" }).first().click();
  await expect(page.locator(".filter-field .chip")).toHaveText(["status:succeeded", "since:2020-01-01"]);
  await page.getByRole("columnheader", { name: "Duration" }).getByRole("link").click();
  await expect(page.getByRole("columnheader", { name: "Duration" })).toHaveAttribute("aria-sort", "descending");

  await page.locator("summary", { hasText: "Display" }).click();
  await page.getByRole("button", { name: "Comfortable" }).click();
  await expect(page.locator("table.runs.comfortable")).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Duration" })).toHaveAttribute("aria-sort", "descending");

  const boxes = page.locator("table.runs input[type=checkbox]");
  await boxes.nth(0).check();
  await page.getByRole("button", { name: "Compare" }).click();
  await expect(page.locator(".refused")).toContainText("Select two runs to compare.");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole("button", { name: "Compare" }).click();
  await expect(page).toHaveURL(/\/compare\?left=run_\w+&right=run_\w+$/);
});

test("a session is started by a plain form", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/sessions");
  await page.getByRole("link", { name: "New session" }).click();
  await page.getByLabel("Model").selectOption("sandbox/script");
  await page.getByLabel("First message").fill("/say Hello.");
  await page.getByRole("button", { name: "Start session" }).click();
  await expect(page).toHaveURL(/\/sessions\/ses_/);
  await expect(async () => {
    await page.reload();
    await expect(page.locator(".turn-said")).toHaveCount(2, { timeout: 500 });
  }).toPass();
});

test("several files are imported, and a run is deleted, by plain forms", async ({ page, problems }) => {
  problems.allow(/status of 404/);
  await signIn(page, "owner@demo.test", "/import");
  await page.getByLabel(/^Files/).setInputFiles(["local-tools", "loop-gave-up"].map((name) => path.join(logs, `${name}.ndjson`)));
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.locator(".import-results a")).toHaveText(["local-tools.ndjson", "loop-gave-up.ndjson"]);
  await page.locator(".import-results a").first().click();
  const run = page.url();
  await page.getByLabel("More actions").click();
  await page.getByRole("link", { name: "Delete run…" }).click();
  await page.getByRole("button", { name: "Delete run" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  expect((await page.goto(run))?.status()).toBe(404);
});

test("a run in progress has a link that shows its next events", async ({ page, request }) => {
  const id = await startRun(request, "/call approve {}\n/say Fine.", { tools: [{ kind: "local", name: "approve" }] });
  const call = await pendingCall(id);
  await signIn(page, "owner@demo.test", `/runs/${id}`);
  await expect(page.getByRole("link", { name: "Refresh" })).toBeVisible();
  await answerTool(request, id, call, "yes");
  await expect(async () => {
    await page.getByRole("link", { name: "Refresh" }).click();
    await expect(page.locator(".output")).toContainText("Fine.", { timeout: 500 });
  }).toPass();
  await expect(page.getByRole("link", { name: "Refresh" })).toHaveCount(0);
});

test("the waterfall is a drawing, and links zoom", async ({ page }) => {
  await signIn(page);
  const { runs } = await (await page.request.get("/api/runs?limit=1&q=name:weekly-report+tool:slow_report")).json();
  await page.goto(`/runs/${runs[0].id}?density=waterfall`);
  const rows = page.locator(".waterfall-row");
  const all = await rows.count();
  const slow = rows.filter({ hasText: "slow_report" }).first();
  expect((await slow.locator("svg .bar").boundingBox())!.width).toBeGreaterThan(20);
  await expect(page.locator(".ticks text").first()).toBeVisible();
  for (let i = 0; i < 4; i++) await page.getByRole("link", { name: "Zoom in (+)" }).click();
  await expect(page).toHaveURL(/zoom=\d+-\d+/);
  expect(await rows.count()).toBeLessThan(all);
  await page.getByRole("link", { name: "Whole run" }).click();
  await expect(rows).toHaveCount(all);
});

test("a failure group is resolved and noted by plain forms", async ({ page, request }) => {
  const id = await finishedRun(request, "/fail invalid_request");
  await signIn(page, "owner@demo.test", `/runs/${id}`);
  await page.locator(".relaunches a[href^='/failures/']").click();
  await expect(page.locator(".failure-section .finding")).toBeVisible();
  await page.getByLabel("Note").fill("Kim looks at it.");
  await page.getByRole("button", { name: "Save note" }).click();
  await expect(page.getByText("Note saved.")).toBeVisible();
  await page.getByRole("button", { name: "Resolve" }).click();
  await expect(page.getByText("Resolved by owner@demo.test")).toBeVisible();
  await page.goto("/failures?state=resolved&since=24h");
  await page.locator("table.failures .run-name").first().click();
  await page.getByRole("button", { name: "Reopen" }).click();
  await expect(page.getByText("Reopened by owner@demo.test")).toBeVisible();
});
