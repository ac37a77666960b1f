import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findKeyHolder } from '../../api/auth/principal.ts'
import type { Operation } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { type PublicErrorName, publicErrors, refuse } from '../../pipeline/core/errors.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { PolicyContent } from '../../pipeline/model/policy.ts'
import { Operation as Submitted } from '../../pipeline/model/submission.ts'
import { createHeaderRecorder } from '../support/checks/observed-headers.ts'
import { createRecorder } from '../support/checks/recorded-examples.ts'
import {
  type ApiRequest,
  alwaysRefused,
  buildLogoUpload,
  conditionalRequests,
  dispute,
  type Known,
  operationRequests,
  product,
  publishedFile,
  type RegistryName,
  unissued,
  url,
} from '../support/clients/operation-requests.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildMirrorFile, createModerator } from '../support/fixtures/mirrors.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { ccpa } from '../support/fixtures/policies.ts'
import { buildSuite } from '../support/fixtures/suites.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { BILLING_SECRET, type Identities, openIdentities } from '../support/registry/identities.ts'
import {
  buildMemberOperations,
  enrol,
  observeAgent,
  proveOwnership,
} from '../support/registry/members.ts'
import {
  buildAgentHost,
  type HostRequest,
  type LiveWeb,
  openLiveWeb,
} from '../support/servers/live-web.ts'
import { makeRegistryKey } from '../support/servers/webhook-receivers.ts'

let web: LiveWeb
/** One whose crawler waits for nobody. */
let hasty: LiveWeb
let identities: Identities
let registries: Record<RegistryName, TestRegistry>
const keys = {} as Record<RegistryName, string>
const moderators = {} as Record<RegistryName, string>
let isAsDescribed: Ajv2020
const known = {} as Known

/** Refuses every submission: nothing carries it out. */
const noWriter = async () => refuse('unavailable', 'no indexer runs beside this test')

const brandFile = JSON.stringify({ id: 'acme', names: [{ en: 'Acme' }] })

const strict = {
  feedStreamsPerCaller: 0,
  bulkResolvePerMinute: 1,
  savesPerHour: 1,
  largeBodiesPerCaller: 0,
  storyboardRunsPerHour: 0,
  storyboardStepsPerHour: 0,
  receiverQuestionsPerHour: 0,
}

const examples = createRecorder()
const headers = createHeaderRecorder()

const registryKey = makeRegistryKey()
const signing = { REGISTRY_SIGNING_KEYS: registryKey.path, LOG_SIGNING_KEY: registryKey.path }

/** Repeats the challenge of whoever asks whether it wants changes. */
function repeatChallenge({ body, response }: HostRequest): void {
  const { challenge = null } = JSON.parse(body).result
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ challenge }))
}

