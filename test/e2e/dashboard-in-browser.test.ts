import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  COLOR_RULES,
  desktop,
  listBarriers,
  phone,
  showIn,
} from '../support/checks/accessibility.ts'
import { chooseInMenu } from '../support/clients/dashboard-menu.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { openWithSignIn, type SignInRegistry } from '../support/clients/signing-in.ts'
import { type LiveHost, type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'

const TOKEN_FILE = '/.well-known/proto-ownership.txt'

const hosts: Record<string, LiveHost> = {}
let browser: Browser
let web: LiveWeb
let registry: SignInRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  web = await openLiveWeb(hosts)
  const { requestLive } = web.writer
  registry = await openWithSignIn({
    redis: web.redis.redis,
    settings: { BASE_URL: '' },
    writer: { requestLive },
    limits: { answerKeptSeconds: 0, answerKeptAtBoundSeconds: 0 },
  })
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await browser?.close()
  await registry?.close()
  await web?.close()
})

/** Measures how far down the menus of a page reach, in CSS pixels: all are in its head. */
const measureMenus = (page: Page) =>
  page.evaluate<number>('document.querySelector(".top").getBoundingClientRect().bottom + scrollY')

/** Takes a picture where somebody wants to look at the pages. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES_DIR
  if (folder !== undefined) {
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }
}

/** Saves a logo for a domain of somebody else, so that it waits for a moderator. */
async function saveLogo(domain: string): Promise<void> {
  const form = new FormData()
  form.set('file', new Blob([await readFile('docs/authorization.png')]), 'logo.png')
  const headers = { authorization: `Bearer ${await registry.createKey('Strangers')}` }
  const url = `${origin}/api/brands/${domain}/logos`
  const answer = await fetch(url, { method: 'POST', headers, body: form })
  expect(await answer.json()).toMatchObject({ review_status: 'pending' })
}

const saved = (domain: string) =>
  JSON.stringify({
    $schema: 'https://schemas.example/adagents.json',
    last_updated: '2026-11-01T00:00:00Z',
    authorized_agents: [],
    properties: [
      {
        property_id: 'site',
        property_type: 'website',
        name: 'The Gazette',
        identifiers: [{ type: 'domain', value: domain }],
        tags: ['news'],
      },
    ],
  })

