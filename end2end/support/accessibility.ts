// Accessibility checks with axe.

import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Rules that axe leaves out by default, although they are about WCAG A and AA or good practice. */
const alsoEnabled = ["label-content-name-mismatch", "td-has-header", "table-fake-caption", "p-as-heading", "css-orientation-lock"];

/** No violation of any rule: WCAG A and AA, and axe's best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  const rules = Object.fromEntries(alsoEnabled.map((rule) => [rule, { enabled: true }]));
  const { violations } = await new AxeBuilder({ page }).options({ rules }).analyze();
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `    ${html}`).join("\n")}`,
  );
  expect(found, "the page must be accessible").toEqual([]);
}
