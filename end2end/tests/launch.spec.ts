import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { addTool, launch, openForm, script, succeeded, tool, unfold } from "../support/launch-form.ts";
import { type Peer, startPeer, stdioCommand } from "../support/peers.ts";
import { finishedRun } from "../support/sandbox.ts";

let mcp: Peer;
let a2a: Peer;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  [mcp, a2a] = await Promise.all([startPeer("mcp_server.py"), startPeer("a2a_peer.py")]);
});

test.afterAll(() => {
  mcp.stop();
  a2a.stop();
});

test("a prompt and a model are enough, and a double click starts one run", async ({ page }) => {
  await openForm(page);
  await takeScreenshots(page, "launch-empty");
  await expectAccessible(page);
  await script(page, "/say Hello from the form.");
  await page.getByLabel("Key 1").fill("origin");
  await page.getByLabel("Value 1").fill("double-click");
  await page.getByRole("button", { name: "Launch", exact: true }).dblclick();
  await page.waitForURL(/\/runs\/run_/);
  await expect(page.locator(".output")).toContainText("Hello from the form.");
  await succeeded(page);
  const listed = await page.request.get("/api/runs?q=origin:double-click");
  expect((await listed.json()).runs).toHaveLength(1);
});

test("errors are shown at their fields and in a list with links", async ({ page }) => {
  await openForm(page);
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  const problems = page.locator("#problems");
  await expect(problems).toContainText("Enter a prompt");
  await addTool(page, "Local tool");
  await tool(page).getByLabel("Name", { exact: true }).fill("not a name");
  await expect(tool(page).locator(".field-error").first()).toContainText("letters, digits and _");
  await page.getByLabel("Turns with tools").fill("1000");
  await expect(problems).toContainText("Tool 1, name");
  await expectAccessible(page);
  await takeScreenshots(page, "launch-problems");
  await problems.getByRole("link", { name: "Tool 1, name" }).click();
  await expect(tool(page).getByLabel("Name", { exact: true })).toBeInViewport();
});

test("form and JSON stay in sync, and invalid JSON is marked", async ({ page }) => {
  await openForm(page);
  const json = page.getByLabel("JSON", { exact: true });
  await page.getByLabel("Prompt", { exact: true }).fill("From the form");
  await expect(json).toHaveValue(/"prompt": "From the form"/);
  await json.fill('{ "prompt": "From the JSON", "systemPrompt": "s", "later": { "kept": true } }');
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("From the JSON");
  await expect(page.locator("#kept")).toContainText("/later");
  await json.fill('{ "prompt": "broken }');
  await expect(page.locator("#json-problem")).toContainText("line 1");
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("From the JSON");
  await takeScreenshots(page, "launch-json");
});

test("a draft survives a reload and a sign-out", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).fill("Not to be lost");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("Not to be lost");
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await signIn(page, "owner@demo.test", "/launch");
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("Not to be lost");
});

test("input after an expired sign-in is restored at the next one", async ({ page, context, problems }) => {
  problems.allow(/401/);
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).fill("Before");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await context.clearCookies();
  await page.getByLabel("Prompt", { exact: true }).fill("Written while signed out");
  await page.getByRole("link", { name: "Sign in again" }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL(/\/launch/);
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("Written while signed out");
});

test("a template keeps the previous draft, and a reload keeps changes", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).fill("The earlier one");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await page.goto("/launch?template=built-in-hello");
  await page.locator("html[data-js]").waitFor();
  await page.getByLabel("Prompt", { exact: true }).fill("/say Changed.");
  await expect(page).toHaveURL(/\/launch$/);
  await page.reload();
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("/say Changed.");
  await page.getByRole("link", { name: "Restore" }).click();
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("The earlier one");
});

