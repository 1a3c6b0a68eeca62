import { defineConfig, devices } from "@playwright/test";

// Chromium must not talk to anyone but the server under test.
const quiet = [
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
];
const isRoot = process.getuid?.() === 0;

const desktop = {
  ...devices["Desktop Chrome"],
  launchOptions: {
    executablePath: process.env.RUNLENS_CHROMIUM || undefined,
    args: isRoot ? ["--no-sandbox", ...quiet] : quiet,
  },
};

export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  globalSetup: "./support/server.ts",
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  workers: 1,
  timeout: 30_000,
  expect: { timeout: 5_000 },
  reporter: [["list"]],
  use: { screenshot: "only-on-failure", trace: "retain-on-failure" },
  projects: [
    { name: "chromium", testIgnore: "no-js/**", use: desktop },
    { name: "no-js", testMatch: "no-js/**", use: { ...desktop, javaScriptEnabled: false } },
  ],
});
