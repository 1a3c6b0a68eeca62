import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
import { imported } from "../support/import.ts";

test.beforeEach(async ({ page }) => signIn(page));

/** A word without digits, which would be left out of a title. */
const word = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (n) => "ghijklmnopqrstuv"[n % 16]).join("");
const failure = (message: string): [string, object][] => [["error", { error: message, errorClass: "unknown" }]];

test("groups are listed with their trend and who is affected", async ({ page }) => {
  await expect(async () => {
    await page.goto("/failures");
    await expect(page.locator("table.failures tbody tr").nth(3)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  const first = page.locator("table.failures tbody tr").first();
  await expect(first.locator(".sparkline")).toHaveAttribute("aria-label", /\d+ runs?, most between/);
  await expect(first.locator(".chip").first()).toBeVisible();
  const rail = page.getByRole("navigation").getByRole("link", { name: "Failures" });
  await expect(rail).toHaveAttribute("aria-current", "page");
  await expectAccessible(page);
  await takeScreenshots(page, "failures");
  await page.getByRole("link", { name: /^Last seen/ }).click();
  await expect(page).toHaveURL(/sort=last-seen/);
  await expect(page.locator("th[aria-sort=descending]")).toContainText("Last seen");
  await page.locator("summary", { hasText: "Last 30 days" }).click();
  await page.getByRole("link", { name: "All time" }).click();
  await expect(page).toHaveURL(/since=all/);
  await expect(page.locator("table.failures tbody tr").first()).toBeVisible();
});

test("a group is resolved, reopened by a new run and muted", async ({ page, request }) => {
  const thing = word();
  const first = await imported(request, failure(`No ${thing} with the number 17`));
  await page.goto(`/runs/${first}`);
  await page.getByRole("link", { name: `No ${thing} with the number …` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`No ${thing} with the number …`);
  await page.locator("html[data-js]").waitFor();
  await expect(page.locator(".failure-section .finding")).toBeVisible();
  await page.getByRole("button", { name: "Resolve" }).click();
  await expect(page.getByText("A new run of this kind reopens it.")).toBeVisible();
  await expect(page.getByText("Resolved by owner@demo.test")).toBeVisible();

  const second = await imported(request, failure(`No ${thing} with the number 4711`));
  await page.reload();
  await expect(page.getByText("reopened by the new run")).toBeVisible();
  await expect(page.locator(`p.hint a[href="/runs/${second}"]`)).toBeVisible();
  await page.getByLabel("Note").fill("Known since the move of the warehouse.");
  await page.getByRole("button", { name: "Save note" }).click();
  await expect(page.getByText("By owner@demo.test")).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "failure");
  await page.getByRole("button", { name: "Mute" }).click();
  await expect(page.getByRole("button", { name: "Mute" })).toBeHidden();
  await page.goto("/failures?state=muted");
  await expect(page.getByRole("link", { name: `No ${thing} with the number …` })).toBeVisible();
});

test("bars and values link to the runs that they count", async ({ page, request }) => {
  const thing = word();
  for (const number of [1, 2]) await imported(request, failure(`No ${thing} ${number}`));
  await page.goto("/failures");
  await page.getByRole("link", { name: `No ${thing} …` }).click();
  await page.locator(".trend a").last().click();
  await expect(page).toHaveURL(/q=group:failed-[0-9a-f]+\+since:/);
  await expect(page.locator("table.runs tbody tr")).toHaveCount(2);
});

test("no width scrolls sideways", async ({ page }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ["/failures", "/failures?state=resolved"]) {
      await page.goto(path);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await page.goto("/failures");
    await page.locator("table.failures .run-name").first().click();
    await expect(page.locator(".trend")).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await expectAccessible(page);
  }
});

test("the palette finds the page", async ({ page }) => {
  await page.goto("/runs");
  await page.locator("html[data-js]").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("failu");
  await expect(page.getByRole("option").first()).toHaveText(/^Failures/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/failures$/);
});