beforeAll(async () => {
  web = await openLiveWeb(
    {
      'receiver.example': { '/changes': repeatChallenge, '/read': repeatChallenge },
      'agent.example': { '/mcp': buildAgentHost({ get_products: { products: [product] } }) },
      'sales.pinnacle-network.example': {
        '/mcp': buildAgentHost({ get_products: { products: [product] } }),
      },
      'closed.example': { '*': ({ response }) => response.writeHead(401).end() },
      'published.example': { '/.well-known/adagents.json': publishedFile },
      'fresh.example': { '*': ({ response }) => response.writeHead(401).end() },
      'away.example': { '*': ({ request }) => request.socket.destroy() },
    },
    {},
    signing,
  )
  const slow = { 'slow.example': { '*': () => undefined } }
  hasty = await openLiveWeb(slow, {
    agentAskMs: 500,
    agentCardMs: 400,
    storyboardMs: 500,
  })
  identities = await openIdentities()
  const settings = {
    ...identities.settings,
    SECURITY_CONTACT: 'mailto:security@registry.example',
    ...signing,
    BILLING_WEBHOOK_SECRET: BILLING_SECRET,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'registry@registry.example',
    CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
  }
  const roomy = {
    bulkResolvePerMinute: 1_000,
    crawlRequestsPerHour: 1_000,
    savesPerHour: 1_000,
    savesPerOrganizationHour: 1_000,
    savesPerOrganizationDay: 1_000,
    watchesPerPerson: 2,
  }
  registries = {
    usual: await web.open(roomy, { settings }),
    strict: await web.open(strict, { settings: signing }),
    hasty: await hasty.open(),
    readOnly: await openRegistry({ settings, writer: { submit: noWriter } }),
    empty: await openRegistry(),
    unsearched: await openRegistry(),
    crowded: await openRegistry({ limits: { snapshotQueries: 0, largeBodiesAtOnce: 0 } }),
  }
  for (const registry of ['usual', 'strict', 'readOnly', 'crowded', 'hasty'] as const) {
    keys[registry] = await registries[registry].createKey('Readers')
    const proven = { domain: 'readers.example' as Domain, proof: 'operator' } as const
    await registries[registry].submit({ op: 'organization.domain.add', org: 'Readers', ...proven })
  }
  const agents = [{ url }, { url: 'https://slow.example/mcp' }]
  for (const registry of ['strict', 'readOnly', 'hasty'] as const) {
    await registries[registry].submit(...buildMemberOperations({ org: 'Readers', agents }))
    await keepCredentials(registries[registry])
  }
  for (const registry of ['usual', 'readOnly'] as const) {
    moderators[registry] = await createModerator(registries[registry])
  }
  known.acmeKey = await fill(registries.usual)
  Object.assign(known, await identities.register(registries.usual, registries.readOnly))
  await fill(registries.unsearched)
  await saveUnpublished(registries.usual)
  await verifyAgent(registries.usual, known.acmeId)
  const last = { domain: 'readers.example', brand_name: 'The last of this hour' }
  await ask(findOperation('saveBrand'), 429, { payload: last })
  known.crawlRequest = await createId('requestCrawl', 202, { domain: 'crawled.example' })
  await registries.usual.publish()
  known.report = await createId('checkPropertyList', 200, { domains: ['acme.example'] })
  known.dispute = await createId('fileCatalogDispute', 200, dispute)
  for (const registry of ['usual', 'strict', 'readOnly'] as const) {
    await holdElsewhere(registries[registry], known.acmeId)
  }
  const taken = (await ask(findOperation('saveLogo'), 201, buildLogoUpload('kept'))).json()
  known.logoId = taken.url.split('/').at(-1)
  known.proposals = [
    await propose('first'),
    await propose('second'),
    await propose('third'),
    await propose('fourth'),
  ]
  known.bulkReport = await createId('checkIdentifierList', 200, { identifiers: ['acme.example'] })
  await createChallenges()
  await subscribe()
  await watch()
  await beginComparisons()
  await createAdmins()
  await registries.usual.publish()
  await publishUnsearched(registries.unsearched)
  await fill(registries.crowded)
  await registries.crowded.publish()
  await registries.strict.publish()
  isAsDescribed = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false } })
  addFormats.default(isAsDescribed)
  const description = await registries.usual.app.inject('/openapi/registry.yaml')
  isAsDescribed.addSchema(parse(description.body), 'api')
})

afterAll(async () => {
  for (const registry of ['readOnly', 'empty', 'unsearched', 'crowded'] as const) {
    await registries[registry].close()
  }
  await identities.close()
  await web.close()
  await hasty.close()
  registryKey.remove()
})

async function fill(registry: TestRegistry): Promise<string> {
  const sites = ['acme.example', 'www.acme.example']
  const key = await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['acme.example'],
    agents: [
      { url },
      { url: 'https://closed.example/mcp' },
      { url: 'https://away.example/mcp' },
      { url: 'https://issued.example/mcp' },
      { url: 'https://paused.example/mcp' },
      { url: 'https://fresh.example/mcp' },
    ],
  })
  await registry.submit({ op: 'policy.publish', policy: PolicyContent.parse(ccpa) })
  const moderator = await createModerator(registry)
  for (const platform of ['video', 'gone']) {
    await registry.send('PUT', `/api/registry/mirrors/${platform}`, {
      key: moderator,
      payload: buildMirrorFile(),
    })
  }
  await registry.observe(
    {
      ...observeFile('brand.json', 'acme.example', brandFile, registry.clock.now()),
      body: Buffer.from(brandFile),
    },
    observePublisherFile('acme.example', { sites, agents: [url], placements: ['top'] }),
    observeAgent(url, { tools: [{ name: 'get_products' }] }),
  )
  return key
}

/** Saves client credentials of an agent of the ordinary caller. */
async function keepCredentials(registry: TestRegistry): Promise<void> {
  const { db } = registry.sequencer.accounts
  const readers = await db.one<{ org_id: string }>(
    `select org_id from organizations where name = 'Readers'`,
  )
  const op = 'agent.credential.save'
  const auth_type = 'oauth_client_credentials'
  await registry.submit({ op, agent_url: url, ...readers!, auth_type, sealed_secret: 'v1.sealed' })
}

