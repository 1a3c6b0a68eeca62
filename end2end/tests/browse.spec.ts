import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { type Event, imported } from "../support/import.ts";
import { finishedRun, startRun } from "../support/sandbox.ts";

test.beforeEach(async ({ page }) => {
  await signIn(page);
  await page.locator("html[data-js]").waitFor();
});

const rows = "table.runs tbody tr";

test("facets filter the list, show selected values, and remove them", async ({ page }) => {
  const failed = page.locator(".facets a", { hasText: "failed" }).first();
  const count = Number((await failed.locator(".facet-count").textContent())!.replaceAll(",", ""));
  await failed.click();
  await expect(page).toHaveURL(/q=status:failed$/);
  await expect(page.locator(rows)).toHaveCount(Math.min(count, 25));
  await page.getByRole("link", { name: "Remove failed" }).click();
  await expect(page).toHaveURL(/q=$/);
});

test("a bar of the chart links to its time range, and dragging selects several", async ({ page }) => {
  const bars = page.locator(".chart-bars a");
  await expect(bars.first()).toHaveAttribute("href", /since:.*before:/);
  await bars.last().click();
  await expect(page).toHaveURL(/since:/);
  await page.locator(".time-range summary").click();
  await page.getByRole("link", { name: "All time" }).click();
  // The address changes before the list does, and the new list has a new chart.
  await expect(page.getByRole("link", { name: "Remove the filter since" })).toHaveCount(0);
  const box = (await page.locator(".chart-bars").boundingBox())!;
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + 3, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, middle, { steps: 5 });
  await expect(page.locator(".chart-selection")).toBeVisible();
  await page.mouse.up();
  await expect(page).toHaveURL(/since:.*before:/);
});

test("views are saved, shared, renamed, made the default and deleted", async ({ page }) => {
  await page.goto("/runs?q=env:prod+status:failed");
  await page.locator("html[data-js]").waitFor();
  await page.locator("summary", { hasText: "Save view" }).click();
  await page.getByLabel("Name").fill("Production failures");
  await page.getByRole("button", { name: "Save view" }).click();
  const views = page.getByRole("navigation", { name: "Views" });
  await expect(views.getByRole("link", { name: "Production failures" })).toHaveAttribute("aria-current", "page");

  await page.locator("summary", { hasText: "View options" }).click();
  await takeScreenshots(page, "runs-view-menu");
  await page.getByLabel("Name").fill("Prod failures");
  await page.getByLabel("Share with the workspace").check();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(views.getByRole("link", { name: "Prod failures" })).toBeVisible();

  await page.locator("summary", { hasText: "View options" }).click();
  await page.getByRole("button", { name: "Set as default" }).click();
  await expect(views.getByTitle(/your default view/)).toHaveText("Prod failures");
  await page.goto("/runs");
  await page.locator("html[data-js]").waitFor();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  await views.getByRole("link", { name: "All" }).click();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toHaveCount(0);

  await views.getByRole("link", { name: "Prod failures" }).click();
  await page.locator("summary", { hasText: "View options" }).click();
  await page.locator("summary", { hasText: "Delete view" }).click();
  await page.getByRole("button", { name: "Delete this view" }).click();
  await expect(views.getByRole("link", { name: "Prod failures" })).toHaveCount(0);
});

