// The page of calls that wait for an answer, alone and with two people.

import type { Page } from "@playwright/test";
import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { answerTool, pendingCall, startRun } from "../support/sandbox.ts";

const script = '/say I need an approval before I go on.\n/call approve {"order":"6550","amount":380}\n/say Fine.';
const tools = [{ kind: "local", name: "approve" }];
const properties = { approved: { type: "boolean" }, note: { type: "string", description: "Shown to the customer" }, level: { enum: ["low", "high"] } };
const withSchema = [{ kind: "local", name: "approve", outputSchema: { type: "object", required: ["approved"], properties } }];

/** A call is listed 10 seconds after a program made it. */
const patience = { timeout: 30_000 };

const row = (page: Page, name: string) => page.locator(".waiting-list li", { hasText: name });

/** Opens the page and the call of a run in it. */
async function openCall(page: Page, name: string) {
  await page.goto("/waiting");
  await page.locator("html[data-js]").waitFor();
  const loaded = page.waitForResponse((response) => response.url().includes("/rpc/waiting?"), patience);
  await row(page, name).locator(".waiting-link").click(patience);
  await loaded;
  // The form of the call replaces the one before.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(page.locator(".waiting-details")).toContainText(name);
}

test("a call whose program stopped appears by itself, and is answered in place", async ({ page, request }) => {
  test.slow();
  await signIn(page, "owner@demo.test", "/waiting");
  await page.locator("html[data-js]").waitFor();
  const id = await startRun(request, script, { tools, name: "orphaned-approval" });
  await expect(row(page, "orphaned-approval")).toBeVisible(patience);
  await expect(page.locator(".rail-count")).toHaveText(/^[1-9]/);
  await row(page, "orphaned-approval").locator(".waiting-link").click();
  const details = page.locator(".waiting-details");
  await expect(details).toContainText('"order": "6550"');
  await expect(details).toContainText("responder: the program that started the run");
  await expect(details.locator(".time-left")).toHaveText(/^(at most )?\d+ m \d\d s left$/);
  await details.locator("summary").click();
  await expect(details).toContainText("I need an approval before I go on.");
  await expectAccessible(page);
  await takeScreenshots(page, "waiting");
  await page.getByLabel("Your answer").fill("approved by a person");
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".waiting-sent")).toHaveText("Answer to approve sent. The run continues.");
  await expect(row(page, "orphaned-approval")).toHaveCount(0);
  await expect(page.locator(".unsent-hint")).toBeHidden();
  await expect(async () => {
    await page.goto(`/runs/${id}`);
    await expect(page.locator(".output")).toContainText("Fine.", { timeout: 1_000 });
  }).toPass();
});

test("two people see who is writing, and the text of the second is not lost", async ({ page, request, browser }) => {
  test.slow();
  await startRun(request, script, { tools, name: "shared-approval" });
  await signIn(page, "owner@demo.test", "/waiting");
  const other = await (await browser.newContext({ baseURL: process.env.RUNLENS_URL })).newPage();
  await signIn(other, "colleague@demo.test", "/waiting");
  await openCall(page, "shared-approval");
  await openCall(other, "shared-approval");
  await other.getByLabel("Your answer").fill("a long thought");
  await expect(page.locator(".waiting-writers")).toHaveText("colleague@demo.test is writing an answer");
  await expect(other.locator(".waiting-writers")).toHaveText("");
  await takeScreenshots(page, "waiting-two-people");
  await page.getByLabel("Your answer").fill("yes");
  await page.keyboard.press("Control+Enter");
  await expect(page.locator(".waiting-sent")).toContainText("Answer to approve sent.");
  await expect(other.locator(".waiting-gone")).toContainText("Already answered by owner@demo.test. Your answer was not sent");
  await expect(other.getByRole("button", { name: "Send answer" })).toBeHidden();
  const kept = other.getByLabel("Your answer");
  await expect(kept).toHaveValue("a long thought");
  await expect(kept).toBeFocused();
  await expectAccessible(other);
  await takeScreenshots(other, "waiting-answered-by-another");
  await other.context().close();
});

test("a form is made from the tool's output schema", async ({ page, request, problems }) => {
  problems.allow(/status of 400/);
  test.slow();
  const id = await startRun(request, script, { tools: withSchema, name: "form-approval" });
  await signIn(page, "owner@demo.test", "/waiting");
  await openCall(page, "form-approval");
  await expect(page.getByRole("radio", { name: "Form" })).toBeChecked();
  await expect(page.getByLabel("Your answer")).toBeHidden();
  await expectAccessible(page);
  await takeScreenshots(page, "waiting-form");
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".waiting-reply").getByRole("alert")).toContainText("approved: Required.");
  await page.getByRole("radio", { name: "JSON" }).check();
  await page.getByLabel("Your answer").fill("{");
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".waiting-reply").getByRole("alert")).toContainText("This is not valid JSON");
  await page.getByRole("radio", { name: "Form" }).check();
  await page.getByLabel("approved").selectOption("Yes");
  await page.getByLabel(/^note/).fill("Thank you");
  await page.getByLabel(/^level/).selectOption("high");
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".waiting-sent")).toContainText("Answer to approve sent.");
  const log = await (await page.request.get(`/api/runs/${id}/events`)).text();
  const events = log.trim().split("\n").map((line) => JSON.parse(line) as { type: string; data: { output: string } });
  const { output } = events.find((event) => event.type === "local_tool_result_in")!.data;
  expect(JSON.parse(output)).toEqual({ approved: true, note: "Thank you", level: "high" });
});