/** Creates keys of admins of the registry. */
async function createAdmins(): Promise<void> {
  const appoint = async (registry: TestRegistry) => {
    const secret = await registry.createKey('Admins')
    const { id } = findKeyHolder(registry.reader, secret)!
    await registry.submit({ op: 'role.grant', role: 'admin', holder: 'key', id })
    return secret
  }
  const { usual, strict, readOnly } = registries
  known.registryAdmins = {
    usual: await appoint(usual),
    strict: await appoint(strict),
    readOnly: await appoint(readOnly),
  }
}

/** Begins comparisons of the agent that Acme enrolled. */
async function beginComparisons(): Promise<void> {
  const begin = async () => {
    const answer = await ask(findOperation('compareStoryboard'), 202, {
      params: [encodeURIComponent(url), 'capability_discovery'],
      headers: { prefer: 'respond-async', authorization: `Bearer ${known.acmeKey}` },
    })
    return answer.json().comparison_id
  }
  known.comparisons = { read: await begin(), cancelled: await begin() }
}

/** Subscribes the ordinary caller. */
async function subscribe(): Promise<void> {
  const make = async (name: keyof Known['subscriptions'], registry: TestRegistry) => {
    const { db } = registry.sequencer.accounts
    const readers = await db.one<{ org_id: string }>(
      `select org_id from organizations where name = 'Readers'`,
    )
    const subscription_id = randomUUID()
    const cursor = name === 'expired' ? unissued : NIL_UUID
    const about = { event_types: [], domains: [], agents: [], cursor }
    const url = `https://receiver.example/${name}`
    const subscription = {
      subscription_id,
      ...readers!,
      url,
      ...about,
      created_by: 'ann',
      most: 10,
    }
    await registry.submit(Submitted.parse({ op: 'subscription.create', ...subscription }))
    if (name === 'read' || name === 'deleted') return subscription_id
    const ended = { op: 'subscription.disable', subscription_id, reason: 'it is gone' }
    await registry.submit(Submitted.parse(ended))
    return subscription_id
  }
  const { usual, readOnly, strict } = registries
  known.subscriptions = {
    read: await make('read', usual),
    deleted: await make('deleted', usual),
    expired: await make('expired', usual),
    silent: await make('silent', usual),
    readOnly: await make('readOnly', readOnly),
    strict: await make('strict', strict),
  }
}

/** Has people watch something, by their tokens. */
async function watch(): Promise<void> {
  const begin = async (token: string, domain: string) => {
    const answer = await ask(findOperation('createWatch'), 201, {
      payload: { domain },
      headers: { authorization: `Bearer ${token}` },
    })
    return answer.json().watch_id
  }
  known.watches = {
    changed: await begin(known.colleague, 'acme.example'),
    deleted: await begin(known.colleague, 'readers.example'),
  }
  await begin(known.prospect, 'readers.example')
  await begin(known.prospect, 'waiting.example')
}

/** Creates challenges in each state that a verification can find them in. */
async function createChallenges(): Promise<void> {
  const issue = (domain: string, registry: RegistryName = 'usual') =>
    ask(findOperation('issueOwnershipChallenge'), 201, { payload: { domain }, registry })
  const { usual } = registries
  const buildChallenge = (org_id: string, domain: string, lasts_ms: number) => {
    const challenge_id = randomUUID()
    const challenge = { challenge_id, org_id, domain, nonce_hash: '0'.repeat(64), lasts_ms }
    return { op: 'ownership.issue', ...challenge }
  }
  const readers = await usual.sequencer.accounts.db.one<{ org_id: string }>(
    `select org_id from organizations where name = 'Readers'`,
  )
  // Tokens of persons end within minutes too, so no fifteen minutes pass here.
  const late = buildChallenge(readers!.org_id, 'late.example', 1)
  const foreign = buildChallenge('strangers', 'foreign.example', MINUTE)
  known.foreignChallenge = foreign.challenge_id
  await usual.submit(Submitted.parse(late), Submitted.parse(foreign))
  usual.clock.tick(1)
  const spare = { org: 'Readers', domain: 'spare.example', proof: 'http' }
  await usual.submit(Submitted.parse({ op: 'organization.domain.add', ...spare }))
  for (const domain of ['spare.example', 'dropped.example', 'unproven.example']) await issue(domain)
  // Others hold this one, and the readers have just proven it, too.
  const contested = { domain: 'contested.example' as Domain, proof: 'http' } as const
  await usual.submit({ op: 'organization.domain.add', org: 'Acme', ...contested })
  await proveOwnership(usual, 'Readers', contested.domain)
  await proveOwnership(usual, 'Readers', 'recent.example')
  await issue('unshown.example')
  await issue('owned.example', 'strict')
  for (const domain of ['owned.example', 'shown.example']) {
    const { nonce } = (await issue(domain)).json()
    web.hosts[domain] = { '/.well-known/proto-ownership.txt': nonce }
  }
}

