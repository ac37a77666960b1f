import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { printMail } from '../../jobs/indexer/watching/watch-loop.ts'
import { WatchMailer } from '../../jobs/indexer/watching/watch-mailer.ts'
import { readRegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import type { Operation } from '../../pipeline/model/submission.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { observeOutcome } from '../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import {
  createCrawlerWith,
  openIssuer,
  openWithIssuer,
  type TestIssuer,
} from '../support/servers/issuer.ts'
import { openMailServer, type TestMailServer } from '../support/servers/mail-server.ts'
import { makeRegistryKey } from '../support/servers/webhook-receivers.ts'
import { START } from '../support/worlds/clock.ts'

const PATH = '/api/me/watches'
const ads = 'https://ads.example/mcp'
const other = 'https://other.example/mcp'

let key: ReturnType<typeof makeRegistryKey>
let issuer: TestIssuer
let mail: TestMailServer
let registry: TestRegistry
let mailer: WatchMailer
let ann: string
let bob: string

async function open(limits: Record<string, number> = {}) {
  const settings = {
    ...issuer.settings,
    SMTP_URL: mail.url,
    MAIL_FROM: 'Registry <registry@registry.example>',
    REGISTRY_SIGNING_KEYS: key.path,
  }
  registry = await openWithIssuer(issuer, { settings, limits })
  mailer = openMailer()
}

/** Opens a mailer as a new process has it: it remembers nothing. */
function openMailer(): WatchMailer {
  const { clock, config } = registry
  const crawler = createCrawlerWith(
    { SMTP_URL: mail.url, MAIL_FROM: 'Registry <registry@registry.example>' },
    clock,
  )
  const submit = async (operation: Operation, meta: object = {}) => {
    const submission_id = randomUUID()
    const submission = { submission_id, ...meta, operation }
    const { answers } = await registry.sequencer.commit({
      observations: [],
      submissions: [submission],
    })
    await registry.reader.refresh()
    return requireValue(answers.get(submission.submission_id), 'answer')
  }
  return new WatchMailer({
    sequencer: registry.sequencer,
    writer: { submit },
    send: request => crawler.requestLive(request, config.LIMITS.mailMs),
    keys: requireValue(readRegistryKeys(config), 'keys'),
    base: 'https://registry.example',
    limits: config.LIMITS,
    clock,
    log: silentLog,
  })
}

beforeEach(async () => {
  key = makeRegistryKey()
  issuer = await openIssuer()
  mail = await openMailServer()
  await open()
  const exp = START / 1_000 + 30 * 86_400
  ann = await issuer.token({ sub: 'ann', email: 'ann@a.example', email_verified: true, exp })
  bob = await issuer.token({ sub: 'bob', email: 'bob@b.example', email_verified: true, exp })
})

afterEach(async () => {
  await registry.close()
  await mail.close()
  await issuer.close()
  key.remove()
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

function ask(method: Method, url: string, payload?: object, token = ann) {
  const headers = { authorization: `Bearer ${token}` }
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}

async function watch(payload: object, token = ann) {
  const answer = await ask('POST', PATH, payload, token)
  expect(answer.statusCode, answer.body).toBe(201)
  registry.clock.tick({ ms: 1 })
  // The first look learns how things are.
  await mailer.look()
  return answer.json()
}

/** Returns a mail as its reader sees it. */
function read(at: number) {
  const whole = requireValue(mail.mails[at], 'mail').replace(/=\n/g, '').replaceAll('=3D', '=')
  const subject = /^Subject: (.*)$/m.exec(whole.replace(/\n /g, ' '))?.[1]
  return { whole, subject, end: /https:\S+\/watch\/end\?token=[\w.-]+/.exec(whole)?.[0] ?? '' }
}

function publish(...agents: string[]) {
  registry.clock.tick({ minutes: 1 })
  const sites = ['acme.example']
  return registry.observe(observePublisherFile('acme.example', { sites, agents }))
}

function removeFile() {
  const at = registry.clock.tick({ hours: 2 })
  return registry.observe(observeOutcome('absent', 'adagents.json', 'acme.example', at))
}

describe('a person who watches a domain is mailed once', () => {
  test('when it loses and gains an agent, and not when only terms change', async () => {
    await publish(ads)
    const made = await watch({ domain: 'https://www.acme.example/' })
    expect(made).toMatchObject({ kind: 'domain', pace: 'at_once', email: 'ann@a.example' })
    await ask('DELETE', `${PATH}/${made.watch_id}`)
    await watch({ domain: 'acme.example' })
    await publish(ads, other)
    expect([await mailer.look(), await mailer.look()]).toEqual([1, 0])
    expect(read(0).subject).toBe('acme.example now authorizes other.example/mcp')
    expect(mail.recipients).toEqual(['<ann@a.example>'])
    await publish(other)
    expect([await mailer.look(), await mailer.look()]).toEqual([1, 0])
    expect(read(1).subject).toBe('acme.example no longer authorizes ads.example/mcp')
    expect(read(1).whole).toContain('https://registry.example/publisher/acme.example')
  })

  test('when its file breaks and when it returns, by whatever process looks', async () => {
    await publish(ads)
    await watch({ domain: 'acme.example' })
    await removeFile()
    expect(await mailer.look()).toBe(1)
    expect(read(0).subject).toBe('The adagents.json of acme.example can no longer be used')
    expect(read(0).whole).toContain('not found (404, 410)')
    mailer = openMailer()
    expect(await mailer.look()).toBe(0)
    await publish(ads)
    expect(await mailer.look()).toBe(1)
    expect(read(1).subject).toBe('The adagents.json of acme.example is valid again')
    expect(await openMailer().look()).toBe(0)
  })

  test('when a lookalike is saved that everybody can see', async () => {
    await watch({ brand: 'paypal.example' })
    await prove('paypal-login.example', 'flowers.example')
    const [saved] = await saveBrand('paypal-login.example')
    expect(saved).toHaveProperty('done')
    await saveBrand('flowers.example')
    expect(await mailer.look()).toBe(1)
    expect(read(0).subject).toBe(
      'Possible impersonation: someone added paypal-login.example, which resembles paypal.example',
    )
    expect(read(0).whole).toContain('/brand/paypal-login.example')
    registry.clock.tick({ minutes: 5 })
    await saveBrand('paypal-login.example')
    expect(await mailer.look()).toBe(0)
  })
})

describe('a person who watches a domain that hosts a file here', () => {
  const edit = (user: string, what: object) => {
    registry.clock.tick({ minutes: 1 })
    const editor = { kind: 'user', id: user, org_id: deriveId('org', 'Acme') }
    const about = { domain: 'acme.example', revision_id: randomUUID(), editor }
    return registry.submit({ ...about, ...what } as never)
  }
  const saved = { op: 'brand.save', brand_name: 'Acme' }
  const stopped = { op: 'entry.rollback', entity: 'brand', to_revision: 0, moderates: false }

  beforeEach(() => prove('acme.example'))

  test.each([
    ['hosts it', 'Acme set up a hosted brand.json for acme.example', '.\n', [saved]],
    [
      'edits it',
      'Acme edited the hosted brand.json of acme.example',
      '. Fields changed: name.',
      [saved, { ...saved, brand_name: 'Acme Group' }],
    ],
    [
      'stops hosting it',
      'Acme stopped hosting the brand.json of acme.example',
      '.\n',
      [saved, stopped],
    ],
  ])(
    'is mailed once when someone else %s, and not about their own edits',
    async (_, subject, end, edits) => {
      for (const earlier of edits.slice(0, -1)) await edit('bob', earlier)
      await watch({ domain: 'acme.example' })
      await watch({ domain: 'acme.example' }, bob)
      const [answer] = await edit('bob', edits.at(-1) ?? {})
      expect(answer).toHaveProperty('done')
      expect([await mailer.look(), await mailer.look()]).toEqual([1, 0])
      expect(read(0).subject).toBe(subject)
      expect(read(0).whole).toContain(`${subject}${end}`)
      expect(read(0).whole).toContain('/publisher/acme.example#history')
      expect(mail.recipients).toEqual(['<ann@a.example>'])
    },
  )

  test('is mailed about an edit with a key', async () => {
    await watch({ brand: 'acme.example' })
    await saveBrand('acme.example')
    expect(await mailer.look()).toBe(1)
    expect(read(0).whole).toContain('Acme set up a hosted brand.json for acme.example.\n')
    expect(read(0).whole).toContain('/brand/acme.example#history')
  })
})

async function prove(...domains: string[]) {
  const proofs = domains.map(domain => buildProofWrite('Acme', domain))
  await registry.submit(
    ...[buildOrganizationWrite('Acme'), ...proofs].map(({ operation }) => operation),
  )
}

async function saveBrand(domain: string) {
  const { operation } = buildBrandSave('Acme', domain, `Brand ${randomUUID()}`)
  return registry.submit(operation)
}

test('a person who watches an agent is mailed when a publisher authorizes it and no longer does', async () => {
  await publish(other)
  await watch({ agent: 'https://ADS.example/mcp/' })
  await publish(other, ads)
  await mailer.look()
  await publish(other)
  await mailer.look()
  expect([read(0).subject, read(1).subject]).toEqual([
    'acme.example now authorizes ads.example/mcp',
    'acme.example no longer authorizes ads.example/mcp',
  ])
})

test('daily news come in one mail after six o’clock', async () => {
  await publish(ads)
  await watch({ domain: 'acme.example', pace: 'daily' })
  await watch({ agent: ads, pace: 'daily' })
  await publish(other)
  registry.clock.tick({ minutes: 5 })
  expect(await mailer.look()).toBe(0)
  registry.clock.tick({ hours: 3 })
  expect([await mailer.look(), await mailer.look()]).toEqual([1, 0])
  expect(read(0).subject).toBe('3 changes at acme.example and ads.example/mcp')
  await publish(ads)
  expect([await mailer.look(), await openMailer().look()]).toEqual([0, 0])
  registry.clock.tick({ hours: 24 })
  expect(await mailer.look()).toBe(1)
})

describe('the link of a mail', () => {
  test('ends the watch after the press of a button, without a sign-in', async () => {
    await publish(ads)
    const { watch_id } = await watch({ domain: 'acme.example' })
    await watch({ domain: 'acme.example' }, bob)
    await publish(ads, other)
    await mailer.look()
    const { end, whole } = read(mail.recipients.indexOf('<ann@a.example>'))
    expect(whole).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(whole.replace(/\n /g, ' ')).toContain(`List-Unsubscribe: <${end}>`)
    const { pathname, search } = new URL(end)
    const asked = await registry.app.inject(pathname + search)
    expect([asked.statusCode, asked.body]).toEqual([200, expect.stringContaining('Stop watching')])
    expect(asked.body).toContain('You’ll no longer get emails about')
    expect((await ask('GET', PATH)).json().watches).toMatchObject([{ watch_id }])
    for (let press = 0; press < 2; press++) {
      const ended = await registry.send('POST', pathname + search, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'List-Unsubscribe=One-Click',
      })
      expect([ended.statusCode, ended.body]).toEqual([200, expect.stringContaining('Unsubscribed')])
      expect(ended.body).toContain(`no longer watching ${press === 0 ? 'acme.example' : 'this'}.`)
    }
    expect((await ask('GET', PATH)).json().watches).toEqual([])
    expect((await ask('GET', PATH, undefined, bob)).json().watches).toHaveLength(1)
    expect((await registry.app.inject(pathname + search)).body).toContain('Unsubscribed')
  })

  test('of a daily mail ends all daily ones, and no other', async () => {
    await publish(ads)
    await watch({ domain: 'acme.example', pace: 'daily' })
    await watch({ brand: 'acme.example' })
    await publish(other)
    registry.clock.tick({ hours: 4 })
    await mailer.look()
    const { pathname, search } = new URL(read(0).end)
    expect((await registry.app.inject(pathname + search)).body).toContain('1 thing')
    await registry.app.inject({ method: 'POST', url: pathname + search })
    expect((await ask('GET', PATH)).json().watches).toMatchObject([{ kind: 'brand' }])
  })

  test('is refused if anything of it was changed', async () => {
    await publish(ads)
    await watch({ domain: 'acme.example' })
    await publish(other)
    await mailer.look()
    const { search } = new URL(read(0).end)
    const token = new URLSearchParams(search).get('token') ?? ''
    const [kind, id = '', mac] = token.split('.')
    const flipped = `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}`
    for (const wrong of [
      undefined,
      '',
      'x',
      `d.${id}.${mac}`,
      `${kind}.${flipped}.${mac}`,
      `${kind}.${id}.`,
    ]) {
      const url =
        wrong === undefined ? '/watch/end' : `/watch/end?${new URLSearchParams({ token: wrong })}`
      for (const method of ['GET', 'POST'] as const) {
        expect((await registry.app.inject({ method, url })).statusCode).toBe(404)
      }
    }
  })
})

test('a mail that the server did not take is tried again, and one that it refused for good is not', async () => {
  await publish(ads)
  await watch({ domain: 'acme.example' })
  const { url } = mail
  await mail.close()
  await publish(ads, other)
  expect(await mailer.look()).toBe(0)
  mail = await openMailServer()
  expect(mail.url).not.toBe(url)
  mailer = openMailer()
  expect(await mailer.look()).toBe(1)
  await mail.close()
  mail = await openMailServer(true)
  mailer = openMailer()
  await publish(ads)
  expect(await mailer.look()).toBe(0)
  await mail.close()
  mail = await openMailServer()
  mailer = openMailer()
  expect(await mailer.look()).toBe(0)
})

test('a mail after the first look that was not taken says later what it said, and no more', async () => {
  await publish(ads)
  const made = await ask('POST', PATH, { domain: 'acme.example' })
  expect(made.statusCode).toBe(201)
  await publish(ads, other)
  await prove('acme-login.example')
  await saveBrand('acme-login.example')
  await mail.close()
  expect(await mailer.look()).toBe(0)
  mail = await openMailServer()
  mailer = openMailer()
  expect(await mailer.look()).toBe(1)
  expect(read(0).subject).toBe('acme.example: 2 changes')
  expect(read(0).whole).toContain('acme.example now authorizes other.example/mcp')
  expect(read(0).whole).toContain(
    'Possible impersonation: someone added acme-login.example, which resembles acme.example',
  )
})

test('at the limit of a day what is left comes in a later mail', async () => {
  await registry.close()
  await open({ watchMailsPerDay: 2, watchesPerPerson: 2 })
  await publish(ads)
  await watch({ domain: 'acme.example' })
  await watch({ brand: 'acme.example' })
  const third = await ask('POST', PATH, { agent: ads })
  expect([third.statusCode, third.json().error]).toEqual([
    409,
    expect.stringContaining('may watch 2'),
  ])
  for (const agents of [[ads, other], [ads], [ads, other], [other]]) {
    await publish(...agents)
    await mailer.look()
  }
  expect(mail.mails).toHaveLength(2)
  registry.clock.tick({ hours: 25 })
  expect(await mailer.look()).toBe(1)
  expect(read(2).subject).toBe('acme.example: 2 changes')
  expect(read(2).whole).toContain('acme.example now authorizes other.example/mcp')
})

test('nothing is told about a domain that was taken down, and it cannot be watched', async () => {
  await publish(ads)
  const { watch_id } = await watch({ agent: ads })
  await watch({ domain: 'acme.example' })
  await registry.submit({ op: 'domain.takedown', domain: 'acme.example' } as never)
  expect(await mailer.look()).toBe(0)
  await ask('DELETE', `${PATH}/${watch_id}`)
  const reading = vi.spyOn(registry.sequencer, 'quietly')
  expect(await mailer.look()).toBe(0)
  expect(reading, 'nothing is read for it').not.toHaveBeenCalled()
  expect((await ask('POST', PATH, { domain: 'acme.example' }, bob)).statusCode).toBe(400)
  expect(mail.mails).toEqual([])
})

test('the MCP client of a person who has signed in watches for them', async () => {
  const address = new URL('/mcp', await registry.app.listen({ port: 0, host: '127.0.0.1' }))
  const requestInit = { headers: { authorization: `Bearer ${ann}` } }
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }))
  const called = await client.callTool({ name: 'create_watch', arguments: { agent: ads } })
  expect(called.structuredContent).toMatchObject({ kind: 'agent', pace: 'at_once' })
  expect((await ask('GET', PATH)).json().watches).toMatchObject([called.structuredContent])
})

