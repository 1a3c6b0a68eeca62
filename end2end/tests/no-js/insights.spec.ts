// Insights without scripts: forms and links.

import { expect, signIn, test } from "../../fixtures.ts";

test("figures are readable, filtered by forms and lead to their runs", async ({ page }) => {
  await signIn(page, "owner@demo.test", "/insights?q=since:30d");
  await expect(page.locator(".rate-tile")).toHaveCount(6);
  await page.locator(".chart-data summary").first().click();
  await expect(page.getByRole("region", { name: "Runs over time" }).locator("tbody tr").first()).toBeVisible();
  await page.getByRole("navigation", { name: "By" }).getByRole("link", { name: "env" }).click();
  await expect(page.getByRole("heading", { name: "By env" })).toBeVisible();
  await page.getByRole("combobox", { name: "Filter" }).fill("env:prod");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("link", { name: "Remove the filter env:prod" })).toBeVisible();
  const row = page.locator("section[aria-labelledby=breakdown] tbody tr");
  await expect(row).toHaveCount(1);
  const runs = (await row.locator("td").first().textContent())!.replace(/\D/g, "");
  await row.getByRole("link", { name: "prod" }).click();
  await expect(page.locator(".sync .matching")).toHaveText(`${runs} matching`);
  await page.locator(".chart-peak summary").click();
  await page.locator(".chart-peak").getByRole("link", { name: "cost" }).click();
  await expect(page.locator(".chart-peak")).toContainText("peak $");
});