test("a tool of the workspace and one of a plugin", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Workspace tool");
  const tools = tool(page).getByLabel("Tool", { exact: true });
  await tool(page).getByLabel("Filter the list").fill("arithm");
  await expect(tools.locator("option:not([hidden])")).toHaveText([/calculator — .*arithm/i]);
  await takeScreenshots(page, "launch-tool-list");
  await tools.selectOption("tool_calculator");
  await expect(tool(page).locator("> summary")).toContainText("tool_calculator");
  await addTool(page, "Plugin tool");
  await tool(page, 2).getByLabel("Tool", { exact: true }).selectOption("@sandbox/recall");
  await page.getByRole("button", { name: "Check tools" }).click();
  await expect(tool(page).locator(".tool-check[data-tone=success]")).not.toHaveCount(0);
  await script(page, '/call calculator {"expression":"6*7"}\n/say It is 42.');
  await launch(page);
  await succeeded(page);
  await expect(page.locator(".call").first()).toContainText("calculator");
});

test("a local tool is answered by hand", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Local tool");
  await tool(page).getByLabel("Name", { exact: true }).fill("ask_me");
  await tool(page).getByLabel("Property 1").first().fill("question");
  await expect(page.getByLabel("JSON", { exact: true })).toHaveValue(/"question"/);
  await expect(tool(page).getByLabel("Who answers ask_me?")).toHaveValue("hand");
  await script(page, '/call ask_me {"question":"Ship it?"}\n/say Noted.');
  await launch(page);
  await page.getByLabel("Your answer").fill("Ship it.");
  await page.getByRole("button", { name: "Send answer" }).click();
  await succeeded(page);
});

test("a canned error fails a tool, and the run is relaunched with one change", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Local tool");
  await tool(page).getByLabel("Name", { exact: true }).fill("look_up");
  await tool(page).getByLabel("Who answers look_up?").selectOption("canned");
  await tool(page).getByLabel("Reply", { exact: true }).fill("No answer for {{args.order}}.");
  await tool(page).getByLabel("Return as error").check();
  await page.getByRole("button", { name: "Check tools" }).click();
  await expect(tool(page).locator(".tool-checks")).toContainText("fails with the error that you wrote");
  await takeScreenshots(page, "launch-canned");
  await script(page, '/call look_up {"order":"A-1"}\n/say It failed.');
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("No answer for A-1.");

  await page.getByRole("link", { name: "Relaunch" }).click();
  await expect(page.locator(".changes")).toContainText("No changes yet");
  await tool(page).getByLabel("Return as error").uncheck();
  await unfold(page);
  await page.getByLabel("Turns with tools").fill("5");
  await expect(page.locator(".changes")).toContainText("/budgets");
  await launch(page);
  await succeeded(page);
});

test("the tools of a remote MCP server are discovered and selected", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Remote MCP server");
  await tool(page).getByLabel("Name", { exact: true }).fill("calc");
  await tool(page).getByLabel("Address", { exact: true }).fill(`${mcp.url}/mcp`);
  await tool(page).getByRole("button", { name: "Discover its tools" }).click();
  await tool(page).getByLabel("whoami", { exact: true }).uncheck();
  await expect(tool(page)).toContainText("The model sees calc_add.");
  await expect(page.getByLabel("JSON", { exact: true })).toHaveValue(/"toolFilter"/);
  await takeScreenshots(page, "launch-mcp");
  await expectAccessible(page);
  await script(page, '/call calc_add {"a":40,"b":2}\n/say Added.');
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("42");
});

test("the tools of an MCP server are answered from here", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Local MCP server");
  await tool(page).getByLabel("Discover from the address").fill(`${mcp.url}/mcp`);
  await tool(page).getByRole("button", { name: "Discover its tools" }).click();
  await expect(tool(page).getByLabel("Name", { exact: true }).first()).toHaveValue("calculator");
  await page.getByRole("button", { name: "Check tools" }).click();
  await expect(tool(page).locator(".tool-checks")).toContainText("add is answered by the MCP server");
  await script(page, '/call add {"a":40,"b":2}\n/say Added.');
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("42");
});

test("tools of the same name are reported, and one of them is renamed", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Local tool");
  await tool(page).getByLabel("Name", { exact: true }).fill("add");
  await addTool(page, "Local MCP server");
  await tool(page, 2).getByLabel("Discover from the address").fill(`${mcp.url}/mcp`);
  await tool(page, 2).getByRole("button", { name: "Discover its tools" }).click();
  const listed = tool(page, 2).locator("details.fold", { has: page.locator("summary", { hasText: "add_2" }) });
  await listed.locator("summary").first().click();
  await listed.getByLabel("Name", { exact: true }).fill("sum");
  await expect(page.getByLabel("Who answers sum?")).toHaveValue("mcp");
  await script(page, '/call sum {"a":40,"b":2}\n/say Added.');
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("42");
});