describe('a key that a person created in the dashboard', () => {
  let created: { id: string; value: string }
  const enter = (facts: object = {}) =>
    registry.submit({
      op: 'person.enter',
      user_id: 'ann',
      provider: 'email',
      subject: 'ann@mail.example',
      email: 'ann@mail.example',
      email_verified: true,
      name: null,
      ...facts,
    } as never)
  const belong = (op: 'set' | 'remove') =>
    registry.submit({ op: `membership.${op}`, org: 'Acme', user_id: 'ann', role: 'owner' } as never)
  const createKey = async () =>
    (await ask('POST', '/api/me/api-keys', { name: 'agents' })).json<{
      id: string
      value: string
    }>()

  test('begins watches for them, and neither lists nor changes what they watch', async () => {
    await registry.submit(buildOrganizationWrite('Acme').operation)
    await belong('set')
    await enter()
    await publish(ads)
    const own = await watch({ brand: 'acme.example', pace: 'daily' })
    const { value } = await createKey()
    const made = await watch({ domain: 'acme.example' }, value)
    expect(made).not.toHaveProperty('email')
    expect((await watch({ brand: 'acme.example' }, value)).pace).toBe('daily')
    const all = [own, { ...made, email: 'ann@mail.example' }]
    expect((await ask('GET', PATH)).json().watches).toEqual(all)
    await publish(other)
    expect(await mailer.look()).toBe(1)
    expect(mail.recipients).toEqual(['<ann@mail.example>'])
    expect((await ask('GET', PATH, undefined, value)).statusCode).toBe(403)
    const url = `${PATH}/${made.watch_id}`
    expect((await ask('PATCH', url, { pace: 'daily' }, value)).statusCode).toBe(404)
    expect((await ask('DELETE', url, undefined, value)).statusCode).toBe(404)
    expect((await ask('GET', PATH)).json().watches).toEqual(all)
    const stored = registry.sequencer.accounts.db.all(
      `select content, changes from submissions where operation like 'watch.%'`,
    )
    expect(JSON.stringify(stored)).not.toContain('@')
  })

  test.each<[string, () => Promise<unknown>, number]>([
    ['who has left the organization', () => belong('remove'), 403],
    ['whose address is no longer verified', () => enter({ email_verified: false }), 403],
    ['who revoked it', () => ask('DELETE', `/api/me/api-keys/${created.id}`), 401],
  ])('watches no more for somebody %s', async (_, end, status) => {
    await registry.submit(buildOrganizationWrite('Acme').operation)
    await belong('set')
    await enter()
    created = await createKey()
    const { watch_id } = await watch({ domain: 'acme.example' }, created.value)
    await end()
    const answer = await ask('POST', PATH, { domain: 'a.example' }, created.value)
    expect(answer.statusCode).toBe(status)
    if (status === 403) expect(answer.json().error).toContain('create one in the dashboard')
    const url = `${PATH}/${watch_id}`
    expect((await ask('DELETE', url, undefined, created.value)).statusCode).toBe(
      status === 401 ? 401 : 404,
    )
    expect((await ask('GET', PATH)).json().watches).toMatchObject([{ watch_id }])
  })
})

