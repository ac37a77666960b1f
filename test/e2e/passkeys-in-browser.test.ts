import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listBarriers } from '../support/checks/accessibility.ts'
import { chooseInMenu } from '../support/clients/dashboard-menu.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { openWithSignIn, type SignInRegistry } from '../support/clients/signing-in.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'

/** Browsers make passkeys for a name: the server's own address, which is a number, has none. */
const PORT = 4_311
const ORIGIN = `http://localhost:${PORT}`

let browser: Browser
let redis: TestRedis
let registry: SignInRegistry

beforeAll(async () => {
  browser = await launchBrowser()
  redis = await startRedis()
  registry = await openWithSignIn({ redis: redis.redis, settings: { BASE_URL: ORIGIN } })
  await registry.createKey('Acme')
  await registry.app.listen({ host: '127.0.0.1', port: PORT })
})
afterAll(async () => {
  await browser?.close()
  await registry?.close()
  await redis?.close()
})

/** Adds an authenticator to a page, as a device with a fingerprint reader has one. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

async function signInByLink(page: Page, email: string): Promise<void> {
  await page.goto(`${ORIGIN}/dashboard`)
  await page.fill('#email', email)
  await page.click('text=Get a link')
  await page.waitForSelector('h1:text("Open your link")')
  await page.goto(registry.links.at(-1)!)
  await page.click('main button')
  await page.waitForSelector('h1:text("Organizations")')
}

async function makePasskey(page: Page, label: string): Promise<void> {
  await page.goto(`${ORIGIN}/dashboard/passkeys`)
  await page.fill('#label', label)
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=Passkey created')
}

async function beginAgain(page: Page): Promise<void> {
  await page.goto(`${ORIGIN}/dashboard`)
  await chooseInMenu(page, 'Sign out')
  await page.waitForURL(`${ORIGIN}/dashboard/signed-out`)
  await page.goto(`${ORIGIN}/dashboard`)
}

/** Sets the count of signatures in an authenticator back, as a copy of it would have it. */
async function setCountBack(session: CDPSession, authenticatorId: string): Promise<void> {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
  for (const credential of credentials) {
    const { credentialId } = credential
    await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    await session.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    })
  }
}

test('a person creates a passkey, signs in with it, and removes it', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const outside: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(ORIGIN)) outside.push(request.url())
  })
  const { session, authenticatorId } = await addAuthenticator(page)
  await signInByLink(page, 'ann@acme.example')
  await makePasskey(page, 'Phone')
  expect(await page.textContent('tbody')).toContain('Phone')

  await beginAgain(page)
  await page.click('text=Sign in with a passkey')
  await page.waitForSelector('h1:text("Organizations")')
  expect(await page.textContent('.account')).toContain('ann@acme.example')

  await page.goto(`${ORIGIN}/dashboard/passkeys`)
  await page.click('text=Remove')
  await page.waitForSelector('h1:text("Remove Phone?")')
  await page.click('button.danger')
  await page.waitForSelector('text=Passkey removed')
  await beginAgain(page)
  await page.click('text=Sign in with a passkey')
  await page.waitForSelector('text=This passkey wasn’t accepted')
  expect(outside).toEqual([])
  await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  await context.close()
})

test('a form that was sent once registers nothing more, and a copied authenticator signs nobody in', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const { session, authenticatorId } = await addAuthenticator(page)
  await signInByLink(page, 'bob@acme.example')
  const sending = page.waitForRequest(
    request => request.method() === 'POST' && request.url().endsWith('/dashboard/passkeys'),
  )
  await makePasskey(page, 'Laptop')
  const sent = (await sending).postData()!
  const status = await page.evaluate(
    async body =>
      (await fetch('/dashboard/passkeys', { method: 'POST', body: new URLSearchParams(body) }))
        .status,
    sent,
  )
  expect(status).toBe(400)
  await beginAgain(page)
  await page.click('text=Sign in with a passkey')
  await page.waitForSelector('h1:text("Organizations")')
  await setCountBack(session, authenticatorId)
  await beginAgain(page)
  await page.click('text=Sign in with a passkey')
  await page.waitForSelector('text=This passkey wasn’t accepted')
  await context.close()
})

test.each([
  ['light', { width: 390, height: 844 }],
  ['dark', { width: 1280, height: 800 }],
] as const)(
  'the pages of passkeys have no barrier on a %s window of %o',
  async (colorScheme, viewport) => {
    const context = await browser.newContext({ colorScheme, viewport, bypassCSP: true })
    const page = await context.newPage()
    await addAuthenticator(page)
    await page.goto(`${ORIGIN}/dashboard`)
    await page.waitForSelector('text=Sign in with a passkey')
    const barriers = await listBarriers(page)
    const folder = process.env.PICTURES_DIR
    if (folder) await page.screenshot({ path: `${folder}/sign-in-${colorScheme}.png` })
    await signInByLink(page, `${colorScheme}@acme.example`)
    await makePasskey(page, 'Key ring')
    barriers.push(...(await listBarriers(page)))
    if (folder)
      await page.screenshot({ path: `${folder}/passkeys-${colorScheme}.png`, fullPage: true })
    expect(barriers).toEqual([])
    await context.close()
  },
)

test('without JavaScript nobody is offered a passkey, and the link works', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await signInByLink(page, 'carl@acme.example')
  await page.goto(`${ORIGIN}/dashboard/passkeys`)
  expect(await page.isVisible('form[data-passkey]')).toBe(false)
  expect(await page.isVisible('text=email links always work')).toBe(true)
  await context.close()
})
