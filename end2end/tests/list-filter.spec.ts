// Filtering, sorting and selecting in the list of runs.

import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";

const rows = "table.runs tbody tr";
const chips = ".filter-field .chip";

test.beforeEach(async ({ page }) => {
  await signIn(page);
  await page.locator("html[data-js]").waitFor();
});

test("chips are inside the field; a slash focuses it, and Backspace removes the last chip", async ({ page }) => {
  await page.goto("/runs?q=env:prod+status:failed");
  await page.locator("html[data-js]").waitFor();
  await page.keyboard.press("/");
  const filter = page.getByRole("combobox", { name: "Filter" });
  await expect(filter).toBeFocused();
  await expect(filter).toHaveValue("");
  await expect(page.locator(chips)).toHaveText(["env:prod", "status:failed"]);
  await page.keyboard.press("Backspace");
  await expect(page.locator(chips)).toHaveText(["env:prod"]);
  await expect(filter).toBeFocused();
  await page.keyboard.type("x/y");
  await page.keyboard.press("Backspace");
  await expect(filter).toHaveValue("x/");
  await expect(page.locator(chips)).toHaveText(["env:prod"]);
  await page.keyboard.press("Enter");
  await expect(page.locator(chips)).toHaveText(["env:prod", "x/"]);
  await expect(page).toHaveURL(/\/runs\?q=env%3Aprod\+x%2F$/);
});

test("several values of a key are ticked, and the others stay listed with their counts", async ({ page }) => {
  const group = page.locator(".facet", { has: page.locator("summary", { hasText: /^customer$/ }) });
  const texts = () => group.locator("a").evaluateAll((links) => links.map((link) => link.textContent!.trim().replace(/^Remove /, "")));
  const before = await texts();
  const names = await group.locator(".facet-value").allTextContents();
  await group.locator("a", { hasText: names[0]! }).click();
  await expect(page).toHaveURL(new RegExp(`q=customer:${names[0]}$`));
  await expect(group.locator("a[aria-current]")).toHaveCount(1);
  expect(await texts()).toEqual(before);
  await group.locator("a", { hasText: names[1]! }).click();
  await expect(page).toHaveURL(new RegExp(`q=customer:${names[0]},${names[1]}$`));
  await expect(group.locator("a[aria-current]")).toHaveCount(2);
  expect(await texts()).toEqual(before);
  await expectAccessible(page);
  await takeScreenshots(page, "runs-two-values");
  await group.locator("a", { hasText: names[0]! }).click();
  await expect(page.locator(chips)).toHaveText([`customer:${names[1]}`]);
});

test("the number of matching runs is shown", async ({ page }) => {
  await page.goto("/runs?q=status:failed");
  const failed = page.locator(".facets a", { hasText: "failed" }).first().locator(".facet-count");
  await expect(page.locator(".sync")).toContainText(new RegExp(`^${await failed.textContent()} matching of \\d+ runs`));
  await page.goto("/runs?q=");
  await expect(page.locator(".sync")).not.toContainText("matching");
});

test("headers sort the list, and only the current one has an arrow", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const header = (name: string) => page.getByRole("columnheader", { name });
  await expect(header("Created")).toHaveAttribute("aria-sort", "descending");
  await header("Duration").getByRole("link").click();
  await expect(page).toHaveURL(/sort=-duration/);
  await expect(header("Duration")).toHaveAttribute("aria-sort", "descending");
  await expect(header("Created")).not.toHaveAttribute("aria-sort");
  await expect(page.locator("table.runs th .icon")).toHaveCount(1);
  await header("Cost").getByRole("link").click();
  await expect(header("Cost")).toHaveAttribute("aria-sort", "descending");
  const costs = async () => {
    const cells = await page.locator(`${rows} td.col-cost`).allTextContents();
    return cells.map((text) => Number(text.replace(/[<$]/g, "")));
  };
  const largest = await costs();
  expect(largest).toEqual([...largest].sort((one, other) => other - one));
  await header("Cost").getByRole("link").click();
  await expect(page).toHaveURL(/sort=cost/);
  await expect(header("Cost")).toHaveAttribute("aria-sort", "ascending");
  // The order stays when the filter changes and on the next page.
  await page.getByRole("link", { name: "Next page" }).click();
  await expect(page).toHaveURL(/sort=cost.*cursor=/);
  await page.locator(".facets a", { hasText: "succeeded" }).first().click();
  await expect(page).toHaveURL(/sort=cost&q=status:succeeded$/);
  await expect(header("Cost")).toHaveAttribute("aria-sort", "ascending");
});

