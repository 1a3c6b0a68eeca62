// Signing in through the sandbox's consent page, as a person would.

import { expect, type Page } from "@playwright/test";

/** Asks for a page, approves at the sandbox all but the scopes in `without`, and ends at the page asked for. */
export async function signIn(
  page: Page,
  account = "owner@demo.test",
  destination = "/runs",
  without: string[] = [],
): Promise<void> {
  await page.goto(destination);
  if (!page.url().includes("/api/oauth/authorize")) {
    // A signed-out page may ask for a click before it leaves for the consent page.
    await page.getByRole("link", { name: /sign in/i }).or(page.getByRole("button", { name: /sign in/i })).first().click();
    await page.waitForURL(/\/api\/oauth\/authorize/);
  }
  await page.getByRole("radio", { name: account }).check();
  for (const scope of without) await page.locator(`input[name="grant:${scope}"]`).uncheck();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL((url) => url.origin === process.env.RUNLENS_URL && !url.pathname.startsWith("/auth/"));
  expect(new URL(page.url()).pathname).toBe(new URL(destination, process.env.RUNLENS_URL).pathname);
}
