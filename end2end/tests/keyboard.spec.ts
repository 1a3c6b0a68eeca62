// The list and the run page by keyboard alone: the focus is always visible and never lost.

import type { Locator, Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { finishedRun } from "../support/sandbox.ts";

const recall = { tools: [{ kind: "mantyx_plugin", name: "recall" }] };
const looping = '/repeat 9\n/call recall {"query":"refund policy"}\n/say Done.';

/** Something has the focus, and it can be seen to have it. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const focus = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return "nothing";
    // The filter's field is around its text box.
    const isSeen = (part: Element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
      return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
    };
    return isSeen(element) || isSeen(element.closest(".filter-field") ?? element) ? "seen" : `not seen: ${element.outerHTML.slice(0, 120)}`;
  });
  expect(focus).toBe("seen");
}

/** Presses Tab until a thing has the focus; each stop on the way must be seen. Returns the number of stops before it. */
async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<number> {
  for (let stops = 0; stops < 120; stops++) {
    if (await target.evaluate((element) => element === document.activeElement)) return stops - 1;
    await page.keyboard.press(key);
    await expectVisibleFocus(page);
  }
  throw new Error("it cannot be reached with Tab");
}

test("the list is usable by keyboard alone, with fewer than 30 tab stops before the first row", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page);
  await page.locator("html[data-js]").waitFor();
  const stops = await tabTo(page, page.locator("table.runs tbody input").first());
  expect(stops).toBeLessThan(30);
  await page.keyboard.press(" ");
  await expect(page.locator(".selection-count")).toHaveText("1 selected");
  await page.keyboard.press("j");
  const preview = page.getByRole("complementary", { name: "Preview" });
  await expect(preview).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(preview).toHaveCount(0);
  await page.keyboard.press("/");
  await expect(page.getByRole("combobox", { name: "Filter" })).toBeFocused();
  await expectVisibleFocus(page);

  // After Escape the focus is on the popover's button, where a slash means nothing else.
  const display = page.locator("summary", { hasText: "Display" });
  await display.click();
  await page.keyboard.press("Escape");
  await expect(display).toBeFocused();
  await page.keyboard.press("/");
  await expect(page.getByRole("combobox", { name: "Filter" })).toBeFocused();
});

test("a run page is usable by keyboard alone", async ({ page, request }) => {
  test.slow();
  await signIn(page);
  const id = await finishedRun(request, looping, recall);
  await page.goto(`/runs/${id}`);
  await page.locator("html[data-js]").waitFor();

  // From a banner to its event: the keyboard goes on from there.
  const link = page.locator("[data-kind=loop_gave_up] .event-link");
  const seq = (await link.textContent())!.slice(1);
  await tabTo(page, link);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`focus=${seq}`));
  await expect(page.locator(`#e${seq}`)).toBeFocused();
  await expectVisibleFocus(page);

  // A call is opened and closed, and keeps the focus.
  const toggle = page.locator(".row.call .toggle").first();
  await tabTo(page, toggle, "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.locator(".call-body")).toBeVisible();
  await expect(toggle).toBeFocused();
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Enter");
  await expect(page.locator(".call-body")).toHaveCount(0);
  await expect(toggle).toBeFocused();
  await page.keyboard.press(" ");
  await expect(page.locator(".call-body")).toBeVisible();
  await expect(toggle).toBeFocused();
  await page.keyboard.press(" ");
  await expect(page.locator(".call-body")).toHaveCount(0);
  await expect(page).not.toHaveURL(/at=/);

  // Density.
  const everyEvent = page.getByRole("link", { name: "Events", exact: true });
  await tabTo(page, everyEvent, "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.locator(".row.event").first()).toBeVisible();
  await expect(everyEvent).toBeFocused();

  // Finding, and stepping through what was found.
  const find = page.getByPlaceholder(/Find:/);
  await tabTo(page, find);
  await page.keyboard.type("type:loop_detected");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText(/1 of \d/);
  await expect(find).toBeFocused();
  const next = page.getByRole("link", { name: "Next match" });
  await tabTo(page, next);
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText("2 of");
  await expect(next).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".hits")).toContainText("1 of");
  await expect(next).toBeFocused();

  // Tabs.
  for (const name of ["Tools", "Spec", "Loop", "Output"]) {
    const tab = page.getByRole("navigation", { name: "About this run" }).getByRole("link", { name, exact: true });
    await tabTo(page, tab, name === "Output" ? "Shift+Tab" : "Tab");
    await page.keyboard.press("Enter");
    await expect(tab).toHaveAttribute("aria-current", "page");
    await expect(tab).toBeFocused();
  }
});

test("the log is stepped and played by keys, and the help opens and closes", async ({ page, request }) => {
  await signIn(page);
  const id = await finishedRun(request, looping, recall);
  await page.goto(`/runs/${id}?at=3`);
  await page.locator("html[data-js]").waitFor();
  const position = page.locator(".replay-position");
  const link = page.locator(".run-head a").first();
  await tabTo(page, link);
  await page.keyboard.press("ArrowRight");
  await expect(position).toContainText("Event 4 of");
  await expect(link).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(position).toContainText("Event 3 of");
  await expect(link).toBeFocused();

  await page.keyboard.press(" ");
  await expect(page.getByRole("button", { name: "Pause (Space)" })).toBeVisible();
  await expect(position).not.toContainText("Event 3 of");
  await page.keyboard.press(" ");
  await expect(page.getByRole("button", { name: "Play from here (Space)" })).toBeVisible();

  const shortcuts = page.getByRole("dialog", { name: "Shortcuts" });
  await page.keyboard.press("?");
  await expect(shortcuts).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(shortcuts).toBeHidden();
  await expectVisibleFocus(page);
});
