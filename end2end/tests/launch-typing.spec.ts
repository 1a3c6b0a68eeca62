// Errors in a spec are shown at their fields while typing, by the browser itself.

import { expect, expectAccessible, signIn, test } from "../fixtures.ts";
import { addTool, openForm, tool, unfold } from "../support/launch-form.ts";

test("an invalid name is reported and corrected without a network", async ({ page, context, problems }) => {
  problems.allow(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  await openForm(page);
  await addTool(page, "Local tool");
  const name = tool(page).getByLabel("Name", { exact: true });
  await name.fill("look_up");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await expect(tool(page).locator(".field-error")).toHaveCount(0);

  await context.setOffline(true);
  await name.fill("look up");
  const error = tool(page).locator(".field-error");
  await expect(error).toContainText("letters, digits and _");
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("#problems")).toContainText("Tool 1, name");
  await expect(name).toBeFocused();
  await expect(name).toHaveValue("look up");
  await expectAccessible(page);

  await page.getByLabel("Turns with tools").fill("1000");
  await expect(page.locator("#limits .field-error")).toContainText("from 0 to 100");
  await tool(page).getByText("Parameters as JSON Schema").click();
  await tool(page).getByLabel("Parameters, JSON Schema").fill('{ "type": ');
  await expect(tool(page).locator(".field-error")).toHaveText([/letters, digits/, /\(line 1, column/]);

  await tool(page).getByLabel("Parameters, JSON Schema").fill('{ "type": "object" }');
  await name.fill("look_up");
  await page.getByLabel("Turns with tools").fill("10");
  await expect(page.locator(".launch .field-error")).toHaveCount(0);
  await expect(page.locator("#problems")).toBeHidden();
  await expect(page.locator(".launch-buttons [role=status]")).toContainText(/could not|failed|network/i);

  await context.setOffline(false);
  await name.fill("look_up_2");
  await expect(page.getByText("Draft saved.")).toBeVisible();
  await expect(page.getByLabel("JSON", { exact: true })).toHaveValue(/"maxToolTurns": 10/);
});

test("the validation code is not part of the first load, and the form works without it", async ({ page, problems }) => {
  problems.allow(/wasm|Failed to (fetch|load)|ERR_CONNECTION_FAILED/i);
  const others = new Set<string>();
  page.on("request", (request) => others.add(new URL(request.url()).pathname));
  await signIn(page, "owner@demo.test", "/runs");
  await page.locator("html[data-js]").waitFor();
  const answer = await page.request.get("/launch");
  const announced = [...(answer.headers().link ?? "").matchAll(/<([^>]+\.wasm)>; rel=preload/g)].map(([, url]) => url);
  expect(announced.length).toBeGreaterThan(0);
  const first = new Set([...others, ...announced]);
  const later: string[] = [];
  await page.route("**/*.wasm", (route) => {
    const { pathname } = new URL(route.request().url());
    if (first.has(pathname)) return route.continue();
    later.push(pathname);
    return route.abort("connectionfailed");
  });
  await page.goto("/launch");
  await page.locator("html[data-js]").waitFor();
  await expect.poll(() => later.length).toBeGreaterThan(0);
  await unfold(page);
  await page.getByLabel("Turns with tools").fill("1000");
  await expect(page.locator("#limits .field-error")).toContainText("from 0 to 100");
});

test("each extreme value is reported at its field", async ({ page }) => {
  await openForm(page);
  const json = page.getByLabel("JSON", { exact: true });
  const give = (spec: object) => json.fill(JSON.stringify({ systemPrompt: "s", prompt: "p", ...spec }));
  const budgets = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`tool_${i}`, { maxCalls: 1 }]));
  const catalogue = Array.from({ length: 65 }, (_, i) => ({ name: `t${i}`, inputSchema: {} }));
  const schema = { type: "object", description: "x".repeat(40_000) };

  await give({ prompt: "x".repeat(200_001) });
  await expect(page.locator("#field-prompt-note")).toContainText("at most 200,000");
  await give({ outputSchema: { schema } });
  await expect(page.locator("#output .field-error")).toContainText("at most 32 KB");
  await give({ tools: [{ kind: "mcp_local", name: "s", tools: catalogue }] });
  await expect(page.locator("#field-tools-0-tools-note")).toContainText("at most 64 tools");
  await give({ toolBudgets: budgets });
  await expect(page.locator("#limits [data-tone=error]")).toContainText("At most 32 tools");
  await give({ tools: [{ kind: "mcp", name: "m", url: "https://x.test", headers: { A: "a\r\nB: c" } }] });
  await expect(tool(page).locator(".field-error")).toContainText("line breaks");
  const hostile = '</textarea><img src=x onerror="document.title=1">';
  await give({ tools: [{ kind: "a2a_local", name: "a", agentCard: { name: hostile, skills: [{ name: hostile }] } }] });
  await expect(tool(page).locator(".form-facts")).toContainText("<img src=x");
  await expect(page.locator("main img")).toHaveCount(0);
  // The documents set no such limit for what a tool takes.
  await give({ tools: [{ kind: "local", name: "l", parameters: schema }] });
  await expect(tool(page).getByLabel("Name", { exact: true })).toHaveValue("l");
  await expect(page.locator(".launch .field-error")).toHaveCount(0);
});

test("code samples follow the current spec", async ({ page }) => {
  await openForm(page);
  await page.getByLabel("Prompt", { exact: true }).fill("/say Copied.");
  await page.getByText("Code", { exact: true }).click();
  await page.getByText("As curl", { exact: true }).click();
  const program = page.locator(".program", { hasText: "As curl" });
  await expect(program).toContainText('"prompt": "/say Copied."');
  await expect(program).toContainText(`${process.env.RUNLENS_SANDBOX_URL}/api/v1/workspaces/demo/agent-runs`);
  await expect(program.getByRole("button", { name: "Copy this" })).toBeVisible();
  await expectAccessible(page);
});

test("a template link opens the template again after changes", async ({ page }) => {
  await openForm(page);
  const hello = page.locator('a.template[href$="built-in-hello"]');
  await page.getByText("Start from a template").click();
  await hello.click();
  await page.waitForURL(/template=/);
  await page.locator("html[data-js]").waitFor();
  const prompt = page.getByLabel("Prompt", { exact: true });
  await expect(page.locator(".changes")).toContainText("No changes yet");
  const taught = await prompt.inputValue();
  await prompt.fill("/say Mine.");
  await expect(page).toHaveURL(/\/launch$/);
  if (!(await hello.isVisible())) await page.getByText("Start from a template").click();
  await hello.click();
  await expect(prompt).toHaveValue(taught);
  await expect(page.locator(".changes")).toContainText("No changes yet");
});