test('only its person sees, changes or ends a watch; a key of nobody and an unverified address cannot watch', async () => {
  const { watch_id } = await watch({ domain: 'acme.example' })
  expect((await ask('GET', PATH, undefined, bob)).json().watches).toEqual([])
  const url = `${PATH}/${watch_id}`
  expect((await ask('PATCH', url, { pace: 'daily' }, bob)).statusCode).toBe(404)
  expect((await ask('DELETE', url, undefined, bob)).statusCode).toBe(404)
  expect((await ask('PATCH', url, { pace: 'daily' })).json()).toMatchObject({ pace: 'daily' })
  const secret = await registry.createKey('Acme')
  expect((await ask('POST', PATH, { domain: 'a.example' }, secret)).statusCode).toBe(403)
  const unverified = await issuer.token({ sub: 'eve', email: 'eve@e.example' })
  expect((await ask('POST', PATH, { domain: 'a.example' }, unverified)).statusCode).toBe(403)
  for (const payload of [{}, { domain: 'a.example', brand: 'a.example' }, { agent: 'nothing' }])
    expect((await ask('POST', PATH, payload)).statusCode).toBe(400)
  const audit = registry.sequencer.accounts.db.all<{ content: object }>(
    `select content from submissions where operation = 'watch.begin'`,
  )
  expect(JSON.stringify(audit)).not.toContain('@')
})

test('without a mail server the terminal shows the mail, with the link that ends it', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  const text = 'Stop watching acme.example: https://registry.example/watches/end?token=x'
  const request = { kind: 'send_mail', to: 'ann@acme.example', subject: 'Gone', text } as const
  expect(await printMail(request)).toEqual({ sent: true })
  expect(written.mock.calls.join('')).toContain(`Email to ann@acme.example: Gone\n\n${text}\n`)
})