test("a time range is picked, shown by the chart, and kept by other filters", async ({ page }) => {
  const picker = page.locator(".time-range summary");
  await expect(picker).toContainText("All time");
  await picker.click();
  await expectAccessible(page);
  await takeScreenshots(page, "runs-time-range");
  await page.getByRole("link", { name: "Last 7 days" }).click();
  await expect(page).toHaveURL(/q=since:7d$/);
  await expect(picker).toContainText("Last 7 days");
  await expect(page.locator(".time-range")).not.toHaveAttribute("open");
  await expect(page.locator(".chart-peak")).toHaveText(/^peak \d+ per bar/);
  await expect(page.locator(".chart-ticks text").first()).toHaveText(/^[A-Z][a-z]{2} \d+$/);
  const days = await page.locator(".chart").evaluate((chart) => {
    const [from, to] = chart.getAttribute("aria-label")!.match(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g)!.map((time) => Date.parse(`${time}Z`));
    return Math.round((to! - from!) / 86_400_000);
  });
  expect(days).toBe(7);
  await page.locator(".facets a", { hasText: "succeeded" }).first().click();
  await expect(page.locator(chips)).toHaveText(["since:7d", "status:succeeded"]);

  await picker.click();
  const day = (offset: number) => new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("From", { exact: true }).fill(day(20));
  await page.getByLabel("Before", { exact: true }).fill(day(2));
  await page.getByRole("button", { name: "Apply" }).last().click();
  await expect(page.locator(chips)).toHaveText(["status:succeeded", `since:${day(20)}`, `before:${day(2)}`]);
  await expect(picker).toContainText(`${day(20)} – ${day(2)}`);
});

test("selected runs are compared, relaunched and exported", async ({ page }) => {
  const links = page.locator("a.run-name");
  const ids = (await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")!))).map((href) => href.split("/").pop()!);
  const boxes = page.locator(`${rows} input[type=checkbox]`);
  const button = (name: string) => page.locator(".selection").getByRole("button", { name });
  await expect(page.locator(".selection")).toBeHidden();
  await boxes.nth(0).check();
  await expect(page.locator(".selection-count")).toHaveText("1 selected");
  await expect(button("Compare")).toBeDisabled();
  await expect(button("Relaunch")).toBeEnabled();
  await boxes.nth(1).check();
  await expect(button("Relaunch")).toBeDisabled();
  await expectAccessible(page);
  await takeScreenshots(page, "runs-selected");
  const files: string[] = [];
  page.on("download", (download) => files.push(download.suggestedFilename()));
  await button("Export").click();
  await expect.poll(() => [...files].sort()).toEqual([`${ids[0]}.ndjson`, `${ids[1]}.ndjson`].sort());
  await button("Compare").click();
  await expect(page).toHaveURL(new RegExp(`/compare\\?left=${ids[0]}&right=${ids[1]}$`));

  await page.goto("/runs");
  await page.locator("html[data-js]").waitFor();
  await boxes.nth(0).check();
  await button("Clear the selection").click();
  await expect(boxes.nth(0)).not.toBeChecked();
  await expect(page.locator(".selection")).toBeHidden();
  await boxes.nth(0).check();
  await button("Relaunch").click();
  await expect(page).toHaveURL(/\/launch\?like=/);
});

test("popovers close by Escape and by a click outside, and one is open at a time", async ({ page }) => {
  const open = page.locator("details[data-popover][open]");
  await expect(page.locator("summary", { hasText: "View options" }), "nothing to change in the view of all runs").toHaveCount(0);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Failed" }).click();
  await page.locator("summary", { hasText: "View options" }).click();
  await expect(open).toHaveCount(1);
  await page.locator("summary", { hasText: "Display" }).click();
  await expect(open).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Apply" }).last()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(open).toHaveCount(0);
  await expect(page.locator("summary", { hasText: "Display" })).toBeFocused();
  await page.locator(".time-range summary").click();
  await page.locator("h1").click();
  await expect(open).toHaveCount(0);

  // Escape closes the popover first, and the preview next.
  await page.keyboard.press("j");
  const panel = page.getByRole("complementary", { name: "Preview" });
  await expect(panel).toBeVisible();
  await page.locator(".time-range summary").click();
  await page.locator(".time-range .popover").click({ position: { x: 4, y: 4 } });
  await expect(open).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(open).toHaveCount(0);
  await expect(panel).toBeVisible();
  await page.locator("h1").click();
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
});

test("Enter applies what was typed, also with suggestions open or on their way", async ({ page }) => {
  const filter = page.getByRole("combobox", { name: "Filter" });
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await filter.fill("status:succeeded");
  await expect(list).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.locator(chips)).toHaveText(["status:succeeded"]);
  await expect(list).toBeHidden();
  await expect(filter).toHaveValue("");

  const held: (() => void)[] = [];
  await page.route("**/rpc/suggest?*", async (route) => {
    await new Promise<void>((release) => held.push(release));
    await route.continue();
  });
  await filter.pressSequentially("env:prod");
  await page.keyboard.press("Enter");
  await expect(page.locator(chips)).toHaveText(["status:succeeded", "env:prod"]);
  const answered = page.waitForResponse("**/rpc/suggest?*");
  held.forEach((release) => release());
  await answered;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(list).toBeHidden();
});

test("Enter picks the highlighted suggestion, and the next Enter applies it", async ({ page }) => {
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.fill("status:suc");
  const first = page.getByRole("option").first();
  await expect(first).toContainText("succeeded");
  // One that the pointer is over is not highlighted.
  await first.hover();
  const background = (option: Element) => getComputedStyle(option).backgroundColor;
  const hovered = await first.evaluate(background);
  await page.keyboard.press("ArrowDown");
  await expect(first).toHaveAttribute("aria-selected", "true");
  expect(await first.evaluate(background)).not.toBe(hovered);
  await page.keyboard.press("Enter");
  await expect(filter).toHaveValue(/^status:succeeded ?$/);
  await expect(page.locator(chips)).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.locator(chips)).toHaveText(["status:succeeded"]);
});
