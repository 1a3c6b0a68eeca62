// The README: its filters find runs of the demo, and its pictures.

import { readFileSync } from "node:fs";
import { expect, signIn, test } from "../fixtures.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The filters that the tour suggests: code in the list of the section «Browse» that contains a colon. */
function filters(): string[] {
  const browse = readme.split("### Browse")[1]?.split("\n### ")[0] ?? "";
  const items = browse.split("\n").filter((line) => line.startsWith("- "));
  return items.flatMap((item) => [...item.matchAll(/`([^`]*:[^`]*)`/g)].map((match) => match[1] ?? ""));
}

test("the filters of the tour are valid, and the states and tools that it names exist in the demo", async ({ page }) => {
  await signIn(page);
  expect(filters().length).toBeGreaterThan(3);
  for (const filter of filters()) {
    const answer = await page.request.get(`/api/runs?limit=1&q=${encodeURIComponent(filter)}`);
    expect(answer.status(), filter).toBe(200);
    if (/^is:|tool:/.test(filter)) {
      await expect(async () => {
        const { runs } = await (await page.request.get(`/api/runs?limit=1&q=${encodeURIComponent(filter)}`)).json();
        expect(runs.length, filter).toBe(1);
      }).toPass();
    }
  }
});

// Written only on request, since they differ in their times at each run. Alone, so that the list contains no runs of other
// tests. After `cargo xtask test browser`, with RUNLENS_CHROMIUM naming the browser:
//   RUNLENS_README=1 npx playwright test readme -g pictures
test("the pictures of the list, a run and the launch form", async ({ page }) => {
  test.skip(!process.env.RUNLENS_README, "only on request");
  await page.setViewportSize({ width: 1280, height: 800 });
  await signIn(page);
  // Signals appear once the logs have been read, soon after the first visit.
  await expect(async () => {
    await page.reload();
    await page.locator("html[data-js]").waitFor();
    await expect(page.locator("table.runs .mark").first()).toBeVisible({ timeout: 500 });
    await expect(page.locator(".page-head")).not.toContainText("synced", { timeout: 500 });
  }).toPass();
  const { runs } = await (await page.request.get("/api/runs?limit=1&q=is:looping")).json();
  const pages = { runs: "/runs", run: `/runs/${runs[0].id}`, launch: "/launch?template=built-in-tool-fails" };
  for (const [name, path] of Object.entries(pages)) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(path);
      await page.locator("html[data-js]").waitFor();
      await page.screenshot({ path: `../docs/${name}-${colorScheme}.png` });
    }
  }
});
