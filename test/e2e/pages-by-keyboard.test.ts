import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { AGENT, fillPages, PUBLISHER, pagePaths } from '../support/worlds/page-world.ts'

const narrow = { width: 360, height: 740 }
/** Stops of the Tab key after which a reader would have given up. */
const STOPS_MAX = 120

let browser: Browser
let registry: TestRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  registry = await openRegistry()
  await fillPages(registry)
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await browser?.close()
  await registry?.close()
})

/** Walks by Tab to the element that matches, and checks that its focus is visible. */
async function reachByTab(page: Page, selector: string): Promise<void> {
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab')
    const matches = `document.activeElement.matches(${JSON.stringify(selector)})`
    if (!(await page.evaluate(matches))) continue
    const look = 'getComputedStyle(document.activeElement)'
    const outline = await page.evaluate(`${look}.outlineStyle + ${look}.boxShadow`)
    expect([selector, outline]).not.toEqual([selector, 'nonenone'])
    return
  }
  throw new Error(`${page.url()}: no ${selector} within ${STOPS_MAX} stops`)
}

async function follow(page: Page, selector: string, address: RegExp): Promise<void> {
  await reachByTab(page, selector)
  await page.keyboard.press('Enter')
  await page.waitForURL(address)
}

test('a reader with a keyboard alone walks from the home page to a verdict and to the changes', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(origin)
  await reachByTab(page, 'input[name=q]')
  await page.keyboard.type('herald')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/search\?q=herald/)
  await follow(page, `main a[href="/publisher/${PUBLISHER}"]`, /\/publisher\//)
  await follow(page, `main a[href="/agent/${encodeURIComponent(AGENT)}"]`, /\/agent\//)
  await follow(page, 'main a[href^="/authorization?"]', /\/authorization\?/)
  expect(await page.textContent('.verdict')).toBe(
    'YesAuthorized by the publisher (the operator hasn’t confirmed it).',
  )
  await follow(page, 'nav a[href="/changes"]', /\/changes$/)
  expect(await page.textContent('h1')).toContain('hange')
  await page.close()
})

describe('on a window of 360 pixels', () => {
  let page: Page

  beforeAll(async () => {
    page = await browser.newPage({ viewport: narrow })
    return () => page.close()
  })

  test.each([...pagePaths, '/workshop', '/sql', '/data', '/brand/nobody.example', '/nowhere'])(
    '%s does not scroll sideways, and a keyboard scrolls each of its tables, which has a name',
    async path => {
      await page.goto(origin + path)
      await page.evaluate(
        'for (const each of document.querySelectorAll("details")) each.open = true',
      )
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      const regions =
        await page.evaluate(`[...document.querySelectorAll('table, pre')].map(found => {
        const region = found.closest('.scrolls, pre') ?? found
        return { tag: region.tagName, stop: region.tabIndex, name: region.ariaLabel,
          is_wide: region.scrollWidth > region.clientWidth,
          scrolls: /auto|scroll/.test(getComputedStyle(region).overflowX) }
      })`)
      type Region = {
        tag: string
        stop: number
        name: string | null
        is_wide: boolean
        scrolls: boolean
      }
      for (const { tag, stop, name, is_wide, scrolls } of regions as Region[]) {
        if (is_wide) expect([path, tag, stop, scrolls]).toEqual([path, tag, 0, true])
        if (tag !== 'PRE') expect([path, name?.trim()]).toEqual([path, expect.stringMatching(/./)])
      }
    },
  )

  test('a table that is wider than the window moves by an arrow key', async () => {
    // On a phone its rows are cards; on this one they are as long as their text.
    await page.setViewportSize({ width: 660, height: 740 })
    await page.goto(`${origin}/docs/guides/settings`)
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
    const region = 'document.querySelector(".scrolls")'
    await page.evaluate(
      `for (const cell of ${region}.querySelectorAll('td')) cell.style.whiteSpace = 'nowrap'`,
    )
    expect(await page.evaluate(`${region}.scrollWidth > ${region}.clientWidth`)).toBe(true)
    await page.focus('.scrolls')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.evaluate(`${region}.scrollLeft`)).toBeGreaterThan(0)
  })
})
