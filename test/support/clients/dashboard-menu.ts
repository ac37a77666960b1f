import type { Page } from 'playwright-core'

/** Chooses a link or a button of the dashboard's menu, which a phone has to unfold first. */
export async function chooseInMenu(page: Page, label: string): Promise<void> {
  const summary = page.locator('.menu > summary')
  await summary.waitFor({ state: 'attached' })
  if (await summary.isVisible()) await summary.click()
  await page.click(`.menu >> text="${label}"`)
}
