import { expect, signIn, test } from "../../fixtures.ts";

test("a run is entered, corrected and launched", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/launch");
  await page.getByText("Save as template or start over").click();
  await page.getByRole("button", { name: "Start over" }).click();
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await expect(page.locator("#problems")).toContainText("Enter a prompt");

  await page.getByRole("button", { name: /^Local tool/ }).click();
  await page.locator("#tools details.tool").getByLabel("Name", { exact: true }).fill("ask");
  await page.getByLabel("Prompt", { exact: true }).fill('/call ask {"q":"?"}\n/say Done.');
  await page.getByLabel("Model", { exact: true }).selectOption("sandbox/script");
  await page.getByRole("button", { name: "Check tools" }).click();
  await page.getByLabel("Who answers ask?").selectOption("canned");
  await page.getByRole("button", { name: "Check tools" }).click();
  await page.getByLabel("Reply", { exact: true }).fill("Forty-two");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await expect(page).toHaveURL(/\/runs\/run_/);
  await expect(page.locator(".call").first()).toContainText("ask");
});

test("a tool of the workspace is chosen from a list, and an empty form offers the draft", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/launch?draft=new");
  await page.getByRole("button", { name: /^Workspace tool/ }).click();
  await expect(page.getByLabel("Filter the list").first()).toBeHidden();
  await page.getByLabel("Tool", { exact: true }).selectOption("tool_calculator");
  await page.getByRole("button", { name: "Check tools" }).click();
  await expect(page.locator("#tools > details.tool > summary")).toContainText("checked");
  await expect(page.locator(".launch-box .tool-check")).toContainText("tool_calculator");
  await page.goto("/launch?draft=new");
  await expect(page.locator("#tools > details.tool")).toHaveCount(0);
  await page.getByRole("link", { name: "Restore" }).click();
  await expect(page.getByLabel("Tool", { exact: true })).toHaveValue("tool_calculator");
});

test("one tool of each kind is given as JSON", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/launch");
  const tools = [
    { kind: "mantyx", id: "tool_calculator" },
    { kind: "mantyx_plugin", name: "recall" },
    { kind: "local", name: "ask" },
    { kind: "a2a", name: "far_agent", agentCardUrl: "https://agent.example.com/card.json" },
    { kind: "a2a_local", name: "near_agent", agentCard: { name: "Near" } },
    { kind: "mcp", name: "crm", url: "https://mcp.example.com/mcp" },
    { kind: "mcp_local", name: "files", tools: [{ name: "read_file", inputSchema: { type: "object" } }] },
  ];
  const spec = { systemPrompt: "You help.", modelId: "sandbox/script", prompt: "/say All there.", tools };
  await page.getByLabel("JSON", { exact: true }).fill(JSON.stringify(spec));
  await page.getByRole("button", { name: "Apply to the form" }).click();
  await expect(page.locator("#tools > details.tool")).toHaveCount(7);
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await expect(page).toHaveURL(/\/runs\/run_/, { timeout: 20_000 });
});