test("the tools of an MCP server that is started by a command are answered from here", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Local MCP server");
  await tool(page).getByLabel("Or from a command").fill("sh -c true");
  await tool(page).getByRole("button", { name: "Discover its tools" }).click();
  await expect(tool(page)).toContainText("This command is not allowed");
  await tool(page).getByLabel("Or from a command").fill(stdioCommand);
  await tool(page).getByRole("button", { name: "Discover its tools" }).click();
  await expect(tool(page).getByLabel("Name", { exact: true }).first()).toHaveValue("calculator");
  await script(page, '/call add {"a":40,"b":2}\n/say Added.');
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").first().click();
  await expect(page.locator(".call-body").first()).toContainText("42");
  await expect(page.locator(".call-by").first()).toContainText("by the MCP server");
});

test("an agent's card is uploaded, and a hostile one stays text", async ({ page, request }) => {
  const card = await (await request.get(`${a2a.url}/.well-known/agent-card.json`)).json();
  card.description = `<img src=x onerror="document.title='owned'"> Knows the weather.`;
  await openForm(page);
  await addTool(page, "Local agent");
  await tool(page).getByLabel("Name", { exact: true }).fill("weather_here");
  await tool(page).getByLabel("Or upload the card").setInputFiles({
    name: "card.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(card)),
  });
  await tool(page).getByRole("button", { name: "Load card" }).click();
  await expect(tool(page).locator(".form-facts")).toContainText("<img src=x");
  await expect(page.locator("img[src=x]")).toHaveCount(0);
  await script(page, '/call weather_here {"message":"Berlin"}\n/say Asked.');
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").last().click();
  await expect(page.locator(".call-body").last()).toContainText("Sunny");
});

test("without the scope to start runs the page says so, and a new sign-in can allow it", async ({ page }) => {
  await page.goto("/launch");
  await page.getByRole("link", { name: /sign in/i }).first().click();
  await page.getByRole("checkbox", { name: /runs:write/ }).uncheck();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL(/\/launch/);
  const notice = page.locator(".notice", { hasText: "does not include runs:write" });
  await expect(notice).toBeVisible();
  const button = page.getByRole("button", { name: "Launch", exact: true });
  await expect(button).toBeDisabled();
  const background = () => button.evaluate((element) => getComputedStyle(element).backgroundColor);
  const disabled = await background();
  await expect(button).toHaveCSS("cursor", "not-allowed");
  await expectAccessible(page);
  await takeScreenshots(page, "launch-without-scope");
  await notice.getByRole("link", { name: "Sign in again" }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL(/\/launch/);
  await expect(button).toBeEnabled();
  expect(await background()).not.toBe(disabled);
});

test("another agent is called by MANTYX, and from here", async ({ page }) => {
  await openForm(page);
  await addTool(page, "Remote agent");
  await tool(page).getByLabel("Address of its card").fill(`${a2a.url}/.well-known/agent-card.json`);
  await tool(page).getByRole("button", { name: "Fetch the card" }).click();
  await expect(tool(page).locator(".form-facts")).toContainText("Knows the weather.");
  await expect(tool(page).getByLabel("Name", { exact: true })).toHaveValue("weather");
  await addTool(page, "Local agent");
  await tool(page, 2).getByLabel("Name", { exact: true }).fill("weather_here");
  await tool(page, 2).getByLabel("Fetch its card from").fill(`${a2a.url}/.well-known/agent-card.json`);
  await tool(page, 2).getByRole("button", { name: "Load card" }).click();
  await expect(tool(page, 2).getByLabel("Who answers weather_here?")).toHaveValue("a2a");
  await takeScreenshots(page, "launch-a2a");
  const calls = ["weather", "weather_here"].map((name) => `/call ${name} {"message":"Berlin"}\n/say Asked.`);
  await script(page, calls.join("\n"));
  await launch(page);
  await succeeded(page);
  await page.locator(".call .toggle").last().click();
  await expect(page.locator(".call-body").last()).toContainText("Sunny");
});

test("everything can be done from the keyboard", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).focus();
  await page.keyboard.type("/say Typed.");
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => document.activeElement?.id);
    if (name === "field-modelId") await page.keyboard.type("sandbox/script");
    if (await page.evaluate(() => (document.activeElement as HTMLButtonElement).value === "launch")) break;
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/run_/);
  await succeeded(page);
});