/** Tells the whole story of a publisher: `look` is called on each page. */
async function tellStory(
  domain: string,
  options: BrowserContextOptions,
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    await page.goto(`${origin}/dashboard`)
    await page.fill('#email', `ann@${domain}`)
    await page.click('main button >> nth=0')
    await page.waitForSelector('h1:text("Open your link")')
    await page.goto(registry.links.at(-1)!)
    await page.click('main button')
    await page.waitForSelector('h1:text("Organizations")')
    await page.fill('#name', `The Gazette of ${domain}`)
    await page.click('text=Create organization')
    await page.waitForSelector('text=Organization created')
    await look(page, 'organizations')

    await chooseInMenu(page, 'Keys')
    await page.fill('#name', 'Planner')
    await page.click('text=Create key')
    await page.waitForSelector('#secret')
    expect(await page.inputValue('#secret')).toMatch(/^sk_/)
    await look(page, 'new-key')
    await page.click('text=I have copied it')
    await look(page, 'keys')

    await chooseInMenu(page, 'Domains')
    await page.fill('#domain', domain)
    await page.click('button:text("Verify domain")')
    await page.waitForSelector('text=Publish this token')
    await look(page, 'challenge')
    await page.click('text=Verify now')
    await page.waitForSelector('text=The token isn’t in either place yet')
    await look(page, 'not-there')
    const nonce = await page.inputValue('input[name=nonce] >> nth=0')
    await chooseInMenu(page, 'Domains')
    await page.waitForSelector(`#pending >> text=${domain}`)
    await look(page, 'pending')
    await page.click('#pending >> text=Verify now')
    await page.waitForSelector('text=A token is shown only once')
    await look(page, 'without-token')
    hosts[domain] = { [TOKEN_FILE]: nonce }
    await page.click('text=Verify now')
    await page.waitForSelector('text=Domain verified')
    await look(page, 'verified')
    await page.goto(page.url().replace(/entries.*/, 'domains'))
    await look(page, 'domains')

    await page.click(`tbody >> text=${domain}`)
    await page.click('text=Host an adagents.json')
    await page.fill('#text', '{"authorized_agents": 1, "properties": []}')
    await page.click('button:text("Review")')
    await page.waitForSelector('text=Fix it to continue')
    await look(page, 'faulty')
    await page.fill('#text', saved(domain))
    await page.click('button:text("Review")')
    await page.waitForSelector('text=What will be served')
    await look(page, 'preview')
    await page.click('button:text-is("Publish")')
    await page.waitForSelector('text=The adagents.json is now hosted')
    await look(page, 'published')
    await page.click('#properties >> text=Edit')
    await page.waitForSelector('#text')
    await look(page, 'edit')
    await page.click('text=Cancel')
    await page.click('#properties >> text=Stop hosting')
    await page.waitForSelector('h1:text("Stop hosting")')
    await look(page, 'stop')
    await page.click('text=Keep it')
    await chooseInMenu(page, 'Agents')
    await look(page, 'agents')
    await chooseInMenu(page, 'People')
    await look(page, 'people')
    await page.fill('#email', `bob@${domain}`)
    await page.click('button:text("Invite")')
    await page.waitForSelector('h1:text("Invited")')
    await look(page, 'invited')
    await page.click('text=Back to People')
    await page.waitForSelector(`#invitations >> text=bob@${domain}`)
    await look(page, 'people-invited')
    await chooseInMenu(page, 'Audit log')
    await page.waitForSelector('text=Invited a person')
    await look(page, 'audit')
    await chooseInMenu(page, 'Usage')
    await page.waitForSelector('text=Saves per person or key per hour')
    expect(await page.textContent('tbody >> nth=0')).toContain('of 60')
    await look(page, 'usage')
    await chooseInMenu(page, 'Applications')
    await look(page, 'applications')

    await registry.publish()
    await page.goto(`${origin}/publisher/${domain}`)
    expect(await page.textContent('#properties')).toContain('The Gazette')
    await look(page, 'publisher')
    await page.goto(`${origin}/dashboard`)
    await chooseInMenu(page, 'Sign out')
    await page.goto(`${origin}/dashboard`)
    expect(page.url()).toContain('/sign-in/')
  } finally {
    await context.close()
  }
}

describe('a moderator decides about a logo, whose picture is shown', () => {
  test.each([390, 1280])('and meets no barrier on a window of %i', async width => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      bypassCSP: true,
    })
    const page = await context.newPage()
    await page.goto(`${origin}/dashboard`)
    await page.fill('#email', 'mo@registry.example')
    await page.click('main button >> nth=0')
    await page.waitForSelector('h1:text("Open your link")')
    await page.goto(registry.links.at(-1)!)
    await page.click('main button')
    await chooseInMenu(page, 'Applications')
    const id = (await page.textContent('main code'))!
    await registry.submit({ op: 'role.grant', role: 'moderator', holder: 'user', id })
    await saveLogo(`logo-${width}.example`)
    await page.goto(`${origin}/dashboard/reviews`)
    await takeScreenshot(page, `reviews-${width}`)
    const barriers = await listBarriers(page)
    await page.click(`text=logo-${width}.example`)
    await page.waitForSelector('#picture img')
    await expect
      .poll(() => page.evaluate(`document.querySelector('#picture img').naturalWidth`))
      .toBeGreaterThan(0)
    await takeScreenshot(page, `review-${width}`)
    barriers.push(...(await listBarriers(page)))
    await page.click('button:text("Approve")')
    await page.waitForSelector('text=Submission approved')
    expect(barriers).toEqual([])
    await context.close()
  })
})

