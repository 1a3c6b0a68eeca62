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
  await expect(turns.nth(2).getByRole("link", { name: "View run" })).toHaveAttribute("href", `/runs/${run}`);
  await expect(turns.nth(2).locator(".overridden")).toContainText("dev");
  await expect(turns.nth(0).locator(".overridden")).toHaveCount(0);
  await expectAccessible(page);
  await takeScreenshots(page, "session");

  await page.getByLabel("Next message").fill("/say And a third.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(turns).toHaveCount(6, { timeout: 20_000 });
  await expect(turns.last()).toContainText("And a third.");
  await expect(page.getByLabel("Next message")).toHaveValue("");

  await turns.nth(2).getByRole("link", { name: "View run" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${run}$`));
  await page.getByRole("link", { name: new RegExp(id.slice(0, 8)) }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${id}$`));

  await page.locator("summary", { hasText: "End session" }).click();
  await page.getByRole("button", { name: "End session" }).click();
  await expect(page.getByText("This session has ended")).toBeVisible();
});
