import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listBarriers } from '../support/checks/accessibility.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import type { SignInRegistry } from '../support/clients/signing-in.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import {
  closeServer,
  openWithUpstream,
  startProvider,
  type TestProvider,
} from '../support/servers/upstream-provider.ts'

let browser: Browser
let redis: TestRedis
let provider: TestProvider
let registry: SignInRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  redis = await startRedis()
  const port = await findFreePort()
  origin = `http://127.0.0.1:${port}`
  provider = await startProvider(`${origin}/sign-in/return`)
  registry = await openWithUpstream(redis, provider.settings, { settings: { BASE_URL: origin } })
  await registry.app.listen({ host: '127.0.0.1', port })
})
afterAll(async () => {
  await browser?.close()
  await registry?.close()
  await provider?.close()
  await redis?.close()
})

/** Finds a free port: the provider must know the address to return to before the registry listens. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await closeServer(server)
  return port
}

/** Moves the focus by Tab alone until it is on an element with this text. */
async function reachByTab(page: Page, text: string): Promise<void> {
  for (let pressed = 0; pressed < 40; pressed++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement.textContent')) === text) return
  }
  throw new Error(`${text} is not reached by Tab`)
}

test.each([true, false])(
  'a person signs in at the OpenID provider by the keyboard, and out again (JavaScript: %s)',
  async javaScriptEnabled => {
    const context = await browser.newContext({
      javaScriptEnabled,
      viewport: { width: 390, height: 844 },
    })
    const page = await context.newPage()
    await page.goto(`${origin}/dashboard`)
    await page.waitForSelector('text=Continue with Lantern accounts')
    if (javaScriptEnabled) expect(await listBarriers(page)).toEqual([])
    await reachByTab(page, 'Continue with Lantern accounts')
    await page.keyboard.press('Enter')
    await page.waitForSelector('input[name=login]')
    expect(new URL(page.url()).origin).toBe(provider.url)
    await page.fill('input[name=login]', 'ann')
    await page.fill('input[name=password]', 'x')
    await page.click('button[type=submit]')
    // The provider asks for the consent of its person, too.
    await page.click('button[type=submit]')
    await page.waitForURL(`${origin}/dashboard*`)
    expect(await page.textContent('.account')).toContain('ann@lantern.example')
    await reachByTab(page, 'Menu')
    await page.keyboard.press('Enter')
    await reachByTab(page, 'Sign out')
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:text("Signed out")')
    expect(await page.getAttribute('main a', 'href')).toBe(
      `${provider.url}/session/end?client_id=registry`,
    )
    await context.close()
  },
)
