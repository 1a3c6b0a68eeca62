// A log of the protocol's tests, imported as somebody would.

import path from "node:path";
import { expect, type Page } from "@playwright/test";

export const logs = path.resolve(import.meta.dirname, "../../protocol/tests/logs");

export async function importLog(page: Page, name: string): Promise<void> {
  await page.goto("/import");
  await page.getByLabel(/A file/).setInputFiles(path.join(logs, `${name}.ndjson`));
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page).toHaveURL(/\/runs\/imported_/);
  await page.locator("html[data-js]").waitFor();
}
