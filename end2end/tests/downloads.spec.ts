// Downloads of a run: its log, and a report in one file.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";
import { expect, signIn, takeScreenshots, test } from "../fixtures.ts";
import { finishedRun } from "../support/sandbox.ts";

const secret = "sk-live-0123456789abcdef";
const tools = [{ kind: "mcp", name: "crm", url: "http://127.0.0.1:9/mcp", headers: { Authorization: `Bearer ${secret}` } }];

test.beforeEach(async ({ page }) => signIn(page));

/** The path of what a link of the export menu gives. */
async function exported(page: Page, link: RegExp): Promise<{ name: string; path: string }> {
  await page.getByText("Export", { exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: link }).click();
  const file = await download;
  return { name: file.suggestedFilename(), path: await file.path() };
}

test("the log has one event per line, and its import gives the same run", async ({ page, request }) => {
  const id = await finishedRun(request, "/say The total is 42.", { tools, name: "taken-along" });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const { name, path } = await exported(page, /NDJSON/);
  expect(name).toBe(`${id}.ndjson`);
  const [head, ...events] = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  expect(head.run.id).toBe(id);
  expect(JSON.stringify(head)).not.toContain(secret);
  expect(events.at(-1)).toMatchObject({ type: "result", data: { text: "The total is 42." } });

  await page.goto("/import");
  await page.getByLabel(/^Files/).setInputFiles({ name, mimeType: "application/x-ndjson", buffer: readFileSync(path) });
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page).toHaveURL(/\/runs\/imported_/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("taken-along");
  await expect(page.locator(".output")).toContainText("The total is 42.");
});

test("the report opens from a file, loads nothing, and masks secrets", async ({ page, request, context }) => {
  const id = await finishedRun(request, `/say Half of it: token=${secret} and\n/truncate`, { tools, name: "reported" });
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const { name, path } = await exported(page, /Report/);
  expect(name).toBe(`${id}.html`);

  const report = await context.newPage();
  const asked: string[] = [];
  report.on("request", (request) => asked.push(request.url()));
  const file = pathToFileURL(path).href;
  // Its storage key does not say what it is.
  await report.route(file, (route) => route.fulfill({ contentType: "text/html", body: readFileSync(path) }));
  await report.goto(file);
  await expect(report.getByRole("heading", { level: 1 })).toHaveText("reported");
  await expect(report.getByText("Output truncated", { exact: true })).toBeVisible();
  await expect(report.locator("body")).not.toContainText("`");
  const mark = report.locator("small a").first();
  await expect(report.locator((await mark.getAttribute("href"))!)).toBeVisible();
  await report.getByText("Spec", { exact: true }).click();
  await expect(report.locator("details", { hasText: "Spec" }).locator("pre")).toContainText("crm");
  await expect(report.getByText("Values that look like secrets are hidden.")).toBeVisible();
  expect(await report.content()).not.toContain(secret);
  expect(asked).toEqual([file]);
  await takeScreenshots(report, "report");
});
