// Input in the launch form is never lost: while it is corrected, after another choice, and in another tab.

import { expect, expectAccessible, takeScreenshots, test } from "../fixtures.ts";
import { openForm, script, tool } from "../support/launch-form.ts";

test("a schema's property is renamed by clearing its name first", async ({ page }) => {
  await openForm(page);
  const json = page.getByLabel("JSON", { exact: true });
  const deep = { type: "object", properties: { street: { type: "string" } } };
  const parameters = { type: "object", required: ["ghost", "a"], properties: { a: deep, b: { enum: ["x"] } } };
  await json.fill(JSON.stringify({ systemPrompt: "s", prompt: "p", tools: [{ kind: "local", name: "ask", parameters }] }));
  const name = tool(page).getByLabel("Property 1", { exact: true }).first();
  await expect(name).toHaveValue("a");
  await name.fill("");
  await expect(page.locator("#problems")).toContainText("Give this property a name");
  // The server has rendered the page again since.
  await expect(json).not.toHaveValue(/"a":/);
  await name.pressSequentially("address");
  await expect(json).toHaveValue(/"address": \{\s+"type": "object",\s+"properties": \{\s+"street"/);
  const now = JSON.parse(await json.inputValue()).tools[0].parameters;
  expect(now).toEqual({ type: "object", required: ["ghost", "address"], properties: { address: deep, b: { enum: ["x"] } } });
  await expect(page.locator("#problems")).toBeHidden();
  await tool(page).getByRole("button", { name: "Remove: b" }).click();
  await expect(json).not.toHaveValue(/"enum"/);
  await expectAccessible(page);
  await takeScreenshots(page, "launch-properties");
});

test("an arrow key on a select loses no input", async ({ page }) => {
  await openForm(page);
  const json = page.getByLabel("JSON", { exact: true });
  const spec = {
    systemPrompt: "s",
    messages: [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ],
    tools: [{ kind: "local", name: "ask" }],
    outputSchema: { name: "mine", schema: { type: "object", properties: { a: { type: "string" } } } },
    plan: { mode: "auto", brief: "My brief", steps: ["first"] },
  };
  await json.fill(JSON.stringify(spec));
  await expect(page.getByLabel("Who answers ask?")).toBeVisible();
  for (const [label, there, gone] of [
    ["Input", "ArrowUp", /"prompt": "three"/],
    ["Output format", "ArrowUp", /^(?![\s\S]*outputSchema)/],
    ["Plan", "ArrowUp", /"plan": "required"/],
  ] as const) {
    await page.getByLabel(label, { exact: true }).press(there);
    await expect(json).toHaveValue(gone);
    await page.getByLabel(label, { exact: true }).press("ArrowDown");
    await expect.poll(async () => JSON.parse(await json.inputValue())).toEqual(spec);
  }
  const who = page.getByLabel("Who answers ask?");
  await who.selectOption("canned");
  await page.getByLabel("Reply", { exact: true }).fill("My reply");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await who.press("ArrowUp");
  await expect(page.getByLabel("Reply", { exact: true })).toBeHidden();
  await page.reload();
  await page.locator("html[data-js]").waitFor();
  await who.press("ArrowDown");
  await expect(page.getByLabel("Reply", { exact: true })).toHaveValue("My reply");
});

test("a removed tool can be restored", async ({ page }) => {
  await openForm(page);
  const tools = [{ kind: "local", name: "ask", description: "My words" }, { kind: "local", name: "tell" }];
  await page.getByLabel("JSON", { exact: true }).fill(JSON.stringify({ systemPrompt: "s", prompt: "p", tools }));
  await tool(page).locator("summary").first().click();
  await tool(page).getByRole("button", { name: "Remove: ask" }).click();
  await expect(page.locator("#tools > details.tool")).toHaveCount(1);
  await expect(page.getByText("ask is removed.")).toBeVisible();
  await takeScreenshots(page, "launch-undo");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(tool(page).getByLabel("Description", { exact: true })).toHaveValue("My words");
  await expect(tool(page)).toBeFocused();
});

test("a form of one user is rejected after another user signs in", async ({ page, context }) => {
  await openForm(page);
  await script(page, "/say Of demo alone.");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  const other = await context.newPage();
  await other.goto("/auth/start?return_to=%2Flaunch");
  await other.getByRole("radio", { name: "owner@other.test" }).check();
  await other.getByRole("button", { name: "Approve" }).click();
  await other.waitForURL(/\/launch/);

  const status = page.locator(".launch-buttons [role=status]");
  await page.getByLabel("Prompt", { exact: true }).fill("/say Of demo alone, still.");
  await expect(status).toContainText("belongs to owner@demo.test");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await expect(status).toContainText("neither saved nor launched");
  await expect(page).toHaveURL(/\/launch$/);
  await takeScreenshots(page, "launch-foreign");
  await other.reload();
  await expect(other.getByLabel("Prompt", { exact: true })).not.toHaveValue(/demo alone/);

  await page.getByRole("link", { name: "Sign in again" }).click();
  await page.getByRole("radio", { name: "owner@demo.test" }).check();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL(/\/launch/);
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("/say Of demo alone, still.");
});

test("the reason of a failed launch is shown next to its button", async ({ page, context }) => {
  await openForm(page);
  await script(page, "/say One.");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  const second = await context.newPage();
  await second.goto("/launch");
  await second.locator("html[data-js]").waitFor();
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await page.waitForURL(/\/runs\/run_/);

  await second.getByLabel("Prompt", { exact: true }).fill("/say Two.");
  await second.getByRole("button", { name: "Launch", exact: true }).click();
  const refusal = second.locator("#refusal");
  await expect(refusal).toContainText("already launched something else");
  await expect(refusal).toBeFocused();
  await expect(refusal).toBeInViewport();
  await expectAccessible(second);
  await takeScreenshots(second, "launch-refusal");
  await second.getByRole("button", { name: "Launch", exact: true }).click();
  await second.waitForURL(/\/runs\/run_/);
});

test("the first click on Save works while the page updates", async ({ page }) => {
  await openForm(page);
  const save = page.getByRole("button", { name: "Save as a template" });
  await save.click();
  await expect(page.locator("#problems")).toContainText("Give it a name");
  const answered = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.url().endsWith("/launch"));
  await page.getByLabel("Name", { exact: true }).last().fill("Clicked once");
  await save.hover();
  await page.mouse.down();
  await answered;
  await page.mouse.up();
  await expect(page.getByText("Saved as the template “Clicked once”.")).toBeVisible();
  await expect(page.locator("#problems")).toBeHidden();
});

test("the inputs of a batch are previewed, or their errors shown, before the launch", async ({ page }) => {
  await openForm(page);
  await script(page, "/say Hello {{who}}.");
  await page.locator("#fold-batch > summary").click();
  const inputs = page.getByLabel("Inputs");
  await inputs.fill("name;age\nAda;36");
  await expect(page.locator("#fold-batch .field-error")).toContainText("no column who");
  await inputs.fill("who;metadata.age\nAda;36\nGrace;85");
  await expect(page.locator("#fold-batch")).toContainText("2 runs. The first: “/say Hello Ada.”");
  await takeScreenshots(page, "launch-batch-preview");
});

test("a file with the inputs of a batch is counted when it is chosen", async ({ page }) => {
  await openForm(page);
  await script(page, "/say Hello {{who}}.");
  // A draft with inputs has opened it.
  if ((await page.locator("#fold-batch").getAttribute("open")) === null) await page.locator("#fold-batch > summary").click();
  const buffer = Buffer.from("who\nAda\nGrace\nMary");
  await page.getByLabel("Or a file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
  const batch = page.locator("#fold-batch");
  await expect(batch).toContainText("people.csv: 3 runs. The first: “/say Hello Ada.”");
  await page.getByLabel("Or a file").setInputFiles({ name: "ages.csv", mimeType: "text/csv", buffer: Buffer.from("name,age\nAda,36") });
  await expect(batch.locator(".field-error")).toContainText("no column who");
  // The launch shows the file's text with its error. Another file replaces both.
  await page.getByRole("button", { name: "Launch the batch" }).click();
  await expect(page.getByLabel("Inputs")).toHaveValue("name,age\nAda,36");
  await page.getByLabel("Or a file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
  await expect(batch).toContainText("people.csv: 3 runs.");
  await expect(page.getByLabel("Inputs")).toHaveValue("");
  await expect(batch.locator(".field-error:visible")).toHaveCount(0);
});