test("a run with a tool is launched from the keyboard alone", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).focus();
  await page.keyboard.type('/call ask {"q":"?"}\n/say Done.');
  const tabTo = async (found: () => Promise<boolean>) => {
    for (let i = 0; i < 300 && !(await found()); i++) await page.keyboard.press("Tab");
    expect(await found()).toBe(true);
  };
  const isOn = (id: string) => () => page.evaluate((id) => document.activeElement?.id === id, id);
  const pressing = (value: string) => () =>
    page.evaluate((value) => (document.activeElement as HTMLButtonElement).value === value, value);
  await tabTo(isOn("field-modelId"));
  await page.keyboard.type("sandbox/script");
  await tabTo(pressing("add-tool:local"));
  await page.keyboard.press("Enter");
  await expect(page.locator("#field-tools-0-name")).toBeFocused();
  await page.keyboard.type("ask");
  await expect(page.getByLabel("Who answers ask?")).toBeVisible();
  await tabTo(isOn("answerer-ask-by"));
  await page.keyboard.type("A canned");
  await expect(page.getByLabel("Reply", { exact: true })).toBeVisible();
  await tabTo(pressing("launch"));
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/run_/);
  await succeeded(page);
});

test("a template is shared with the workspace, and updated", async ({ page }) => {
  await openForm(page);
  await script(page, "/say One.");
  await page.locator("#template-name").fill("Shared words");
  await page.getByLabel("Share with the workspace").check();
  await page.getByRole("button", { name: "Save as a template" }).click();
  await expect(page.getByText("Saved as the template “Shared words”.")).toBeVisible();
  await expect(page.locator("#template-name")).toHaveValue("Shared words");
  await page.getByLabel("Prompt", { exact: true }).fill("/say Two.");
  await page.getByRole("button", { name: "Update the template: Shared words" }).click();
  const other = await page.context().newPage();
  await expect(async () => {
    await other.goto("/launch");
    await other.getByText("Start from a template").click();
    await other.locator("a.template", { hasText: "Shared words" }).click();
    await expect(other.getByLabel("Prompt", { exact: true })).toHaveValue("/say Two.", { timeout: 1_000 });
    await expect(other.getByLabel("Share with the workspace")).toBeChecked({ timeout: 1_000 });
  }).toPass();
  await other.close();
  await page.getByRole("button", { name: "Delete “Shared words”…" }).click();
  await page.getByRole("button", { name: "Delete it: Shared words" }).click();
  await expect(page.getByText("The template is deleted.")).toBeVisible();
});

test("templates have notes, and a spec is saved as one", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/launch");
  await page.getByText("Start from a template").click();
  await takeScreenshots(page, "launch-templates");
  await page.getByRole("link", { name: /A loop/ }).click();
  await page.waitForURL(/template=/);
  await page.locator("html[data-js]").waitFor();
  await expect(page.getByLabel("Nudge after")).toHaveValue("3");
  await page.getByText("Save as template or start over").click();
  await page.locator("#template-name").fill("My loop");
  await page.getByRole("button", { name: "Save as a template" }).click();
  await expect(page.getByText("Saved as the template “My loop”.")).toBeVisible();
  await launch(page);
  await expect(page.locator("[data-kind=loop_gave_up]")).toBeVisible({ timeout: 15_000 });
  await page.goto("/launch");
  await page.getByText("Save as template or start over").click();
  await page.getByRole("button", { name: "Delete “My loop”…" }).click();
  await page.getByRole("button", { name: "Keep it: My loop" }).click();
  await page.getByRole("button", { name: "Delete “My loop”…" }).click();
  await page.getByRole("button", { name: "Delete it: My loop" }).click();
  await expect(page.getByText("The template is deleted.")).toBeVisible();
});