test('on a phone the menu is one line, and open it shows the whole address of the person', async () => {
  const context = await browser.newContext({ viewport: phone, javaScriptEnabled: false })
  const page = await context.newPage()
  const email = `ann.of.a-long-name@sub-domain.of-a-gazette.example`
  await page.goto(`${origin}/dashboard`)
  await page.fill('#email', email)
  await page.click('main button >> nth=0')
  await page.waitForSelector('h1:text("Open your link")')
  await page.goto(registry.links.at(-1)!)
  await page.click('main button')
  await page.waitForSelector('h1:text("Organizations")')
  const { y } = (await page.locator('h1').boundingBox())!
  expect(y).toBeLessThan(0.25 * phone.height)
  expect(await page.isVisible('text=Passkeys')).toBe(false)
  await page.focus('.menu > summary')
  await page.keyboard.press('Enter')
  expect(await page.isVisible('text=Passkeys')).toBe(true)
  const cut = await page
    .locator('.account *')
    .evaluateAll(
      all =>
        all.filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0).length,
    )
  expect(cut).toBe(0)
  expect(await page.textContent('.account')).toContain(email)
  await context.close()
})

describe('a publisher signs in, creates a key, proves a domain and publishes a hosted file', () => {
  test('without JavaScript', async () => {
    const options = { javaScriptEnabled: false }
    await tellStory('plain-gazette.example', options, async () => undefined)
    const file = await fetch(`${origin}/publisher/plain-gazette.example/.well-known/adagents.json`)
    expect(await file.json()).toMatchObject({ properties: [{ name: 'The Gazette' }] })
  })

  test.each([phone, desktop])(
    'and has no accessibility violations on light and dark windows of %o',
    async viewport => {
      const barriers: string[] = []
      await tellStory(
        `at-${viewport.width}-gazette.example`,
        { viewport, bypassCSP: true },
        async (page, at) => {
          for (const colorScheme of ['light', 'dark'] as const) {
            await showIn(page, colorScheme, viewport)
            await takeScreenshot(page, `${colorScheme}-${viewport.width}-${at}`)
            expect(await measureMenus(page), at).toBeLessThan(0.4 * viewport.height)
            const found = await listBarriers(page, colorScheme === 'dark' ? COLOR_RULES : undefined)
            barriers.push(...found.map(barrier => `${at}, ${colorScheme}: ${barrier}`))
          }
        },
      )
      expect(barriers).toEqual([])
    },
  )
})

test.each([true, false])(
  'a file from the workshop is hosted after five clicks, for a person who begins with nothing (JavaScript: %s)',
  async javaScriptEnabled => {
    const domain = javaScriptEnabled ? 'larkspur.example' : 'quartzite.example'
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    let clicks = 0
    const click = (selector: string) => {
      clicks += 1
      return page.click(selector)
    }
    await page.goto(`${origin}/workshop`)
    await page.fill('#domain', domain)
    await page.fill('#text', saved(domain))
    await click('text=Host this file here')
    await page.fill('#email', `ann@${domain}`)
    await click('text=Get a link')
    await page.waitForSelector('h1:text("Open your link")')
    await page.goto(registry.links.at(-1)!)
    await click('main button')
    await page.waitForSelector('text=What will be served')
    const preview = JSON.parse((await page.textContent('#served pre'))!)
    await click(`text=Continue: verify ${domain}`)
    await page.waitForSelector(`h1:text("Verify ${domain}")`)
    hosts[domain] = { [TOKEN_FILE]: await page.inputValue('input[name=nonce]') }
    await click('text=Verify now')
    await page.waitForSelector('text=Your file is now hosted')
    const answer = await fetch(`${origin}/publisher/${domain}/.well-known/adagents.json`)
    const served = (await answer.json()) as object
    expect(served).toEqual({ ...preview, last_updated: expect.any(String) })
    expect(clicks).toBe(5)
    await context.close()
  },
)
