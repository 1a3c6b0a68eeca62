// A run with 100,000 events in a real browser: the time until it is interactive, and the longest task while it is used.
//   node bench/big-log.mjs URL RUN     one figure per line, as JSON

import { chromium } from "@playwright/test";

const [url, run] = process.argv.slice(2);
const page_url = `${url}/runs/${run}`;
const LOADS = 7;

const browser = await chromium.launch({ executablePath: process.env.RUNLENS_CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.addInitScript(() => {
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.tasks.push(task.duration);
  }).observe({ type: "longtask", buffered: true });
  // The client marks the document when it is hydrated.
  new MutationObserver(() => {
    if (document.documentElement.hasAttribute("data-js")) window.interactive ??= performance.now();
  }).observe(document, { attributes: true, childList: true, subtree: true });
});

await page.goto(`${url}/auth/start`);
await page.getByRole("button", { name: "Approve" }).click();
await page.waitForURL(/\/runs/);

const loads = [];
for (let i = 0; i < LOADS; i++) {
  await page.goto(page_url);
  await page.waitForFunction(() => window.interactive !== undefined);
  loads.push(await page.evaluate(() => window.interactive));
}
loads.sort((a, b) => a - b);
figure("interactive in a browser, median", loads[Math.floor(LOADS / 2)], 1_500);

await page.waitForLoadState("networkidle");
await longest("scrolling through its rows", async () => {
  for (let i = 0; i < 40; i++) {
    await page.mouse.wheel(0, 1_500);
    await settled();
  }
});
await longest("paging to later rows", async () => {
  for (let i = 0; i < 3; i++) {
    const before = page.url();
    await page.locator(".row-pager a").last().click();
    await page.waitForURL((url) => url.href !== before);
    await settled();
  }
});
await page.goto(page_url);
await page.waitForFunction(() => window.interactive !== undefined);
await longest("stepping and scrubbing", async () => {
  await page.locator("body").click({ position: { x: 5, y: 5 } });
  const last = 100_000;
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(new RegExp(`at=${last - i}`));
    await settled();
  }
});
await page.goto(`${page_url}?focus=99990`);
await page.waitForFunction(() => window.interactive !== undefined);
await longest("opening a tool result of 2 MB", async () => {
  await page.locator(".call-line a.toggle").last().click();
  await page.locator(".call-body").waitFor();
  await settled();
});
await browser.close();

/** Reports the longest task of the page during an action. */
async function longest(name, act) {
  await page.evaluate(() => (window.tasks = []));
  await act();
  const tasks = await page.evaluate(() => window.tasks);
  figure(`longest task, ${name}`, Math.max(0, ...tasks), 100);
}

/** Waits for two frames. */
async function settled() {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

function figure(name, value, limit) {
  console.log(JSON.stringify({ name, value, limit }));
}
