// Pictures of a page for people to look at, in both colour schemes and two widths.

import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";

const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
const schemes = ["light", "dark"] as const;

/** Writes `<name>-<scheme>-<size>.png` into the folder RUNLENS_SCREENSHOTS; does nothing when that is unset. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  const folder = process.env.RUNLENS_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport);
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-${size}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
}
