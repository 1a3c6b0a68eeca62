// Measures the time until an edit shows in an open page under `cargo xtask dev`. Each file is restored after its edits.
//   node bench/dev.mjs URL ROOT     one figure per line, as JSON

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";

const [url, root] = process.argv.slice(2);
const TIMEOUT_MS = 300_000;

const edits = [
  {
    name: "a change of a stylesheet shows",
    file: "style/base.css",
    limit: 1_000,
    rounds: 5,
    change: (text, mark) => `${text}\n:root {\n    --bench: ${mark};\n}\n`,
    shows: (mark) => getComputedStyle(document.documentElement).getPropertyValue("--bench").trim() === mark,
  },
  {
    name: "a change of a page shows",
    file: "app/src/pages/not_found.rs",
    limit: 15_000,
    rounds: 3,
    change: (text, mark) => text.replace("<h1>", `<h1 data-bench="${mark}">`),
    shows: (mark) =>
      document.querySelector("h1")?.dataset.bench === mark && document.documentElement.hasAttribute("data-js"),
  },
  {
    name: "a change of the server shows",
    file: "server/src/web/health.rs",
    limit: 8_000,
    rounds: 3,
    change: (text, mark) => text.replace('"ok"', `"ok ${mark}"`),
    shows: async (mark) =>
      document.documentElement.hasAttribute("data-js") && (await (await fetch("/healthz")).text()).includes(mark),
    // The new answer must be that of a page which was loaded after the restart.
    reloads: true,
  },
];

const originals = new Map(edits.map(({ file }) => [file, readFileSync(path.join(root, file), "utf8")]));
const restore = () => originals.forEach((text, file) => writeIfChanged(file, text));
process.on("exit", restore);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

const browser = await chromium.launch({ executablePath: process.env.RUNLENS_CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(`${url}/auth/start`);
await page.getByRole("button", { name: "Approve" }).click();
await page.waitForURL(/\/runs/);
// A page that exists in every version of the app and needs no data.
await page.goto(`${url}/no-such-page`);
await page.locator("html[data-js]").waitFor();

for (const { name, file, limit, rounds, change, shows, reloads } of edits) {
  const times = [];
  for (let round = 1; round <= rounds; round++) {
    const mark = `bench${round}`;
    if (reloads) await page.evaluate(() => void (window.isOld = true));
    const start = performance.now();
    writeIfChanged(file, change(originals.get(file), mark));
    if (reloads) await page.waitForFunction(() => !window.isOld, undefined, { timeout: TIMEOUT_MS, polling: 20 });
    await page.waitForFunction(shows, mark, { timeout: TIMEOUT_MS, polling: 20 });
    times.push(performance.now() - start);
    // The page shows a change of the client when the server restarts; both must be idle before the next edit.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ name, value: times[Math.floor(rounds / 2)], limit }));
  writeIfChanged(file, originals.get(file));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
await browser.close();

function writeIfChanged(file, text) {
  const full = path.join(root, file);
  if (readFileSync(full, "utf8") !== text) writeFileSync(full, text);
}
