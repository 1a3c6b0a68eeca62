// Waiting calls without scripts: links and a plain form.

import { expect, signIn, test } from "../../fixtures.ts";
import { startRun } from "../../support/sandbox.ts";

test("a waiting call is opened by a link and answered by a plain form", async ({ page, request }) => {
  test.slow();
  await startRun(request, '/call approve {"order":"6550"}\n/say Fine.', { tools: [{ kind: "local", name: "approve" }], name: "plain-approval" });
  await signIn(page, "owner@demo.test", "/waiting");
  const row = page.locator(".waiting-list li", { hasText: "plain-approval" });
  await expect(async () => {
    await page.goto("/waiting");
    await expect(row).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await row.locator(".waiting-link").click();
  await expect(page.locator(".waiting-details")).toContainText('"order": "6550"');
  await page.getByRole("radio", { name: "JSON" }).check();
  await page.getByLabel("Your answer").fill('{"approved":');
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.getByRole("alert")).toContainText("This is not valid JSON");
  await expect(page.locator(".written")).toHaveText('{"approved":');
  await page.getByRole("radio", { name: "JSON" }).check();
  await page.getByLabel("Your answer").fill('{"approved":true}');
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Answer to approve sent." })).toBeVisible();
  await expect(row).toHaveCount(0);
});
