import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { openWithSignIn, type SignInRegistry } from '../support/clients/signing-in.ts'
import { type LiveHost, type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'

const TOKEN_FILE = '/.well-known/proto-ownership.txt'
/** More stops than any page of the story has. */
const STOPS_MAX = 80

/** Script that tells where the element with the focus is in the window, and how its outline is drawn. */
const SHOWS_FOCUS = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect()
  return [top, bottom, getComputedStyle(document.activeElement).outlineStyle]
})()`

const hosts: Record<string, LiveHost> = {}
let browser: Browser
let web: LiveWeb
let registry: SignInRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  web = await openLiveWeb(hosts)
  registry = await openWithSignIn({
    redis: web.redis.redis,
    settings: { BASE_URL: '' },
    writer: { requestLive: web.writer.requestLive },
    limits: { answerKeptSeconds: 0, answerKeptAtBoundSeconds: 0 },
  })
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await browser?.close()
  await registry?.close()
  await web?.close()
})

/**
 * Moves the focus by Tab alone to an element that matches, with this text if one is given, and checks that the
 * element is in view and shows that it has the focus.
 */
async function reachByTab(page: Page, selector: string, text?: string): Promise<void> {
  for (let pressed = 0; pressed < STOPS_MAX; pressed++) {
    await page.keyboard.press('Tab')
    const at = page.locator(':focus')
    if (!(await at.evaluateAll((found, css) => found.some(each => each.matches(css)), selector)))
      continue
    if (text !== undefined && (await at.textContent())?.trim() !== text) continue
    const look: unknown = await page.evaluate(SHOWS_FOCUS)
    const [top, bottom, outline] = look as [number, number, string]
    expect([top < page.viewportSize()!.height, bottom > 0, outline === 'none']).toEqual([
      true,
      true,
      false,
    ])
    return
  }
  throw new Error(`${selector} ${text ?? ''} is not reached by Tab at ${page.url()}`)
}

async function pushButton(page: Page, selector: string, text?: string): Promise<void> {
  await reachByTab(page, selector, text)
  await page.keyboard.press('Enter')
}

/** Answers a form: types into a field and presses Enter. */
async function answer(page: Page, selector: string, text: string): Promise<void> {
  await reachByTab(page, selector)
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

const buildFile = (domain: string, name: string) =>
  JSON.stringify({
    authorized_agents: [],
    properties: [
      {
        property_id: 'site',
        property_type: 'website',
        name,
        identifiers: [{ type: 'domain', value: domain }],
      },
    ],
  })

/** Names of the properties in the file that the registry serves for a domain. */
async function readHosted(domain: string): Promise<string[]> {
  const served = await fetch(`${origin}/publisher/${domain}/.well-known/adagents.json`)
  const { properties } = (await served.json()) as { properties: { name: string }[] }
  return properties.map(({ name }) => name)
}

async function openDashboard(page: Page, domain: string): Promise<void> {
  await page.goto(`${origin}/dashboard`)
  await answer(page, '#email', `ann@${domain}`)
  await page.waitForSelector('h1:text("Open your link")')
  await page.goto(registry.links.at(-1)!)
  await pushButton(page, 'main button')
  await page.waitForSelector('h1:text("Organizations")')
  await answer(page, '#name', `Gazette of ${domain}`)
  await page.waitForSelector('text=Organization created')
}

async function prove(page: Page, domain: string): Promise<void> {
  await page.waitForSelector('h1:text("Domains")')
  await answer(page, '#domain', domain)
  await page.waitForSelector('text=Publish this token')
  hosts[domain] = { [TOKEN_FILE]: await page.inputValue('input[name=nonce] >> nth=0') }
  await pushButton(page, 'button', 'Verify now')
  await page.waitForSelector('text=Domain verified')
}

interface Published {
  button: string
  done: string
}
const hosted: Published = { button: 'Publish', done: 'The adagents.json is now hosted' }
const changed: Published = { button: 'Publish', done: 'Change published' }

async function publish(
  page: Page,
  domain: string,
  name: string,
  { button, done }: Published,
): Promise<void> {
  await page.waitForSelector('#text')
  await reachByTab(page, '#text')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(buildFile(domain, name))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=What will be served')
  await pushButton(page, 'main button', button)
  await page.waitForSelector(`text=${done}`)
  expect(await readHosted(domain)).toEqual([name])
}

test.each([
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
])(
  'a publisher does it all by the keyboard on a %s: from the sign-in to a restored revision and out',
  async (window, viewport) => {
    const domain = `${window}-gazette.example`
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    await openDashboard(page, domain)
    await prove(page, domain)
    await page.waitForSelector('#properties')
    await pushButton(page, '#properties a', 'Host an adagents.json')
    await publish(page, domain, 'Before', hosted)
    await pushButton(page, '#properties a', 'Edit')
    await publish(page, domain, 'After', changed)
    expect(await page.locator('#properties tbody tr').count()).toBe(2)
    await pushButton(page, '#properties a', 'Restore')
    await page.waitForSelector('text=Restore version 1')
    await pushButton(page, 'main button', 'Restore version 1')
    await page.waitForSelector('text=Version restored')
    expect(await readHosted(domain)).toEqual(['Before'])
    expect(await page.locator('#properties tbody tr').count()).toBe(3)
    await pushButton(page, '#properties a', 'Stop hosting')
    await page.waitForSelector('h1:text("Stop hosting")')
    await pushButton(page, 'main button.danger', 'Stop hosting')
    await page.waitForSelector('text=Hosting stopped')
    expect((await fetch(`${origin}/publisher/${domain}/.well-known/adagents.json`)).status).toBe(
      404,
    )
    await pushButton(page, window === 'phone' ? '.menu > summary' : '.account > summary')
    await pushButton(page, '.account button', 'Sign out')
    await page.waitForURL('**/dashboard/signed-out')
    await page.goto(`${origin}/dashboard`)
    expect(page.url()).toContain('/sign-in/')
    await context.close()
  },
)
