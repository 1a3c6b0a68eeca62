import { expect, test } from "../fixtures.ts";

test("the server is alive and ready", async ({ page, problems }) => {
  // A plain text names no icon, so the browser guesses one.
  problems.allow(/favicon\.ico/);
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
  }
});
