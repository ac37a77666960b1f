import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ShareMailer } from '../../jobs/indexer/watching/share-mailer.ts'
import { DAY } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import {
  describeChanges,
  listOrganizationChanges,
} from '../../pipeline/read/lookups/organization-audit.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { createCrawlerWith } from '../support/servers/issuer.ts'
import { openMailServer, type TestMailServer } from '../support/servers/mail-server.ts'

const domain = 'daily.example'

let mail: TestMailServer
let registry: TestRegistry
let mailer: ShareMailer

/** Opens a mailer as a new process has it: it remembers nothing. */
function openMailer(url = mail.url): ShareMailer {
  const { clock, config } = registry
  const crawler = createCrawlerWith(
    { SMTP_URL: url, MAIL_FROM: 'registry@registry.example' },
    clock,
  )
  return new ShareMailer({
    sequencer: registry.sequencer,
    writer: {
      submit: async operation => requireValue((await registry.submit(operation))[0], 'answer'),
    },
    send: request => crawler.requestLive(request, config.LIMITS.mailMs),
    base: 'https://registry.example',
    limits: config.LIMITS,
    clock,
    log: silentLog,
  })
}

beforeEach(async () => {
  mail = await openMailServer()
  registry = await openRegistry()
  mailer = openMailer()
  await enrol(registry, { org: 'Daily' })
  await enrol(registry, { org: 'Harbour News' })
  await join('Daily', 'ann', 'owner')
  await join('Daily', 'ada', 'admin')
  await join('Daily', 'max', 'member')
  await join('Daily', 'una', 'owner', false)
  await join('Harbour News', 'hal', 'owner')
  await proveOwnership(registry, 'Daily', domain)
})

afterEach(async () => {
  await registry.close()
  await mail.close()
})

async function join(org: string, name: string, role: string, email_verified = true) {
  const user_id = randomUUID()
  const email = `${name}@a.example`
  const person = { user_id, provider: 'email', subject: email, email, email_verified, name: null }
  await registry.submit(
    Operation.parse({ op: 'person.enter', ...person }),
    Operation.parse({ op: 'membership.set', org, user_id, role }),
  )
}

const readMail = (at: number) =>
  requireValue(mail.mails[at], 'mail').replace(/=\n/g, '').replaceAll('=3D', '=')

test('owners and admins are mailed once that another organization has verified their domain', async () => {
  expect(await mailer.look()).toBe(0)
  await proveOwnership(registry, 'Harbour News', domain)
  expect(await mailer.look()).toBe(2)
  expect(mail.recipients.sort()).toEqual(['<ada@a.example>', '<ann@a.example>'])
  expect(readMail(0)).toContain('Subject: Harbour News also verified daily.example')
  expect(readMail(0)).toMatch(/Harbour News verified daily\.example at registry\.example on \d{4}-/)
  expect(readMail(0)).toMatch(/dashboard\/org\/[\w-]+\/domains/)
  await proveOwnership(registry, 'Harbour News', domain)
  await proveOwnership(registry, 'Daily', domain)
  expect([await mailer.look(), await openMailer().look()]).toEqual([0, 0])
})

test('who holds the domain above is mailed about one below, and nobody once their proof has expired', async () => {
  await proveOwnership(registry, 'Harbour News', `shop.${domain}`)
  expect(await mailer.look()).toBe(2)
  expect(readMail(0)).toContain(`verified shop.${domain}`)
  registry.clock.tick(90 * DAY)
  await proveOwnership(registry, 'Harbour News', domain)
  expect(await mailer.look()).toBe(0)
})

test('whose verification another organization ends is mailed, and can verify the domain again', async () => {
  await proveOwnership(registry, 'Harbour News', domain)
  await mailer.look()
  const exclude = { op: 'organization.domain.exclude', org: 'Daily', domain } as const
  registry.clock.tick({ minutes: 15 })
  const [late] = await registry.submit(Operation.parse(exclude))
  expect(late).toMatchObject({ error: 'conflict' })
  await proveOwnership(registry, 'Daily', domain)
  const [done, again] = await registry.submit(Operation.parse(exclude), Operation.parse(exclude))
  expect(done).toMatchObject({ done: { ended: 1 } })
  expect(again).toMatchObject({ error: 'not_found' })
  expect(await mailer.look()).toBe(1)
  expect(mail.recipients.at(-1)).toBe('<hal@a.example>')
  expect(readMail(2)).toContain('Subject: Daily ended your verification of daily.example')
  await proveOwnership(registry, 'Harbour News', domain)
  expect(await mailer.look()).toBe(2)
  expect(await registry.verify()).toEqual([])
})

test('what an operator entered is not ended, and what was verified of the domain above is not either', async () => {
  const assigned = { org: 'Daily', domain: 'given.example', proof: 'operator' }
  await registry.submit(Operation.parse({ op: 'organization.domain.add', ...assigned }))
  const others = ['given.example', `shop.${domain}`]
  for (const other of others) {
    await proveOwnership(registry, 'Harbour News', other)
    const exclude = { op: 'organization.domain.exclude', org: 'Harbour News', domain: other }
    const [refused] = await registry.submit(Operation.parse(exclude))
    expect(refused).toMatchObject({ error: 'not_found' })
  }
})

test('the audit log of the organization names who has verified its domain', async () => {
  await proveOwnership(registry, 'Harbour News', domain)
  const { org_id } = requireValue(
    registry.sequencer.accounts.db.one<{ org_id: string }>(
      "select org_id from organizations where name = 'Daily'",
    ),
    'Daily',
  )
  const { changes } = listOrganizationChanges(registry.reader, org_id, {
    limit: 1,
    cursor: undefined,
  })
  const [shared] = describeChanges(registry.reader, org_id, changes)
  expect(shared).toMatchObject({
    text: 'Another organization verified a domain of this one',
    by: { kind: 'registry' },
    facts: { domain, name: 'Harbour News' },
  })
})

test('a mail that the server did not take is tried again within a day', async () => {
  await proveOwnership(registry, 'Harbour News', domain)
  await mail.close()
  expect([await mailer.look(), await mailer.look()]).toEqual([0, 0])
  mail = await openMailServer()
  mailer = openMailer()
  registry.clock.tick({ hours: 23 })
  expect([await mailer.look(), await mailer.look()]).toEqual([2, 0])
})

test('at the limit of a day no more mails go to a person, whoever verifies a domain again and again', async () => {
  const remove = { op: 'organization.domain.remove', org: 'Harbour News' } as const
  const most = registry.config.LIMITS.watchMailsPerDay
  for (let i = 0; i < most + 2; i++) {
    await proveOwnership(registry, 'Harbour News', domain)
    await mailer.look()
    await registry.submit({ ...remove, domain: domain as Domain })
  }
  expect(mail.recipients.filter(to => to === '<ann@a.example>')).toHaveLength(most)
})
