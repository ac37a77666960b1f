import { randomUUID } from 'node:crypto'
import { load } from 'cheerio'
import { expect, test } from 'vitest'
import {
  enterDashboard,
  openWithSignIn,
  sendForm,
  type TestBrowser,
} from '../../support/clients/signing-in.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const redis = openForAll(startRedis)
const registry = openForAll(() => openWithSignIn({ redis: redis.redis }))

const listPeople = (email: string) =>
  registry.sequencer.accounts.db.all<{ user_id: string }>(
    'select user_id from people where email = $email',
    { email },
  )
const deleteAccount = (browser: TestBrowser) =>
  sendForm(browser, '/dashboard/delete', { sure: 'yes' })

test('an account is deleted with its sessions in all browsers, its passkeys and its watches', async () => {
  const email = 'ann@mail.example'
  const browsers = [await enterDashboard(registry, email), await enterDashboard(registry, email)]
  const [{ user_id }] = listPeople(email) as [{ user_id: string }]
  await registry.submit(
    {
      op: 'passkey.add',
      user_id,
      credential_id: 'AAAA',
      public_key: 'AAAA',
      counter: 0,
      transports: [],
      label: 'Phone',
    },
    {
      op: 'watch.begin',
      watch_id: randomUUID(),
      user_id,
      email,
      kind: 'domain',
      subject: 'acme.example',
      pace: 'daily',
      most: 10,
    },
    { op: 'role.grant', holder: 'user', id: user_id, role: 'moderator' },
  )
  const asked = await sendForm(browsers[0]!, '/dashboard/delete', { subject: email })
  expect(asked.body).toContain('You can’t undo this')
  const done = await deleteAccount(browsers[0]!)
  expect(done.statusCode).toBe(303)
  const last = await browsers[0]!.get(String(done.headers.location))
  expect(load(last.body)('h1').text()).toBe('Account deleted')
  for (const browser of browsers) {
    const page = await browser.get('/dashboard')
    expect([page.statusCode, String(page.headers.location)]).toEqual([303, '/dashboard/sign-in'])
  }
  const { db } = registry.sequencer.accounts
  for (const table of ['people', 'passkeys', 'watches'])
    expect(db.all(`select 1 from ${table} where user_id = $user_id`, { user_id })).toEqual([])
  expect(
    db.all('select 1 from roles where id = $user_id and revoked_at is null', { user_id }),
  ).toEqual([])
  expect((await redis.redis.keys('*')).filter(key => /sessions-of/.test(key))).toEqual([])
  await enterDashboard(registry, email)
  expect(listPeople(email)).not.toEqual([{ user_id }])
})

test('an account stays while its person belongs to an organization', async () => {
  const email = 'bob@acme.example'
  const bob = await enterDashboard(registry, email)
  await sendForm(bob, '/dashboard/organizations', { name: 'Acme' })
  expect((await bob.get('/dashboard')).body).toContain('first leave or delete every organization')
  const refused = await deleteAccount(bob)
  expect(refused.statusCode).toBe(409)
  expect(refused.body).toContain('leave or delete these organizations first: Acme')
  expect(listPeople(email)).toHaveLength(1)
})

test('the only owner of an organization renames it, learns how to leave, and deletes it', async () => {
  const email = 'cleo@solo.example'
  const cleo = await enterDashboard(registry, email)
  const made = await sendForm(cleo, '/dashboard/organizations', { name: 'Solo' })
  const section = (name: string) => String(made.headers.location).replace(/domains.*/, name)
  expect((await cleo.get(section('people'))).body).toContain('You’re the only owner')
  const renamed = await sendForm(cleo, section('settings'), { name: 'Solo Two' })
  expect((await cleo.get(String(renamed.headers.location))).body).toContain('Organization renamed.')
  const deleted = await sendForm(cleo, `${section('settings')}/delete`, { sure: 'yes' })
  expect((await cleo.get(String(deleted.headers.location))).body).toContain('Organization deleted.')
  expect((await deleteAccount(cleo)).statusCode).toBe(303)
  expect(listPeople(email)).toEqual([])
})
