// Each page's code is a separate file, loaded when the page is first opened.

import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { finishedRun } from "../support/sandbox.ts";

test.beforeEach(async ({ page }) => signIn(page));

/** The wasm files that the page asks for from now on. */
function wasmFiles(page: Page): string[] {
  const files: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith(".wasm")) files.push(pathname);
  });
  return files;
}

async function open(page: Page, path: string): Promise<string[]> {
  const files = wasmFiles(page);
  await page.goto(path);
  await page.locator("html[data-js]").waitFor();
  return files;
}

/** A marker that a page load removes. */
const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { marked: true }));
// While the page navigates, the old one is still marked.
const isMarked = (page: Page) => page.evaluate(() => "marked" in window).catch(() => true);

test("the list loads without the run page's code, which is loaded once when a run opens", async ({ page }) => {
  const files = await open(page, "/runs");
  const first = files.length;
  await mark(page);
  await page.locator(".run-name").first().click();
  await expect(page.locator(".timeline")).toBeVisible();
  expect(files.length).toBeGreaterThan(first);
  const opened = files.length;
  expect(new Set(files).size).toBe(opened);

  await page.goBack();
  await expect(page.locator("table.runs")).toBeVisible();
  await page.goForward();
  await expect(page.locator(".timeline")).toBeVisible();
  expect(files.length).toBe(opened);
  expect(await isMarked(page)).toBe(true);
});

test("a run page announces its code, and each file is loaded once", async ({ page, request }) => {
  const id = await finishedRun(request, "/say Done.");
  const files = wasmFiles(page);
  const answer = await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();
  const announced = [...(answer?.headers().link ?? "").matchAll(/<([^>]+\.wasm)>; rel=preload/g)].map(([, url]) => url);
  expect(announced.length).toBeGreaterThan(0);
  expect(new Set(announced).size).toBe(announced.length);
  expect(files).toEqual(expect.arrayContaining(announced));
  expect(new Set(files).size).toBe(files.length);
});

test("a page whose code fails to load is loaded from the server", async ({ page, problems }) => {
  problems.allow(/wasm|Failed to (fetch|load)/i);
  await open(page, "/runs");
  await mark(page);
  await page.route("**/*.wasm", (route) => route.abort("connectionfailed"));
  const name = page.locator(".run-name").first();
  const href = await name.getAttribute("href");
  await name.click();
  await expect(page.locator(".timeline")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(href);
  expect(await isMarked(page)).toBe(false);
});

test("the links of a rendered page work if its code fails to load", async ({ page, problems, request }) => {
  problems.allow(/wasm|Failed to (fetch|load)/i);
  const known = await open(page, "/runs");
  const list = new Set(known);
  const id = await finishedRun(request, "/say Done.");
  await page.route("**/*.wasm", (route) =>
    list.has(new URL(route.request().url()).pathname) ? route.continue() : route.abort("connectionfailed"),
  );
  const failed = page.waitForEvent("console", (message) => message.type() === "error");
  await page.goto(`/runs/${id}`);
  await failed;
  await mark(page);
  await page.getByRole("link", { name: "Runs", exact: true }).first().click();
  await expect(page.locator("table.runs")).toBeVisible();
  expect(await isMarked(page)).toBe(false);
});

test("a page reloads once when its data comes from a server of another build", async ({ page }) => {
  await open(page, "/runs?q=");
  await mark(page);
  const build = await page.locator("html").getAttribute("data-build");
  let answers = 0;
  await page.route("**/rpc/runs?*", async (route) => {
    const response = await route.fetch();
    const [id, data] = await response.json();
    expect(id).toBe(build);
    answers += 1;
    await route.fulfill({ response, json: ["another-build", data] });
  });

  await page.locator("#filter-text").fill("status:failed");
  await page.keyboard.press("Enter");
  await expect.poll(() => isMarked(page)).toBe(false);
  await expect(page.locator(".run-name").first()).toBeVisible();
  expect(new URL(page.url()).searchParams.get("q")).toBe("status:failed");
  expect(answers).toBe(1);

  // The second time the page says what is wrong instead of reloading forever.
  await page.locator("html[data-js]").waitFor();
  await mark(page);
  await page.locator("#filter-text").fill("status:succeeded");
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toContainText("the server was updated");
  expect(await isMarked(page)).toBe(true);
});

test("data that came with the HTML is not loaded again", async ({ page, request }) => {
  const id = await finishedRun(request, "/say Done.");
  const loads: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    // The list asks for newer runs now and then.
    if (pathname.startsWith("/rpc/") && pathname !== "/rpc/run-updates") loads.push(pathname);
  });
  for (const path of ["/runs", `/runs/${id}`, "/sessions", "/launch", "/compare", "/api/docs"]) {
    await open(page, path);
    // A load that hydration starts is sent before the answer to this request.
    await page.evaluate(() => fetch("/healthz").then((answer) => answer.text()));
    expect(loads, path).toEqual([]);
  }
});

test("the HTML of pages stays within what the size report reserves for it", async ({ page }) => {
  const { runs } = await (await page.request.get("/api/runs?limit=1&q=is:looping")).json();
  const limits = { "/runs": 20_000, [`/runs/${runs[0].id}`]: 14_000, "/launch?template=built-in-tool-fails": 17_000, "/api/docs": 14_000 };
  for (const [path, limit] of Object.entries(limits)) {
    const loaded = page.waitForResponse((response) => response.url().endsWith(path));
    await page.goto(path);
    await page.locator("html[data-js]").waitFor();
    const { responseBodySize } = await (await loaded).request().sizes();
    expect(responseBodySize, path).toBeLessThan(limit);
  }
});
