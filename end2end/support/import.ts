// Runs from logs: those of the protocol's tests, and events that a test writes.

import path from "node:path";
import { type APIRequestContext, expect, type Page } from "@playwright/test";

export const logs = path.resolve(import.meta.dirname, "../../protocol/tests/logs");

export async function importLog(page: Page, name: string): Promise<void> {
  await page.goto("/import");
  await page.getByLabel(/^Files/).setInputFiles(path.join(logs, `${name}.ndjson`));
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page).toHaveURL(/\/runs\/imported_/);
  await page.locator("html[data-js]").waitFor();
}

export type Event = [type: string, data: object | string];

/** Makes a run of a log and answers its id. Data that is a text is JSON already. */
export async function imported(request: APIRequestContext, events: Event[]): Promise<string> {
  const line = ([type, data]: Event, i: number) =>
    `{"seq":${i + 1},"type":"${type}","data":${typeof data === "string" ? data : JSON.stringify(data)}}`;
  const answer = await request.post("/api/import", {
    headers: { Authorization: "Bearer mantyx_sandbox_demo", "Content-Type": "application/x-ndjson" },
    data: events.map(line).join("\n"),
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()).runId;
}