test("a new session, and its next message", async ({ page }) => {
  await openForm(page);
  await script(page, "/say First.");
  await page.getByLabel("Run type").selectOption("new_session");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await page.waitForURL(/\/sessions\/ses_/);
  const turns = page.locator(".turn-said");
  await expect(turns).toHaveCount(2, { timeout: 15_000 });
  await page.getByRole("link", { name: "Send with other settings" }).click();
  await expect(page.getByText("apply to this message only")).toBeVisible();
  await page.getByLabel("Prompt", { exact: true }).fill("/say Second.");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await page.waitForURL(/\/sessions\/ses_/);
  await expect(turns.last()).toContainText("Second.", { timeout: 15_000 });
});

test("a batch is launched with progress and found by its tag", async ({ page }) => {
  await openForm(page);
  await script(page, "/say Hello {{who}}.");
  await page.locator("#fold-batch > summary").click();
  await page.getByLabel("Inputs").fill("who\nAda\nGrace\nEdsger");
  await page.getByLabel("Metadata value", { exact: true }).fill("greetings");
  await page.getByRole("button", { name: "Launch the batch" }).click();
  await page.waitForURL(/\/runs\?q=/);
  await expect(page.getByText("3 of 3 launched")).toBeVisible({ timeout: 15_000 });
  await expect(page.locator("table.runs tbody tr")).toHaveCount(3);
  await expectAccessible(page);
  await takeScreenshots(page, "launch-batch");
  await page.getByRole("link", { name: "Show inputs" }).click();
  await page.waitForURL(/\/launch\/batches\//);
  const rows = page.locator("table.batch-rows tbody tr");
  await expect(rows).toHaveCount(3);
  await expect(rows.locator(".status[data-status=succeeded]")).toHaveCount(3, { timeout: 15_000 });
  await expect(rows.first()).toContainText("Ada");
  await expect(rows.first()).toContainText("Hello Ada.");
  await expectAccessible(page);
  await takeScreenshots(page, "batch");
  await page.locator("table.batch-rows").getByRole("link", { name: "Input" }).click();
  await expect(page).toHaveURL(/sort=-input/);
  await expect(rows.first()).toContainText("Edsger");
  await rows.first().getByRole("link", { name: "Edsger" }).click();
  await expect(page).toHaveURL(/\/runs\/run_/);
});

test("messages have files, and limits are explained", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Model", { exact: true }).selectOption("sandbox/script");
  await page.getByLabel("Input", { exact: true }).selectOption("messages");
  const message = page.locator("#what fieldset").first();
  await message.getByLabel("Content").fill("/say Read.");
  await message.getByText("Files", { exact: true }).click();
  const file = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("A note.") };
  await message.getByLabel(/Your file/).setInputFiles(file);
  await message.getByRole("button", { name: /Attach/ }).click();
  await expect(message).toContainText("note.txt is attached.");
  await page.getByLabel("Loop detection").selectOption("custom");
  await page.getByLabel("Nudge after").fill("9");
  await expect(page.locator("#limits .field-error")).toContainText("must come later than the nudge");
  await page.getByLabel("Loop detection").selectOption("");
  await page.getByLabel("Output format", { exact: true }).selectOption("schema");
  await page.locator("#output").getByLabel("Property 1").fill("title");
  await page.locator("#output").getByLabel("required").first().check();
  await page.getByText("Try the schema with a sample").click();
  await page.getByLabel("A sample answer").fill("{}");
  await expect(page.locator("#output")).toContainText("The sample does not fit");
  await page.getByLabel("Output format", { exact: true }).selectOption("");
  await expect(page.getByLabel("Property 1")).toHaveCount(0);
  await launch(page);
  await succeeded(page);
});

test("an unknown model is rejected at its field", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("JSON", { exact: true }).fill('{"systemPrompt":"s","prompt":"p","modelId":"no/such"}');
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue("no/such");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await expect(page.locator("#model .field-error")).toContainText("Choose one of");
});

