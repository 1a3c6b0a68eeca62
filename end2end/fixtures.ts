// The fixtures of every test: a page that fails its test on any error, and the helpers.

import { test as base } from "@playwright/test";
import { Problems } from "./support/problems.ts";

export { expect } from "@playwright/test";
export { expectAccessible } from "./support/accessibility.ts";
export { takeScreenshots } from "./support/screenshots.ts";
export { signIn, signInAgain } from "./support/sign-in.ts";

export const test = base.extend<{ problems: Problems }>({
  // Read when a test runs: the server's address is known only after it has started.
  baseURL: async ({}, use) => use(process.env.RUNLENS_URL),

  problems: [
    async ({ context, baseURL, javaScriptEnabled }, use) => {
      const problems = new Problems(new URL(baseURL ?? "").origin);
      await problems.watch(context, javaScriptEnabled ?? true);
      await use(problems);
      problems.expectNone();
    },
    { auto: true },
  ],
});
