// Hostile texts wherever text is shown: nothing runs, nothing is loaded, and nothing around them changes.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { corpus, everything, expectHarmless, watchRequests } from "../support/hostile.ts";
import { importHostile, runHostile, said, talkHostile } from "../support/hostile-run.ts";
import { script, startOver, unfold } from "../support/launch-form.ts";
import { startRun } from "../support/sandbox.ts";

let foreign: string[] = [];

test.beforeEach(async ({ page, context, problems }) => {
  // Each test opens many large pages.
  test.setTimeout(240_000);
  problems.allow(/status of 40[04]/);
  foreign = watchRequests(context);
  await signIn(page);
});

test.afterEach(() => expect(foreign, "requests to other hosts").toEqual([]));

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator("html[data-js]").waitFor();
  await expectHarmless(page, path.slice(0, 80));
}

for (const hostile of corpus) {
  test(`a run with hostile ${hostile.name} is shown as text`, async ({ page, request }) => {
    const id = await importHostile(request, hostile);
    const [mark = ""] = hostile.marks;
    const views = ["open=t0-0,t0-1", "density=events", "tab=tools", "tab=spec", "tab=loop", `find=${encodeURIComponent(mark)}`];
    for (const view of views) await open(page, `/runs/${id}?${view}`);
    for (const mark of hostile.marks) await expect(page.locator("main")).toContainText(mark);
    await open(page, `/compare?left=${id}&right=${id}`);
    const other = await runHostile(request, hostile);
    await open(page, `/compare?left=${id}&right=${other}`);
  });

  test(`hostile ${hostile.name} in the list, the preview, facets, filters and views is shown as text`, async ({ page, request }) => {
    await importHostile(request, hostile);
    await open(page, `/runs?q=${encodeURIComponent(`hostile:${hostile.name}`)}`);
    await expect(page.locator("table.runs tbody tr").first()).toContainText(hostile.marks[0]!);
    await page.locator("table.runs tbody tr .preview").first().click();
    await expect(page.getByRole("complementary", { name: "Preview" })).toBeVisible();
    await expectHarmless(page, "the preview");

    await open(page, `/runs?q=${encodeURIComponent(hostile.line.slice(0, 500))}`);
    await open(page, `/runs?q=${encodeURIComponent(`note:"${hostile.marks[0]}"`)}`);
    await page.locator("summary", { hasText: "Save view" }).click();
    await page.getByLabel("Name").fill(hostile.line.slice(0, 60));
    await page.getByRole("button", { name: "Save view" }).click();
    await expect(page.getByRole("navigation", { name: "Views" })).toContainText(hostile.marks[0]!);
    await expectHarmless(page, "the saved view");

    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Go to" });
    await expect(palette.getByRole("option").first()).toBeVisible();
    await palette.getByRole("combobox").fill(hostile.line.slice(0, 60));
    await expect(palette.getByRole("option").last()).toContainText(hostile.marks[0]!);
    await expectHarmless(page, "the palette");
    await page.keyboard.press("Escape");

    await page.locator("summary", { hasText: "View options" }).click();
    await page.locator("summary", { hasText: "Delete view" }).click();
    await page.getByRole("button", { name: "Delete this view" }).click();
    await expect(page.getByRole("navigation", { name: "Views" })).not.toContainText(hostile.marks[0]!);
  });

  test(`hostile ${hostile.name} in failure groups, insights and settings is shown as text`, async ({ page, request }) => {
    const id = await importHostile(request, hostile);
    await open(page, `/runs?q=${encodeURIComponent(`hostile:${hostile.name}`)}`);
    const found = await request.get("/api/failures", { headers: { Authorization: "Bearer mantyx_sandbox_demo" } });
    expect(found.ok(), await found.text()).toBe(true);
    await open(page, "/failures");
    const groups = page.locator('main a[href^="/failures/"]');
    await expect(groups.first()).toBeVisible();
    const hrefs = await groups.evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute("href") ?? ""))]);
    for (const href of hrefs) await open(page, href);
    await open(page, `/failures?q=${encodeURIComponent(hostile.line.slice(0, 500))}`);
    for (const by of ["model", "agent", "hostile", hostile.line.slice(0, 60)]) await open(page, `/insights?by=${encodeURIComponent(by)}`);
    await open(page, `/insights?q=${encodeURIComponent(`hostile:${hostile.name}`)}`);
    await expect(page.locator("main")).toContainText(hostile.marks[0]!);
    await open(page, "/settings");
    await open(page, `/runs/${id}`);
  });

  test(`hostile ${hostile.name} that arrives while a run is watched is shown as text`, async ({ page, request }) => {
    const id = await startRun(request, `/sleep 1000\n${said(hostile)}\n/call recall {"query":"x"}\n${said(hostile)}`, {
      tools: [{ kind: "mantyx_plugin", name: "recall" }],
    });
    await open(page, `/runs/${id}`);
    await expect(page.locator(".run-head .status")).toHaveAttribute("data-status", "succeeded", { timeout: 60_000 });
    await expect(page.locator("main")).toContainText(hostile.marks[0]!);
    await expectHarmless(page, "a run that was watched");
  });

  test(`a session with hostile ${hostile.name} is shown as text`, async ({ page, request }) => {
    const id = await talkHostile(request, hostile);
    await open(page, "/sessions");
    await open(page, `/sessions?q=${encodeURIComponent(`talk:${hostile.name}`)}`);
    await open(page, `/sessions/${id}`);
    await expect(page.locator("main")).toContainText(hostile.marks[0]!);
    await open(page, `/launch?session=${id}`);
  });

  test(`hostile ${hostile.name} in the launch form, templates and batches is shown as text`, async ({ page, request }) => {
    const id = await importHostile(request, hostile);
    await open(page, `/launch?like=${id}`);
    await unfold(page);
    await expectHarmless(page, "the form like a run");
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await expect(page.getByText("Fix before launching").first()).toBeVisible();
    await expectHarmless(page, "the errors of the form");

    await startOver(page);
    await script(page, "/say {{who}}");
    if (!(await page.locator("#template-name").isVisible())) await page.getByText("Save as template or start over").click();
    await page.locator("#template-name").fill(hostile.line.slice(0, 60));
    await page.getByRole("button", { name: "Save as a template" }).click();
    await expect(page.getByText(/Saved as the template/)).toContainText(hostile.marks[0]!);
    await expectHarmless(page, "a template");

    await page.locator("#fold-batch > summary").click();
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    await page.getByLabel("Inputs").fill(`who\n${cell(hostile.line.slice(0, 2_000))}\nAda`);
    await page.getByLabel("Metadata value", { exact: true }).fill(`hostile-${hostile.name}`);
    await expect(page.locator("#fold-batch")).toContainText("2 runs.");
    await expectHarmless(page, "the preview of a batch");
    await page.getByRole("button", { name: "Launch the batch" }).click();
    await page.waitForURL(/\/runs\?q=/);
    await expect(page.getByText("2 of 2 launched")).toBeVisible({ timeout: 15_000 });
    await expectHarmless(page, "the progress of a batch");
    await page.getByRole("link", { name: "Show inputs" }).click();
    await page.waitForURL(/\/launch\/batches\//);
    await expect(page.locator("table.batch-rows")).toContainText(hostile.marks[0]!);
    await expect(page.locator("table.batch-rows .status[data-status=succeeded]")).toHaveCount(2, { timeout: 60_000 });
    await expectHarmless(page, "the table of a batch");
  });

  test(`a report with hostile ${hostile.name} is harmless without a server's policy`, async ({ page, request, context }) => {
    const id = await importHostile(request, hostile);
    const download = page.waitForEvent("download");
    await page.evaluate((url) => { location.href = url; }, `/runs/${id}/export?format=html`);
    const path = await (await download).path();
    const report = await context.newPage();
    const file = pathToFileURL(path).href;
    await report.route(file, (route) => route.fulfill({ contentType: "text/html", body: readFileSync(path) }));
    await report.goto(file);
    for (const mark of hostile.marks) await expect(report.locator("body")).toContainText(mark);
    await expectHarmless(report, "the report");
    await report.close();
  });
}

