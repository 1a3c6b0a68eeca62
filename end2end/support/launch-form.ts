// Fills in and sends the launch form.

import { expect, type Page } from "@playwright/test";
import { signIn } from "./sign-in.ts";

/** Opens an empty form, whatever an earlier test has left. */
export async function openForm(page: Page) {
  await signIn(page, "owner@demo.test", "/launch");
  await startOver(page);
}

/** Empties the form that is open, and opens its sections. */
export async function startOver(page: Page) {
  await page.locator("html[data-js]").waitFor();
  await page.getByText("Save as template or start over").click();
  // An empty prompt alone doesn't say that the form was reset: it may have been empty before.
  const reset = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.url().endsWith("/launch"));
  await page.getByRole("button", { name: "Start over" }).click();
  await reset;
  await expect(page.getByLabel("Prompt", { exact: true })).toHaveValue("");
  await expect(page.getByLabel("Prompt", { exact: true })).toBeFocused();
  await unfold(page);
}

/** Opens the folded sections. */
export async function unfold(page: Page) {
  await page.locator("details.launch-section").evaluateAll((folds: HTMLDetailsElement[]) => folds.forEach((fold) => (fold.open = true)));
}

/** Tells the scripted model what to do. */
export async function script(page: Page, text: string) {
  await page.getByLabel("Model", { exact: true }).selectOption("sandbox/script");
  await page.getByLabel("Prompt", { exact: true }).fill(text);
}

export async function addTool(page: Page, kind: string) {
  const fold = page.locator("#tools details.fold", { hasText: "Add a tool" }).last();
  if ((await fold.getAttribute("open")) === null) await fold.locator("summary").first().click();
  await fold.getByRole("button", { name: new RegExp(`^${kind}(?!,)`) }).click();
}

export const tool = (page: Page, number = 1) => page.locator("#tools > details.tool").nth(number - 1);

export async function launch(page: Page) {
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  await page.waitForURL(/\/runs\/run_/);
}

export const succeeded = (page: Page) =>
  expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded", { timeout: 15_000 });