/** The moment between a first snapshot and what is searched of it. */
const website = { type: 'website', name: 'Kept', identifiers: [], tags: [] }

/** Saves facts about a domain that publishes nothing. */
async function saveUnpublished(registry: TestRegistry): Promise<void> {
  const key = await registry.sequencer.accounts.db.one<{ id: string; org_id: string }>(
    `select key_id as id, org_id from api_keys join organizations using (org_id)
     where name = 'Readers'`,
  )
  for (const domain of ['kept.example', 'gone.example'] as Domain[]) {
    const editor = { kind: 'key', ...key! } as const
    const buildSave = () => ({ revision_id: randomUUID(), domain, editor })
    const proven = { org: 'Readers', domain, proof: 'operator' } as const
    await registry.submit({ op: 'organization.domain.add', ...proven })
    await registry.submit(
      { op: 'brand.save', brand_name: 'Kept', ...buildSave() },
      { op: 'property.save', properties: [website], ...buildSave() },
    )
  }
}

/** Gives an agent a badge, and another one a stored credential. */
async function verifyAgent(registry: TestRegistry, org_id: string): Promise<void> {
  const sealed_secret = 'v1.sealed'
  const agent_url = 'https://away.example/mcp'
  const op = 'agent.credential.save'
  await registry.submit(
    { op, agent_url, org_id, auth_type: 'bearer', sealed_secret },
    {
      op,
      agent_url: 'https://issued.example/mcp',
      org_id,
      auth_type: 'oauth_client_credentials',
      sealed_secret,
    },
    buildSuite({ agent_url: url, org_id, at: registry.clock.now() }),
    { op: 'monitoring.change', agent_url: 'https://paused.example/mcp', org_id, paused: true },
  )
}

/** Sets up a domain that points to its hosted file for another organization than the caller's. */
async function holdElsewhere(registry: TestRegistry, org_id: string): Promise<void> {
  const claimed = { domain: 'held.example' as Domain, claim_hash: 'ab'.repeat(32) }
  const reason = 'authoritative_location_pointer'
  await registry.submit(
    { op: 'origin.claim', org_id, ...claimed },
    { op: 'origin.verify', reason, checked_at: registry.clock.now(), ...claimed },
  )
}

async function publishUnsearched(registry: TestRegistry): Promise<void> {
  await registry.sequencer.publish()
  await registry.sequencer.searchable()
  rmSync(registry.reader.paths.searchCheckpoint, { force: true })
  await registry.reader.refresh()
}

/** Proposes a file that then waits for a moderator. */
async function propose(place: string): Promise<Known['proposals'][number]> {
  const answer = await ask(findOperation('putMirror'), 202, {
    params: place,
    payload: buildMirrorFile(),
  })
  const { proposal_id, proposal_digest } = answer.json()
  return { id: proposal_id, digest: proposal_digest }
}

/** Calls an operation and returns the id of what it creates. */
async function createId(id: string, status: number, payload: object): Promise<string> {
  const answer = await ask(findOperation(id), status, { payload })
  expect(answer.statusCode, answer.body).toBe(status)
  const created = answer.json()
  return created.crawl_request_id ?? created.report_id ?? created.dispute_id
}

function findOperation(id: string): Operation {
  return operations.find(operation => operation.id === id)!
}

const usually: Readonly<Record<number, RegistryName>> = { 429: 'strict', 503: 'readOnly' }

/** Builds the path and query of a request. */
function buildUrl({ path }: Operation, { params = [], query }: ApiRequest): string {
  const at = [params].flat().reduce((made, value) => made.replace(/:\w+/, value), path)
  return query === undefined ? at : `${at}?${query}`
}