test("errors that repeat hostile texts show them as text", async ({ page }) => {
  const text = encodeURIComponent(everything);
  for (const path of [
    `/runs/${text}`,
    `/sessions/${text}`,
    `/nothing/${text}`,
    `/launch/batches/${text}`,
    `/launch?like=${text}`,
    `/launch?template=${text}`,
    `/compare?left=${text}&right=${text}`,
    `/runs?q=status:${text}`,
    `/runs?cursor=${text}`,
    `/sessions?q=tool:${text}`,
    `/auth/callback?error=access_denied&error_description=${text}&state=x`,
    `/sign-in?return_to=${text}`,
  ]) {
    await page.goto(path);
    await expectHarmless(page, path.slice(0, 40));
  }
  await page.goto("/import");
  await page.locator("html[data-js]").waitFor();
  const file = { name: "x.ndjson", mimeType: "text/plain", buffer: Buffer.from(corpus.map(({ text }) => text).join("\n")) };
  await page.getByLabel(/^Files/).setInputFiles(file);
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("No run events found")).toBeVisible();
  await expectHarmless(page, "a file that is no log");
});

test("answers of the API are never shown as pages", async ({ page, request }) => {
  const [markup] = corpus;
  const id = await importHostile(request, markup!);
  for (const path of [`/api/runs/${id}`, `/api/runs/${id}/timeline`, "/api/runs", "/api/facets", "/api/audit", "/api/views"]) {
    const answer = await page.request.get(path);
    expect(answer.headers()["content-type"], path).toMatch(/^application\/json/);
    expect(answer.headers()["x-content-type-options"], path).toBe("nosniff");
    await page.goto(path);
    // The browser shows the text as it is, so directions may mix; nothing in it is an element.
    await expect(page.locator("script, img, svg, iframe, a, b, base, form, style"), path).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.dataset.owned), path).toBeUndefined();
  }
});
