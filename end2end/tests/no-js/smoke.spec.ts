import { expect, test } from "../../fixtures.ts";

test("the server serves a browser without scripts", async ({ page, problems }) => {
  problems.allow(/favicon\.ico/);
  const answer = await page.goto("/healthz");
  expect(answer?.status()).toBe(200);
});
