import { expect, expectAccessible, signIn, takeScreenshots, test } from "../fixtures.ts";
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
  await expect(page.locator(".setup-differences")).toContainText("Prompt");
  await takeScreenshots(page, "compare-twin");
});

test("a run without a similar one says so", async ({ page, request }) => {
  const lonely = await finishedRun(request, "/say Alone.", { name: `lonely-${Date.now()}` });
  await page.goto(`/compare?left=${lonely}`);
  await expect(page.getByRole("heading", { name: "No similar run found" })).toBeVisible();
});

test("differences in the set-up are listed, and repeated calls are folded", async ({ page, request }) => {
  const tools = [{ kind: "mantyx_plugin", name: "recall" }];
  const name = `folded-${Date.now()}`;
  const left = await finishedRun(request, '/repeat 5\n/call recall {"query":"x"}\n/say Done.', { name, tools, metadata: { customer: "acme" } });
  const right = await finishedRun(request, "/say Done.", { name, tools: [], metadata: { customer: "globex" } });
  await page.goto(`/compare?left=${left}&right=${right}`);
  await page.locator("html[data-js]").waitFor();
  const setup = page.locator(".setup-differences tbody tr");
  await expect(setup.filter({ hasText: "Metadata, customer" })).toContainText("acme");
  await expect(setup.filter({ hasText: "Metadata, customer" })).toContainText("globex");
  await expect(setup.filter({ hasText: "Prompt" })).toHaveCount(1);
  await expect(setup.locator("th").filter({ hasText: /^Name$/ })).toHaveCount(0);
  const repeats = page.locator(".compare-repeats");
  await expect(repeats).toHaveCount(1);
  await expect(repeats.locator(".compare-turn").first()).toBeHidden();
  await repeats.locator("summary").click();
  await expect(repeats.locator(".compare-turn").first()).toBeVisible();
  await expectAccessible(page);
  await takeScreenshots(page, "compare-folded");
});
