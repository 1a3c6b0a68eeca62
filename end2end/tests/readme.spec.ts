// The README's picture. Written only when asked for, since every run of it differs in its times; alone, so that the list
// has nobody's tests in it. After `cargo xtask build`, with RUNLENS_CHROMIUM naming the browser:
//   RUNLENS_README=1 npx playwright test readme

import { expect, signIn, test } from "../fixtures.ts";

test("the list as the README shows it", async ({ page }) => {
  test.skip(!process.env.RUNLENS_README, "only when asked for");
  await page.setViewportSize({ width: 1280, height: 720 });
  await signIn(page);
  // What logs show is marked once they have been read, soon after the first look.
  await expect(async () => {
    await page.reload();
    await page.locator("html[data-js]").waitFor();
    await expect(page.locator("table.runs .mark").first()).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.screenshot({ path: "../docs/runs.png" });
});