test("columns are chosen and remembered", async ({ page }) => {
  await page.locator("summary", { hasText: "Display" }).click();
  await page.getByRole("checkbox", { name: "Turns" }).check();
  await page.getByLabel("Model").uncheck();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("columnheader", { name: "Turns" })).toBeVisible();
  await page.goto("/runs?q=env:prod");
  await expect(page.getByRole("columnheader", { name: "Turns" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Model" })).toHaveCount(0);
});

test("the run's name stays readable with all columns", async ({ page, isMobile }) => {
  test.skip(isMobile, "narrow screens have cards");
  await page.setViewportSize({ width: 1440, height: 900 });
  const menu = page.locator("summary", { hasText: "Display" });
  await menu.click();
  // What the style leaves out at this width is not said to be shown.
  await expect(page.getByRole("columnheader", { name: "Model" })).toHaveCount(0);
  await expect(page.getByLabel("Model")).toHaveAccessibleName(/on wider screens/);
  for (const name of ["Output", "Turns", "Session"]) await page.getByRole("checkbox", { name }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("columnheader", { name: "Model" })).toBeVisible();
  await takeScreenshots(page, "runs-all-columns");
  const widths = await page.locator("table.runs thead").evaluate((head) => {
    const cells = [...head.querySelectorAll("th")];
    return { run: cells[2]!.clientWidth, scrolled: head.closest("div")!.scrollWidth > head.closest("div")!.clientWidth };
  });
  expect(widths.run).toBeGreaterThan(200);
  expect(widths.scrolled).toBe(true);
  await menu.click();
  await expect(page.getByLabel("Model")).toHaveAccessibleName("Model");
});

test("an empty list announces the first run", async ({ page, request }) => {
  const name = `announced-${Date.now()}`;
  await page.goto(`/runs?q=name:${name}`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.getByRole("heading", { name: "No matching runs" })).toBeVisible();
  await startRun(request, "/say Hello.", { name });
  await page.getByRole("button", { name: "1 new run" }).click({ timeout: 20_000 });
  await expect(page.locator(rows)).toHaveCount(1);
});

test("a filter keeps its percent signs, and its URL has no other parameters", async ({ page }) => {
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.fill('note:"50%20off"');
  await filter.press("Enter");
  await expect(page.locator(".filter-field .chip")).toHaveText("note:50%20off");
  await expect(page).toHaveURL(/\/runs\?q=note%3A%2250%2520off%22$/);
  await expect(page.locator(".notice")).toContainText("No run here has the metadata key `note`");
});

test("the progress of the sync is shown", async ({ page }) => {
  await expect(page.locator(".sync")).toContainText(/\d+ (runs|of about)/);
});

test("a run is opened by its id", async ({ page, request }) => {
  const id = await finishedRun(request, "/say Hello.");
  await page.getByLabel("Open a run by its id").fill(id);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${id}$`));
});

test("keys and values are completed from the keyboard", async ({ page }) => {
  const filter = page.getByRole("combobox", { name: "Filter" });
  await filter.pressSequentially("cust");
  await expect(page.getByRole("option", { name: /^customer:/ })).toBeVisible();
  await filter.press("ArrowDown");
  await expect(page.getByRole("option", { selected: true })).toHaveText(/^customer:/);
  await filter.press("Enter");
  await expect(filter).toHaveValue("customer:");
  await expect(page.getByRole("option").first()).toContainText("runs");
  await takeScreenshots(page, "runs-completion");
  await filter.press("ArrowDown");
  await filter.press("Enter");
  await expect(filter).toHaveValue(/^customer:\S+ $/);
  await filter.press("Enter");
  await expect(page.locator(".filter-field .chip")).toContainText(/^customer:/);
});

test("all errors are marked at their positions", async ({ page, problems }) => {
  problems.allow(/400 \(Bad Request\)/);
  await page.goto("/runs?q=env:prod+status:lost+tokens:many");
  await expect(page.locator(".fault-place mark")).toHaveText(["lost", "many"]);
  await expect(page.locator("#filter-error p")).toHaveCount(2);
  await expect(page.getByRole("combobox", { name: "Filter" })).toHaveValue("env:prod status:lost tokens:many");
  await expectAccessible(page);
});

test("the preview opens by click, moves with J and K, opens the run with Enter, closes with Escape", async ({ page }) => {
  const names = await page.locator("a.run-name").evaluateAll((links) => links.map((link) => link.getAttribute("href")!));
  await page.locator(`${rows} .cell-status`).first().click();
  const panel = page.getByRole("complementary", { name: "Preview" });
  await expect(panel).toBeVisible();
  await expect(page).toHaveURL(/preview=/);
  await expect(page.locator(rows).first()).toHaveAttribute("aria-current", "true");
  await expectAccessible(page);
  await takeScreenshots(page, "runs-preview");
  await page.keyboard.press("j");
  await expect(page.locator(rows).nth(1)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("j");
  await expect(page.locator(rows).nth(2)).toHaveAttribute("aria-current", "true");
  // The way back leads out of the panel, not through every run that was looked at.
  await page.goBack();
  await expect(panel).toHaveCount(0);
  await page.goForward();
  await expect(page.locator(rows).nth(2)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("k");
  await expect(page.locator(rows).nth(1)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("k");
  await expect(page.locator(rows).first()).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(panel).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${names[0]}$`));
});

