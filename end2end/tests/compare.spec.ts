import { expect, signIn, takeScreenshots, test } from "../fixtures.ts";
import { finishedRun } from "../support/sandbox.ts";

test.beforeEach(async ({ page }) => signIn(page));

test("a failed run is compared with the most similar successful one", async ({ page, request }) => {
  const like = { name: `twin-${Date.now()}`, metadata: { customer: "acme" } };
  const good = await finishedRun(request, "/say All is well.", like);
  const bad = await finishedRun(request, "/say All is\n/truncate", like);
  // The list is synced at most every two seconds.
  await expect(async () => {
    await page.goto(`/runs?q=name:${like.name}`);
    await expect(page.locator("a.run-name")).toHaveCount(2, { timeout: 1_000 });
  }).toPass();
  await page.goto(`/runs/${bad}`);
  await page.getByRole("link", { name: "Compare" }).click();
  await expect(page.locator(".notice", { hasText: "most similar successful run" })).toContainText("customer:acme");
  await expect(page.locator(`.compare-head a[href="/runs/${good}"]`)).toBeVisible();
  await expect(page.locator(".spec-differences")).toContainText("/prompt");
  await takeScreenshots(page, "compare-twin");
});

test("a run without a similar one says so", async ({ page, request }) => {
  const lonely = await finishedRun(request, "/say Alone.", { name: `lonely-${Date.now()}` });
  await page.goto(`/compare?left=${lonely}`);
  await expect(page.getByRole("heading", { name: "No similar run found" })).toBeVisible();
});
