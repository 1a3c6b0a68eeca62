import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { say, startSession } from "../support/sandbox.ts";

test("sessions are listed and filtered, and unsupported filters are explained", async ({ page, request }) => {
  const id = await startSession(request, { name: "listed", metadata: { customer: "acme", desk: "north" } });
  await say(request, id, "/say Hello there.");
  await signIn(page, "owner@demo.test", "/sessions");
  await page.locator("html[data-js]").waitFor();
  await expect(page).toHaveTitle("Sessions · Runlens");
  await expect(page.getByRole("link", { name: "listed" }).first()).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "sessions");
  await page.locator(".facets a", { hasText: "north" }).click();
  await expect(page).toHaveURL(/q=desk:north/);
  await expect(page.locator("table.sessions tbody tr")).toHaveCount(1);
  await page.locator(".facets a", { hasText: "active" }).click();
  await expect(page).toHaveURL(/status:active/);
  await expect(page.getByRole("link", { name: /Remove the filter status:active/ })).toBeVisible();
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.fill("tool:recall");
  await filter.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Sessions cannot be filtered by");
});

test("a session is shown as a conversation, continued and ended", async ({ page, request }) => {
  const metadata = { customer: "acme", env: "prod" };
  const id = await startSession(request, { name: "talk", metadata });
  await say(request, id, "/say The first answer.");
  const run = await say(request, id, "/say The second answer.", { metadata: { env: "dev" } });
  await signIn(page, "owner@demo.test", `/sessions/${id}`);
  await page.locator("html[data-js]").waitFor();
  const turns = page.locator(".turn-said");
  await expect(turns).toHaveText([/\/say The first answer/, /The first answer/, /\/say The second answer/, /The second answer/]);
  await expect(page.locator(".inherited")).toContainText("customer");
  await expect(turns.nth(3).getByRole("link", { name: "View run" })).toHaveAttribute("href", `/runs/${run}`);
  await expect(turns.nth(3).locator(".status")).toHaveText("succeeded");
  await expect(turns.nth(2).locator(".status")).toHaveCount(0);
  await expect(turns.nth(3).locator(".overridden")).toContainText("dev");
  await expect(turns.nth(1).locator(".overridden")).toHaveCount(0);
  await expectAccessible(page);
  await takeScreenshots(page, "session");

  await page.getByLabel("Next message").fill("/say And a third.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(turns).toHaveCount(6, { timeout: 20_000 });
  await expect(turns.last()).toContainText("And a third.");
  await expect(page.getByLabel("Next message")).toHaveValue("");
  await expect(page.locator(".composer [role=status]")).toHaveCount(0);

  await turns.nth(3).getByRole("link", { name: "View run" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${run}$`));
  await page.getByRole("link", { name: new RegExp(id.slice(0, 8)) }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${id}$`));

  await page.locator("summary", { hasText: "End session" }).click();
  await page.getByRole("button", { name: "End session" }).click();
  await expect(page.getByText("This session has ended")).toBeVisible();
});

test("a session is started from the list, and its totals follow the conversation", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/sessions");
  await page.locator("html[data-js]").waitFor();
  await page.getByRole("link", { name: "New session" }).click();
  await expect(page).toHaveURL(/\/sessions\/new$/);
  await page.getByLabel("Model").selectOption("sandbox/script");
  await expect(page.getByLabel("System prompt")).toHaveValue("You are a helpful assistant.");
  await expectAccessible(page);
  await takeScreenshots(page, "session-new");
  await page.getByLabel("First message").fill("/say The answer to the first question.");
  await page.getByLabel("First message").press("Control+Enter");
  await expect(page).toHaveURL(/\/sessions\/ses_/);
  const turns = page.locator(".turn-said");
  await expect(turns).toHaveText([/^User.*\/say The answer/s, /^Assistant.*The answer to the first question/s], { timeout: 20_000 });

  // Without a name the first words of the first prompt are the title.
  await expect(page.locator("h1")).toHaveText("/say The answer to the first question.");
  const total = (name: string) => page.locator(".run-head .facts > div", { hasText: name }).locator("dd");
  await expect(total("Messages")).toHaveText("2");
  await expect(total("Runs")).toHaveText("1");
  await expect(total("Tokens")).not.toHaveText("0");
  const tokens = await total("Tokens").textContent();

  await page.getByLabel("Next message").fill("/say And one more.");
  await page.getByLabel("Next message").press("Meta+Enter");
  await expect(turns).toHaveCount(4, { timeout: 20_000 });
  await expect(total("Messages")).toHaveText("4");
  await expect(total("Runs")).toHaveText("2");
  await expect(total("Tokens")).not.toHaveText(tokens ?? "");
  await expect(page.getByLabel("Next message")).toBeInViewport();

  await page.goto("/sessions");
  await expect(page.getByRole("link", { name: "/say The answer to the first question." }).first()).toBeVisible();
});

test("a call that waits in a conversation leads to its reply box", async ({ page, request }) => {
  const session = await startSession(request, { tools: [{ kind: "local", name: "approve" }] });
  await signIn(page, "owner@demo.test", `/sessions/${session}`);
  await page.locator("html[data-js]").waitFor();
  await page.getByLabel("Next message").fill("/call approve {}\n/say Fine.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("link", { name: "Answer it" }).click({ timeout: 20_000 });
  await page.getByLabel("Your answer").fill("yes");
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.locator(".output")).toContainText("Fine.");
});
