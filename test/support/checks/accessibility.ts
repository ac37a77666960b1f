import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { projectRoot } from '../../../pipeline/core/project-root.ts'

/** Rules of WCAG 2.2 at level AA, and best practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The rules above that look at colors, all that a dark window changes. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** The minified axe, which a browser reads in half the time of the other one. */
const source = readFileSync(join(projectRoot, 'node_modules/axe-core/axe.min.js'), 'utf8')

type WithAxe = { axe?: typeof axe }

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 800 }

/**
 * Shows a page in a light or dark window of a size. It is not loaded again: it has no script that looks at either.
 * Colors change at once, for what is judged is where a transition ends.
 */
export async function showIn(
  page: Page,
  colorScheme: 'light' | 'dark',
  viewport: typeof phone,
): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.setViewportSize(viewport)
}

/** Lists what the rules of axe find against a page, and whether it or a navigation is wider than there is room. */
export async function listBarriers(page: Page, runOnly = RULES): Promise<string[]> {
  const isThere = await page.evaluate(() => (globalThis as WithAxe).axe !== undefined)
  if (!isThere) await page.evaluate(source)
  // Only what fails is handed over: what passes is megabytes of every page.
  const violations = await page.evaluate(async runOnly => {
    const { axe } = globalThis as unknown as Required<WithAxe>
    const found = await axe.run({ runOnly, resultTypes: ['violations'] })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  }, runOnly)
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  const cut = await page.evaluate(
    "[...document.querySelectorAll('nav, nav *')].filter(e => getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth).length",
  )
  return [
    ...violations,
    ...(Number(overflow) > 0 ? [`wider than the window by ${overflow}`] : []),
    ...(Number(cut) > 0 ? ['a navigation is cut'] : []),
  ]
}