test("hostile texts stay text", async ({ page, request }) => {
  const hostile = '</textarea><img src=x onerror="document.title=1">';
  const id = await finishedRun(request, `/say hi\n${hostile}`, { later: { hostile } });
  await signIn(page, "owner@demo.test", `/launch?like=${id}`);
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue(new RegExp("</textarea>"));
  await expect(page.locator("main img")).toHaveCount(0);
});

test("a change from the URL is listed as a change", async ({ page, request }) => {
  const id = await finishedRun(request, "/say hi");
  await signIn(page, "owner@demo.test", `/launch?like=${id}&set=/budgets/maxToolTurns=20`);
  await expect(page.getByLabel("Turns with tools")).toHaveValue("20");
  await expect(page.locator(".changes")).toContainText("20");
});

test("the empty form is short, and folded sections say what is set", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openForm(page);
  await page.reload();
  await page.locator("html[data-js]").waitFor();
  await expect(page.getByLabel("Turns with tools")).toBeHidden();
  // With the head of the page 1,500 px. The notice of a draft that another test left stands above the first section.
  const [first, last] = await Promise.all([page.locator("#what").boundingBox(), page.locator("#tags").boundingBox()]);
  expect((last?.y ?? NaN) + (last?.height ?? NaN) - (first?.y ?? NaN)).toBeLessThanOrEqual(1_380);
  await page.locator("#limits > summary").click();
  await page.getByLabel("Turns with tools").fill("3");
  await expect(page.locator("#limits > summary")).toContainText("Turns with tools: 3");
  await expect(page.getByLabel("Turns with tools")).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "launch-folded");
});

for (const kind of ["Workspace tool", "Plugin tool", "Local tool", "Remote agent", "Local agent", "Remote MCP server", "Local MCP server"]) {
  test(`with one tool the form fits two screens: ${kind}`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openForm(page);
    await page.getByLabel("Prompt", { exact: true }).fill("A draft");
    await expect(page.getByText("Draft saved.")).toBeVisible();
    await page.goto("/launch?draft=new");
    await page.locator("html[data-js]").waitFor();
    await expect(page.locator(".launch-form > .notice")).toBeVisible();
    await addTool(page, kind);
    await expect(tool(page)).toHaveAttribute("open");
    await expect(page.locator("#tools details.fold", { hasText: "Add a tool" }).last()).not.toHaveAttribute("open");
    expect(await page.locator(".launch-form").evaluate((form) => form.getBoundingClientRect().bottom + window.scrollY)).toBeLessThan(1_800);
    // Each table names its columns once, in a line above its rows.
    const tables = tool(page).locator(".field-table:visible");
    for (const table of await tables.all()) await expect(table.locator(".table-heads")).toHaveCount(1);
    await takeScreenshots(page, `launch-${kind.toLowerCase().replaceAll(" ", "-")}`);
    await tool(page).locator("> summary").click();
    const line = await tool(page).boundingBox();
    expect(line?.height).toBeLessThan(48);
    await expect(tool(page).locator("> summary")).toContainText(kind);
  });
}

test("Launch in the rail starts with an empty form and offers the draft", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).fill("To be continued");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await page.goto("/runs");
  await page.locator(".rail").getByRole("link", { name: "Launch" }).click();
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("");
  await expect(page.locator(".notice")).toContainText("You have an unfinished draft: To be continued");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Restore" }).click();
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("To be continued");
});

test("a relaunched run and its origin link to each other", async ({ page, request }) => {
  const id = await finishedRun(request, "/say hi");
  await signIn(page, "owner@demo.test", `/launch?like=${id}`);
  await page.locator("html[data-js]").waitFor();
  await launch(page);
  await succeeded(page);
  const origin = page.getByText("Relaunched from").getByRole("link");
  await expect(origin).toHaveAttribute("href", `/runs/${id}`);
  const relaunched = new URL(page.url()).pathname;
  await origin.click();
  await page.waitForURL(`**/runs/${id}`);
  await expect(page.getByText("Relaunched as").getByRole("link")).toHaveAttribute("href", relaunched);
});
