import type { Page } from 'playwright-core'

/** Chooses a link or a button of the menu, which a phone has to unfold first, as all do its account. */
export async function chooseInMenu(page: Page, label: string): Promise<void> {
  await page.waitForSelector('.account', { state: 'attached' })
  const place = page
    .locator(`.account >> text="${label}"`)
    .or(page.locator(`[aria-label="Dashboard"] >> text="${label}"`))
  for (const menu of ['.menu', '.account']) {
    const summary = page.locator(`${menu} > summary`)
    if (!(await place.isVisible()) && (await summary.isVisible())) await summary.click()
  }
  await place.click()
}