test("J continues on the next page of the list, and K returns to the end of the previous one", async ({ page }) => {
  const last = page.locator(rows).last();
  const name = await last.locator("a.run-name").getAttribute("href");
  await last.locator(".cell-status").click();
  await expect(last).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("j");
  await expect(page).toHaveURL(/cursor=/);
  await expect(page.locator(rows).first()).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("k");
  await expect(page).not.toHaveURL(/cursor=/);
  await expect(page.locator(`${rows}[aria-current] a.run-name`)).toHaveAttribute("href", name!);
});

test("a view is updated with the current filter", async ({ page }) => {
  await page.goto("/runs?q=env:prod");
  await page.locator("html[data-js]").waitFor();
  await page.locator("summary", { hasText: "Save view" }).click();
  await page.getByLabel("Name").fill("Watched");
  await page.getByRole("button", { name: "Save view" }).click();
  const view = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Watched" });
  await expect(view).toHaveAttribute("aria-current", "page");

  const bar = page.getByRole("combobox", { name: "Filter" });
  await bar.fill("status:failed ");
  await bar.press("Enter");
  await expect(page.getByRole("link", { name: "Remove the filter status:failed" })).toBeVisible();
  await page.locator("summary", { hasText: "Save view" }).click();
  await page.getByRole("button", { name: "Update view" }).click();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "All" }).click();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toHaveCount(0);
  await view.click();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Remove the filter status:failed" })).toBeVisible();

  await page.locator("summary", { hasText: "View options" }).click();
  await page.locator("summary", { hasText: "Delete view" }).click();
  await page.getByRole("button", { name: "Delete this view" }).click();
  await expect(view).toHaveCount(0);
});

test("rows of running runs change in place, and new runs are announced", async ({ page, request }) => {
  const tools = [{ kind: "local", name: "ask", description: "Asks.", parameters: { type: "object" } }];
  const running = await startRun(request, "/call ask {}\n/say Done.", { tools, name: "waits" });
  await expect(async () => {
    await page.goto(`/runs?q=id:${running}`);
    await expect(page.locator(`${rows} .status`)).toHaveText("running", { timeout: 500 });
  }).toPass();
  await page.locator("html[data-js]").waitFor();
  const cancelled = await request.post(
    `${process.env.RUNLENS_SANDBOX_URL}/api/v1/workspaces/demo/agent-runs/${running}/cancel`,
    { headers: { Authorization: "Bearer mantyx_sandbox_demo" } },
  );
  expect(cancelled.ok()).toBe(true);
  await expect(page.locator(`${rows} .status`)).toHaveText("cancelled", { timeout: 20_000 });

  const name = `counted-${Date.now()}`;
  await finishedRun(request, "/say First.", { name });
  await expect(async () => {
    await page.goto(`/runs?q=name:${name}`);
    await expect(page.locator(rows)).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.locator("html[data-js]").waitFor();
  await finishedRun(request, "/say Second.", { name });
  const news = page.getByRole("button", { name: "1 new run" });
  await expect(news).toBeVisible({ timeout: 20_000 });
  await expect(page.locator(rows)).toHaveCount(1);
  await news.click();
  await expect(page.locator(rows)).toHaveCount(2);
});

test("the preview says where a word is that is only in a tool call", async ({ page, request }) => {
  const log: Event[] = [
    ["assistant_message", { text: "", toolCalls: [{ id: "c", name: "look_up", input: { query: "zanzibar" } }] }],
    ["tool_result", { toolUseId: "c", name: "look_up", result: "The tariff is 77 quetzals." }],
    ["result", { subtype: "success", text: "Done." }],
  ];
  const id = await imported(request, log);
  await page.goto(`/runs?q=quetzal&preview=${id}`);
  const place = page.locator(".preview-panel .match-place");
  await expect(place).toHaveText("“quetzal” is in the result of look_up #2");
  await expectAccessible(page);
  await takeScreenshots(page, "runs-preview-match");
  await place.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/runs/${id}\\?focus=2`));
  await page.goto(`/runs?q=zanz&preview=${id}`);
  await expect(place).toContainText("in the arguments of look_up");
  await page.goto(`/runs?q=done&preview=${id}`);
  await expect(page.locator(".preview-panel h2")).toBeVisible();
  await expect(place).toHaveCount(0);
});
