import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Rules of WCAG 2.2 at level AA, and best practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Lists what axe finds against a page, and whether it is wider than its window. */
export async function listBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    rules => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: rules }),
    RULES,
  )
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    ...(Number(overflow) > 0 ? [`wider than the window by ${overflow}`] : []),
  ]
}