test("J and K move, R replies, and a text that was left comes back", async ({ page, request }) => {
  test.slow();
  const ids = [await startRun(request, script, { tools, name: "keys-one" }), await startRun(request, script, { tools, name: "keys-two" })];
  await signIn(page, "owner@demo.test", "/waiting");
  await openCall(page, "keys-one");
  await expect(row(page, "keys-two")).toBeVisible(patience);
  const current = () =>
    page.locator(".waiting-link").evaluateAll((links) => links.findIndex((link) => link.hasAttribute("aria-current")));
  await page.keyboard.press("r");
  await expect(page.getByLabel("Your answer")).toBeFocused();
  await page.keyboard.type("jk stay letters");
  await expect(page.getByLabel("Your answer")).toHaveValue("jk stay letters");
  await page.getByRole("heading", { name: "Waiting" }).click();
  const before = await current();
  const forward = before < (await page.locator(".waiting-link").count()) - 1;
  await page.keyboard.press(forward ? "j" : "k");
  await expect(page.locator(".waiting-details")).not.toContainText("keys-one");
  await expect(page.getByLabel("Your answer")).toHaveValue("");
  await page.keyboard.press(forward ? "k" : "j");
  await expect(page.locator(".waiting-details")).toContainText("keys-one");
  await expect(page.getByLabel("Your answer")).toHaveValue("jk stay letters");
  for (const id of ids) await answerTool(request, id, await pendingCall(id), "done");
  await expect(row(page, "keys-two")).toHaveCount(0);
});

test("the page fits a narrow screen", async ({ page, request }) => {
  test.slow();
  const long = { tools, name: `narrow-${"long-".repeat(20)}approval` };
  const id = await startRun(request, `/call approve {"text":"${"x".repeat(400)}"}\n/say Fine.`, long);
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, "owner@demo.test", "/waiting");
  await openCall(page, "narrow-long");
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(page);
  await takeScreenshots(page, "waiting-narrow");
  await answerTool(request, id, await pendingCall(id), "done");
});

test("without the write scope a call is shown with the reason why there is no form", async ({ page, request }) => {
  test.slow();
  const id = await startRun(request, script, { tools, name: "read-only-approval" });
  await signIn(page, "owner@demo.test", "/waiting", ["runs:write"]);
  await openCall(page, "read-only-approval");
  await expect(page.locator(".waiting-details")).toContainText("Your sign-in can't answer it: it lacks runs:write.");
  await expect(page.getByLabel("Your answer")).toHaveCount(0);
  await answerTool(request, id, await pendingCall(id), "done");
});

test("a page whose data fails to load says so", async ({ page, problems }) => {
  problems.allow(/status of 500|500 from/);
  await signIn(page);
  await page.locator("html[data-js]").waitFor();
  await page.route("**/rpc/waiting?*", (route) => route.fulfill({ status: 500, json: { error: "internal", reference: "abc" } }));
  await page.route("**/rpc/waiting", (route) => route.fulfill({ status: 500, json: { error: "internal", reference: "abc" } }));
  await page.locator(".rail-nav").getByRole("link", { name: /^Waiting/ }).click();
  await expect(page.getByRole("alert")).toContainText("Something went wrong");
});

test("the run page answers with the same form, and an unsent one can be copied", async ({ page, request, problems }) => {
  problems.allow(/status of 400/);
  test.slow();
  await signIn(page);
  const tools = [withSchema[0], { ...withSchema[0], name: "second" }];
  const id = await startRun(request, "/call approve {}\n/call second {}\n/say Fine.", { tools, name: "form-in-run" });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const box = page.locator(".answer-call");
  await expect(box.getByRole("radio")).toHaveCount(4);
  await expect(box.getByRole("radio", { name: "Form" })).toBeChecked();
  await expectAccessible(page);
  await takeScreenshots(page, "run-answer-form");
  await box.getByLabel(/^note/).fill("Thank you");
  await box.getByRole("button", { name: "Send answer" }).click();
  await expect(box.getByRole("alert")).toContainText("approved: Required.");
  await box.getByLabel("approved").selectOption("Yes");
  await page.keyboard.press("Control+Enter");
  await expect(page.locator(".row.call").first()).toHaveAttribute("data-outcome", "ok");
  const events = await (await page.request.get(`/api/runs/${id}/events`)).text();
  expect(events).toContain('{\\"approved\\":true,\\"note\\":\\"Thank you\\"}');

  await expect(box.getByRole("radio", { name: "Form" })).toBeVisible();
  await box.getByLabel(/^note/).fill("for the second");
  await answerTool(request, id, await box.locator("input[name=tool_use_id]").inputValue(), "elsewhere");
  await expect(page.getByLabel("Your unsent answer")).toHaveValue("note: for the second");
});
