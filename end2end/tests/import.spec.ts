import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { openFindings } from "../support/findings.ts";
import { importLog, logs } from "../support/import.ts";

test.beforeEach(async ({ page }) => signIn(page));

/** Each log, and the banners that it must have, most severe first. */
const samples: [string, string[]][] = [
  ["early-protocol", []],
  ["guards-2026", ["budget_exceeded", "supervisor_redirect"]],
  ["local-tools", []],
  ["loop-gave-up", ["loop_gave_up"]],
  ["truncated-json", ["truncated"]],
  ["waiting-with-gap", ["waiting_local_tool", "log_gap", "log_incomplete"]],
];

for (const [name, banners] of samples) {
  test(`the log ${name} is imported and read`, async ({ page }) => {
    await importLog(page, name);
    await expect(page.locator(".imported")).toContainText(`${name}.ndjson`);
    await openFindings(page);
    for (const kind of banners) await expect(page.locator(`[data-kind=${kind}]`)).toBeVisible();
    await expect(page.locator(".timeline .row").first()).toBeVisible();
    await expectAccessible(page);
    await takeScreenshots(page, `imported-${name}`);
  });
}

test("the Loop tab has one iteration a row, with what changed and what came back", async ({ page }) => {
  await importLog(page, "loop-nudged-other-arguments");
  await page.locator("[data-kind=loop_nudged]").getByRole("link", { name: "See the iterations" }).click();
  await expect(page).toHaveURL(/tab=loop/);
  await expect(page.locator(".iteration").nth(1)).toContainText("No change, same result");
  await expect(page.locator(".iteration").nth(1)).toContainText("first wasted step");
  await expect(page.locator(".iteration").last()).toContainText("→");
  await expectAccessible(page);
  await takeScreenshots(page, "run-loop");
});

test("a truncated answer shows where it was cut and what is missing", async ({ page }) => {
  await importLog(page, "truncated-json");
  const card = page.locator(".truncation");
  await expect(card).toContainText("Output truncated");
  const output = page.locator(".output");
  await expect(output.locator(".partial")).toContainText("answer");
  await expect(output.locator(".seam").first()).toBeVisible();
});

test("a log is pasted, and text that is no log is rejected with a reason", async ({ page }) => {
  await page.goto("/import");
  await page.getByLabel("Or paste a log").fill("hello");
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("alert")).toContainText("No run events found");
  await expect(page.getByLabel("Or paste a log")).toHaveValue("hello");
  await expectAccessible(page);
  await takeScreenshots(page, "import");
  await page.getByLabel("Or paste a log").fill('{"type":"result","data":{"text":"Pasted."}}\n{oops');
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.locator(".output")).toContainText("Pasted.");
  await page.getByText("1 place could not be read").click();
  await expect(page.locator(".import-faults")).toContainText("Line 2");
});

test("two runs are compared, and their first difference is shown", async ({ page }) => {
  await importLog(page, "loop-nudged-recovered");
  const left = page.url().split("/").pop();
  await importLog(page, "loop-nudged-other-arguments");
  const right = page.url().split("/").pop();
  await page.goto(`/compare?left=${left}&right=${right}`);
  await expect(page.locator(".parting")).toContainText("In turn 4 a different call is made");
  await expect(page.locator(".compare-turn[data-mark=parting]")).toContainText("first difference");
  await expectAccessible(page);
  await takeScreenshots(page, "compare");
});

test("an upload shows its progress and blocks a second one", async ({ page }) => {
  await page.goto("/import");
  await page.locator("html[data-js]").waitFor();
  let arrive = () => {};
  const held = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/import", async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await page.getByLabel(/^Files/).setInputFiles(path.join(logs, "local-tools.ndjson"));
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.locator(".import-progress progress")).toBeVisible();
  await expect(page.getByRole("button", { name: "Import" })).toBeDisabled();
  arrive();
  await expect(page).toHaveURL(/\/runs\/imported_/);
});

test("several files are imported at once, each with its result", async ({ page }) => {
  await page.goto("/import");
  await page.locator("html[data-js]").waitFor();
  const broken = { name: "broken.txt", mimeType: "text/plain", buffer: Buffer.from("no log at all") };
  await page.getByLabel(/^Files/).setInputFiles([path.join(logs, "local-tools.ndjson"), path.join(logs, "truncated-json.ndjson")]);
  await page.getByRole("button", { name: "Import" }).click();
  const imported = page.locator(".import-results a");
  await expect(imported).toHaveText(["local-tools.ndjson", "truncated-json.ndjson"]);
  await expectAccessible(page);
  await takeScreenshots(page, "import-results");

  const name = "loop-gave-up.ndjson";
  const good = { name, mimeType: "application/x-ndjson", buffer: readFileSync(path.join(logs, name)) };
  await page.getByLabel(/^Files/).setInputFiles([broken, good]);
  await page.getByRole("button", { name: "Import" }).click();
  await expect(imported).toHaveText(["loop-gave-up.ndjson"]);
  await expect(page.getByRole("alert")).toContainText("broken.txt: No run events found");
  await imported.click();
  await expect(page).toHaveURL(/\/runs\/imported_/);
  await expect(page.locator(".imported")).toContainText("loop-gave-up.ndjson");
});

test("an imported run is deleted after a confirmation, and is gone", async ({ page, problems }) => {
  problems.allow(/status of 404/);
  await importLog(page, "local-tools");
  const run = page.url();
  await page.getByLabel("More actions").click();
  await page.getByRole("link", { name: "Delete run…" }).click();
  await expect(page.getByRole("heading", { name: "Delete run?", level: 1 })).toBeVisible();
  await expect(page.locator("nav.rail-nav")).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "delete-run");
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page).toHaveURL(run);
  await page.getByLabel("More actions").click();
  await page.getByRole("link", { name: "Delete run…" }).click();
  await page.getByRole("button", { name: "Delete run" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.getByText("Run deleted.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Run deleted.")).toHaveCount(0);
  await page.goto(run);
  await expect(page.getByRole("heading", { name: "Not found" })).toBeVisible();
});
