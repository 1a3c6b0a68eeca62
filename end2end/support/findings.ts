import type { Page } from "@playwright/test";

/** Opens the fold with all findings of a run, if there is one. */
export async function openFindings(page: Page) {
  const summary = page.locator(".more-findings > summary").first();
  if (await summary.count()) await summary.click();
}
