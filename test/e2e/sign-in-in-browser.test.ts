import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listBarriers } from '../support/checks/accessibility.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import {
  askToken,
  buildAuthorizeUrl,
  createVerifier,
  openWithSignIn,
  register,
  type SignInRegistry,
} from '../support/clients/signing-in.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'

/** Nobody listens there: where a browser arrives is told by its address. */
const callback = 'http://127.0.0.1:38472/callback'

let browser: Browser
let redis: TestRedis
let registry: SignInRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  redis = await startRedis()
  registry = await openWithSignIn({ redis: redis.redis, settings: { BASE_URL: '' } })
  await registry.createKey('Acme')
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await browser?.close()
  await registry?.close()
  await redis?.close()
})

/** Signs in by the keyboard, calls `look` on each page, and returns the address to which the browser is sent. */
async function signIn(
  query: Record<string, string>,
  options: BrowserContextOptions,
  look: (page: Page, name: string) => Promise<void> = async () => undefined,
): Promise<URL> {
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    await page.goto(origin + buildAuthorizeUrl({ redirect_uri: callback, ...query }))
    await look(page, 'sign-in')
    await page.focus('#email')
    await page.keyboard.type('ann@acme.example')
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:text("Open your link")')
    await look(page, 'sent')
    await page.goto(registry.links.at(-1)!)
    await look(page, 'open')
    await page.click('main button')
    await page.waitForSelector('h1:text("Allow access")')
    await look(page, 'consent')
    const left = page.waitForRequest(request => request.url().startsWith(callback))
    await page.click('main button >> nth=0')
    return new URL((await left).url())
  } finally {
    await context.close()
  }
}

describe('in a browser', () => {
  test.each([true, false])(
    'a person signs in, consents and returns to the application (JavaScript: %s)',
    async javaScriptEnabled => {
      const { client_id } = await register(registry, { redirect_uris: [callback] })
      const { verifier, challenge } = createVerifier()
      const query = { client_id: client_id!, code_challenge: challenge }
      const back = await signIn(query, { javaScriptEnabled })
      expect(back.searchParams.get('state')).toBe('xyz')
      const tokens = await askToken(registry, {
        grant_type: 'authorization_code',
        code: back.searchParams.get('code')!,
        redirect_uri: callback,
        client_id: client_id!,
        code_verifier: verifier,
      })
      expect(tokens.status).toBe(200)
    },
  )

  test.each([
    ['light', { width: 390, height: 844 }],
    ['dark', { width: 1280, height: 800 }],
  ] as const)(
    'no page of sign-in has a barrier on a %s window of %o',
    async (colorScheme, viewport) => {
      const { client_id } = await register(registry, { redirect_uris: [callback] })
      const query = { client_id: client_id!, code_challenge: createVerifier().challenge }
      const barriers: string[] = []
      await signIn(query, { colorScheme, viewport, bypassCSP: true }, async (page, name) => {
        barriers.push(...(await listBarriers(page)).map(barrier => `${name}: ${barrier}`))
      })
      expect(barriers).toEqual([])
    },
  )
})
