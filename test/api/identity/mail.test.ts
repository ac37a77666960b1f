import { expect, test } from 'vitest'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import {
  buildAuthorizeUrl,
  createVerifier,
  follow,
  openWithSignIn,
  register,
  TestBrowser,
} from '../../support/clients/signing-in.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { createCrawlerWith } from '../../support/servers/issuer.ts'
import { openMailServer } from '../../support/servers/mail-server.ts'

const redis = openForAll(startRedis)

/** Asks a registry with these settings for a link, and returns what its page says. */
async function askForLink(settings: Record<string, string>) {
  const crawler = createCrawlerWith(settings, systemClock)
  const { requestLive } = crawler
  const registry = await openWithSignIn({ redis: redis.redis, settings, writer: { requestLive } })
  await registry.createKey('Acme')
  const { client_id } = await register(registry)
  const browser = new TestBrowser(registry)
  const url = buildAuthorizeUrl({ client_id, code_challenge: createVerifier().challenge })
  const before = await follow(browser, await browser.get(url))
  const { at } = before
  const sent = await browser.post(`${at}/link`, { email: 'ann@acme.example' })
  return {
    before,
    sent,
    registry,
    browser,
    async close() {
      await registry.close()
      await crawler.close()
    },
  }
}

const from = { MAIL_FROM: 'Registry <registry@registry.example>' }

test('a sign-in link is sent by mail, to its person alone, and is in no log', async () => {
  const mail = await openMailServer()
  const { sent, registry, browser, close } = await askForLink({ SMTP_URL: mail.url, ...from })
  expect([sent.statusCode, sent.body]).toEqual([200, expect.stringContaining('Check your email')])
  expect(registry.links).toEqual([])
  expect(mail.recipients).toEqual(['<ann@acme.example>'])
  const text = mail.mails[0]!.replace(/=\n/g, '').replaceAll('=3D', '=')
  expect(text).toContain('From: Registry <registry@registry.example>')
  const link = new URL(/http:\S+\/open\?token=\S+/.exec(text)![0])
  const token = link.searchParams.get('token')!
  const opened = await follow(browser, await browser.post(link.pathname, { token }))
  expect(opened.body).toContain('<h1>Allow access</h1>')
  await close()
  await mail.close()
})

test('a person is told when the mail server does not accept the mail', async () => {
  const mail = await openMailServer(true)
  const { sent, close } = await askForLink({ SMTP_URL: mail.url, ...from })
  expect([sent.statusCode, sent.body]).toEqual([400, expect.stringContaining('couldn’t be sent')])
  await close()
  await mail.close()
})

test('without a mail server nobody can sign in by mail at a public address', async () => {
  const BASE_URL = 'https://registry.example'
  const { before, sent, registry, close } = await askForLink({ BASE_URL })
  expect(before.body).toContain('This registry can’t send email yet')
  expect(before.body).not.toContain('type="email"')
  expect(sent.statusCode).toBe(400)
  expect(registry.links).toEqual([])
  await close()
})

test('without a mail server, on the operator’s own machine, the pages say where the link is', async () => {
  const { before, sent, registry, close } = await askForLink({})
  expect(before.body).toContain('the link appears in its terminal')
  expect(sent.body).toMatch(
    /The link for <bdi>[^<]+@[^<]+<\/bdi> is in the terminal that runs <code>npm start<\/code>\./,
  )
  expect(registry.links).toHaveLength(1)
  await close()
})

test('a mail server needs a sender', () => {
  expect(() => readConfig({ SMTP_URL: 'smtp://127.0.0.1:25' })).toThrow('MAIL_FROM')
})