function ask(operation: Operation, status: number, asked: ApiRequest) {
  const { payload, registry = usually[status] ?? 'usual' } = asked
  const bearer = (asked.caller === 'moderator' ? moderators : keys)[registry]
  return registries[registry].send(operation.method, buildUrl(operation, asked), {
    headers: {
      ...(status !== 401 && { authorization: `Bearer ${bearer}` }),
      ...(typeof payload === 'string' && { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    payload,
  })
}

/** Lists the described statuses, without internal errors and those that another test covers. */
function listStatuses({ id, reply, errors, access, limit }: Operation): number[] {
  const refusals = [
    ...errors.map(name => publicErrors[name].status),
    ...(access === 'bearer' ? [401] : []),
    ...(limit ? [429] : []),
  ]
  const all = [...new Set([...Object.keys(reply).map(Number), ...refusals])]
  // A stream has no end that could be waited for; feed-stream.test.ts reads it.
  return id === 'streamFeed' ? all.filter(status => status !== 200 && status !== 503) : all
}

const cases = operations.flatMap(operation =>
  listStatuses(operation).map(status => [operation.id, status, operation] as const),
)

describe('every operation answers each of its described statuses as described', () => {
  test.each(cases)('%s: %i', async (id, status, operation) => {
    const asking = operationRequests[id]?.[status] ?? alwaysRefused[status]
    if (asking === undefined)
      throw new Error(
        `test/support/clients/operation-requests.ts has no request for ${id}: ${status}`,
      )
    const asked = typeof asking === 'function' ? asking(known) : asking
    let answer = await ask(operation, status, asked)
    // The first request of a limit's time may still pass.
    if (status === 429 && answer.statusCode !== 429) answer = await ask(operation, status, asked)
    expect(answer.statusCode, answer.body.slice(0, 500)).toBe(status)
    examples.record(operation, asked, buildUrl(operation, asked), answer)
    if (status < 400) headers.record(operation, answer.headers)
    if (answer.headers.etag) await expectUnchanged(operation, asked, answer.headers.etag)
    if (operation.reply[status] === null) return expect(answer.body).toBe('')
    const type = String(answer.headers['content-type']).split(';')[0]!
    const place = `${operation.path
      .replace(/:(\w+)/g, '{$1}')
      .replaceAll('~', '~0')
      .replaceAll('/', '~1')}/${operation.method.toLowerCase()}`
    const content = `api#/paths/${encodeURI(place)}/responses/${status}/content/${type.replaceAll('/', '~1')}`
    const described = isAsDescribed.getSchema(`${content}/schema`)
    expect(described, `${status} ${type} is not described`).toBeDefined()
    if (type !== 'application/json') return
    described!(answer.json())
    expect(described!.errors ?? []).toEqual([])
    if (status < 400) return
    const { error, code, message } = answer.json()
    if (error === 'cursor_expired') return expect(message).toMatch(/ /)
    expect(error).toMatch(
      status === 429 ? /\w \w.*\. Try again in \d+ (?:second|minute|hour)/ : /\w \w/,
    )
    expect(publicErrors[code as PublicErrorName].status).toBe(status)
  })
})

/** Expects a 304 for the ETag of an answer. */
async function expectUnchanged(operation: Operation, asked: ApiRequest, etag: string) {
  const sent = { ...asked.headers, 'if-none-match': etag }
  const answer = await ask(operation, 200, { ...asked, headers: sent })
  expect([answer.statusCode, answer.headers.etag]).toEqual([304, etag])
  headers.record(operation, answer.headers)
}

test('every operation sends the headers that it declares, and no others', async () => {
  const ended = { subscription_id: known.subscriptions.read, reason: 'it is gone' }
  await registries.usual.submit(Submitted.parse({ op: 'subscription.disable', ...ended }))
  for (const [id, asking] of Object.entries(conditionalRequests)) {
    const answer = await ask(findOperation(id), 200, asking(known))
    expect(answer.statusCode, answer.body).toBe(200)
    headers.record(findOperation(id), answer.headers)
  }
  headers.check()
})

test('the reference shows the requests and answers that were seen here', () => {
  const stream = findOperation('streamFeed')
  const asked = operationRequests.streamFeed![200] as ApiRequest
  examples.record(stream, asked, buildUrl(stream, asked), {
    statusCode: 200,
    body: '',
    headers: {},
  })
  examples.check()
})

test('no request exists for a removed operation', () => {
  const ids = new Set(operations.map(({ id }) => id))
  expect(Object.keys(operationRequests).filter(id => !ids.has(id))).toEqual([])
})
