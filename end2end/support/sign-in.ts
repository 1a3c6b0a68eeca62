// Signing in through the sandbox's consent page, as a person would.

import { type BrowserContext, expect, type Page } from "@playwright/test";

type Cookie = Awaited<ReturnType<BrowserContext["cookies"]>>[number];

/** Sessions by account and scopes. */
const sessions = new Map<string, Cookie>();

/** Opens a page in a session with all but the scopes in `without`: in the session of an earlier test if there is one. */
export async function signIn(
  page: Page,
  account = "owner@demo.test",
  destination = "/runs",
  without: string[] = [],
): Promise<void> {
  const earlier = sessions.get(sessionKey(account, without));
  if (earlier !== undefined) await page.context().addCookies([earlier]);
  await page.goto(destination);
  if (new URL(page.url()).pathname === "/sign-in") await approve(page, account, without);
  expectDestination(page, destination);
}

/** Goes through the consent page, and ends at the page asked for in a new session. */
export async function signInAgain(page: Page, account = "owner@demo.test", destination = "/runs"): Promise<void> {
  await page.goto(destination);
  await approve(page, account, []);
  expectDestination(page, destination);
}

async function approve(page: Page, account: string, without: string[]): Promise<void> {
  await page.getByRole("link", { name: "Sign in with MANTYX" }).click();
  await page.waitForURL(/\/api\/oauth\/authorize/);
  await page.getByRole("radio", { name: account }).check();
  for (const scope of without) await page.locator(`input[name="grant:${scope}"]`).uncheck();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL((url) => url.origin === process.env.RUNLENS_URL && !url.pathname.startsWith("/auth/"));
  const cookies = await page.context().cookies(process.env.RUNLENS_URL);
  const session = cookies.find(({ name }) => name === "runlens_session");
  if (session !== undefined) sessions.set(sessionKey(account, without), session);
}

function sessionKey(account: string, without: string[]): string {
  return [account, ...without].join(" ");
}

function expectDestination(page: Page, destination: string): void {
  expect(new URL(page.url()).pathname).toBe(new URL(destination, process.env.RUNLENS_URL).pathname);
}
