import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OrganizationQuery } from '../../api/auth/organization-query.ts'
import type { Operation as Declared } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { type MembershipRole, membershipRoles } from '../../pipeline/core/roles.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { encryptCredential } from '../../pipeline/model/agent-credential.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { type Known, operationRequests } from '../support/clients/operation-requests.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { createCrawlerWith, openIssuer } from '../support/servers/issuer.ts'
import { testClock } from '../support/worlds/clock.ts'

/** Agent of the organization Beta alone, and one that both organizations enrolled. */
const BETAS = 'https://agent.beta.example/mcp'
const SHARED = 'https://shared.example/mcp'
const CREDENTIALS_KEY = Buffer.alloc(32, 7).toString('base64')

const redis = openForAll(startRedis)
const issuer = openForAll(openIssuer)
let crawler: ReturnType<typeof createCrawlerWith>
let registry: TestRegistry
const orgs = { Alpha: '', Beta: '' }
let betaKey: string
/** Requests that left the API towards the web. */
const sent: string[] = []
const tokens = new Map<string, string>()

/** A person by the roles in both organizations, of which Alpha is the default. */
interface Person {
  alpha?: MembershipRole
  beta?: MembershipRole
}
const people: Person[] = [undefined, ...membershipRoles].flatMap(alpha =>
  [undefined, ...membershipRoles].map(beta => ({ ...(alpha && { alpha }), ...(beta && { beta }) })),
)
const toName = ({ alpha, beta }: Person) => `${alpha ?? 'nobody'}-${beta ?? 'nobody'}`

beforeAll(async () => {
  crawler = createCrawlerWith(issuer.settings, testClock())
  registry = await openRegistry({
    redis: redis.redis,
    settings: { ...issuer.settings, CREDENTIALS_KEY, PROTOCOL_NAME: 'adcp' },
    limits: { savesPerHour: 1e6, savesPerOrganizationHour: 1e6, savesPerOrganizationDay: 1e6 },
    writer: {
      requestLive: (async (request, ...rest) => {
        if (request.kind === 'read_issuer') return crawler.requestLive(request, ...rest)
        sent.push(request.kind)
        return refuse('unavailable', 'nothing answers here')
      }) as WriterClient['requestLive'],
      runStoryboard: async job => {
        sent.push(`${job.kind} for ${job.caller} with ${job.credential?.org_id ?? 'nothing'}`)
        return refuse('unavailable', 'nothing answers here')
      },
    },
  })
  await enrol(registry, {
    org: 'Alpha',
    tier: 'company_leader',
    domains: ['alpha.example', 'shared.example'],
    agents: [{ url: SHARED }],
  })
  betaKey = await enrol(registry, {
    org: 'Beta',
    tier: 'company_leader',
    domains: ['beta.example'],
    agents: [{ url: BETAS }, { url: SHARED }],
  })
  for (const org of ['Alpha', 'Beta'] as const) orgs[org] = await findOrgId(org)
  for (const person of people) {
    const user_id = toName(person)
    if (person.alpha)
      await submit({ op: 'membership.set', org: 'Alpha', user_id, role: person.alpha })
    if (person.beta) await submit({ op: 'membership.set', org: 'Beta', user_id, role: person.beta })
    tokens.set(user_id, await issuer.token({ sub: user_id }))
  }
  for (const [org, agent_url] of [
    ['Alpha', SHARED],
    ['Beta', BETAS],
  ] as const) {
    await saveCredential(orgs[org], agent_url)
  }
})
afterAll(async () => {
  await registry?.close()
  await crawler?.close()
})
beforeEach(async () => {
  sent.length = 0
})

async function submit(operation: object): Promise<void> {
  const [answer] = await registry.submit(Operation.parse(operation))
  if (!answer || 'refused' in answer) throw new Error(answer?.refused)
}

async function findOrgId(name: string): Promise<string> {
  const { db } = registry.sequencer.accounts
  const query = 'select org_id from organizations where name = $name'
  return (await db.one<{ org_id: string }>(query, { name }))!.org_id
}

async function saveCredential(org_id: string, agent_url: string): Promise<void> {
  const credential = {
    auth_type: 'oauth_client_credentials',
    credentials: {
      token_endpoint: 'https://issuer.example/token',
      client_id: 'registry',
      client_secret: 'only for tests',
      auth_method: 'basic',
    },
  } as const
  const sealed_secret = encryptCredential(CREDENTIALS_KEY, credential, { org_id, agent_url })
  const { auth_type } = credential
  await submit({ op: 'agent.credential.save', agent_url, org_id, auth_type, sealed_secret })
}

/** Places of a request that can name an organization. */
type Naming = 'nothing' | 'org' | 'organization_id'

function listNamings({ query, body }: Declared): Naming[] {
  const inner = (body as { unwrap?(): object } | undefined)?.unwrap?.() ?? body
  const fields = Object.keys((inner as { shape?: object } | undefined)?.shape ?? {})
  return [
    'nothing',
    ...(query === OrganizationQuery ? ['org' as const] : []),
    ...(fields.includes('organization_id') ? ['organization_id' as const] : []),
  ]
}

/** Stands for everything that requests of a running registry name. */
const anyKnown = new Proxy({}, { get: () => anyText }) as Known
const anyText: unknown = new Proxy(() => NIL_UUID, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => NIL_UUID : anyText),
})

/** Finds a body that an operation takes. */
function findPayload({ id, body }: Declared): object | string | undefined {
  if (body === undefined) return undefined
  const templates = Object.entries(operationRequests[id] ?? {}).filter(([status]) => status < '300')
  const [, template] = templates[0] ?? []
  return typeof template === 'function' ? template(anyKnown).payload : template?.payload
}

const pathValues: Record<string, string> = {
  storyboardId: 'capability_discovery',
  stepId: 'get_capabilities',
  domain: 'beta.example',
  id: NIL_UUID,
  comparisonId: NIL_UUID,
  platform: 'video',
  file: `${'0'.repeat(64)}.png`,
  revision: '1',
  version: '3.0',
  role: 'signals',
}

interface Trial {
  operation: Declared
  agent: string
  naming: Naming
}

const trials: Trial[] = operations
  .filter(({ access, bodyTypes }) => access !== 'public' && bodyTypes === undefined)
  // A stream has no end.
  .filter(({ id }) => id !== 'streamFeed')
  .flatMap(operation =>
    listNamings(operation).flatMap(naming =>
      (operation.path.includes(':encodedUrl') ? [BETAS, SHARED] : ['']).map(agent => ({
        operation,
        agent,
        naming,
      })),
    ),
  )

/** Settings of an agent that is tested. */
const running = { opt_out: false, paused: false }
const callsAgent = ({ id, agentOwner }: Declared) =>
  agentOwner !== undefined && id !== 'pauseAgentMonitoring' && id !== 'setAgentComplianceOptOut'

/** Sends a request that names Beta where it names an organization. */
async function send({ operation, agent, naming }: Trial, secret: string) {
  const { method, path } = operation
  const url = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(
      name === 'encodedUrl' || name === 'url' ? agent || BETAS : pathValues[name]!,
    ),
  )
  const payload = findPayload(operation)
  const named = naming === 'organization_id' ? { organization_id: orgs.Beta } : {}
  sent.length = 0
  registry.submitted.length = 0
  const keys = await redis.redis.keys('*')
  if (keys.length > 0) await redis.redis.del(...keys)
  return registry.app.inject({
    method,
    url: naming === 'org' ? `${url}?org=${orgs.Beta}` : url,
    headers: { authorization: `Bearer ${secret}`, 'idempotency-key': randomUUID() },
    ...(typeof payload === 'string'
      ? { payload }
      : (payload || naming === 'organization_id') && { payload: { ...payload, ...named } }),
  })
}

/** Returns the role that decides, by the specification: in the organization that the call acts for. */
function findDecidingRole({ operation, agent, naming }: Trial, { alpha, beta }: Person) {
  if (naming !== 'nothing' || agent === BETAS) return beta
  if (agent === '') return alpha ?? beta
  if (operation.agentOwner === 'any') {
    const roles = [alpha, beta].filter(role => role !== undefined)
    return roles.find(role => role !== 'viewer') ?? roles[0]
  }
  // Which of two organizations is meant must be said, or nobody is.
  return alpha && beta ? undefined : (alpha ?? beta)
}

const describeTrial = ({ operation, agent, naming }: Trial, person: Person) =>
  `${operation.id} ${agent} naming ${naming} as ${toName(person)}`

describe('every operation, by every role in the organization that it acts for', () => {
  const actsForOrganization = ({ operation: { path, agentOwner } }: Trial) =>
    agentOwner !== undefined || !path.includes(':encodedUrl')

  test('is refused before anything leaves where the role may only read, and by nothing else', async () => {
    const wrong: string[] = []
    for (const trial of trials) {
      const { access, writes, agentOwner, isPersonal } = trial.operation
      for (const person of people) {
        const answer = await send(trial, tokens.get(toName(person))!)
        const role = findDecidingRole(trial, person)
        const isForViewers = !(writes || agentOwner) || isPersonal || access === 'optional'
        const isRefusedAsViewer = answer.body.includes('Viewers of ')
        const isForbidden = role === 'viewer' && !isForViewers && actsForOrganization(trial)
        if (isForbidden !== isRefusedAsViewer || (isForbidden && answer.statusCode !== 403)) {
          wrong.push(`${describeTrial(trial, person)}: ${answer.statusCode} ${answer.body}`)
        }
        if (answer.statusCode === 403 && sent.length > 0) {
          wrong.push(`${describeTrial(trial, person)}: 403 after ${sent}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('is open to a key with all permissions unless the reference asks for a user token', async () => {
    const secret = `sk_${randomUUID()}`
    const hash = createHash('sha256').update(secret).digest('hex')
    const key = { key_id: randomUUID(), org: 'Beta', label: 'Ops', hash }
    await submit({ op: 'key.create', ...key, permissions: ['admin:*'] })
    const wrong: string[] = []
    for (const trial of trials.filter(({ naming }) => naming === 'nothing')) {
      const { id, isForPeople = false, access } = trial.operation
      if (access !== 'bearer') continue
      const { statusCode, body } = await send(trial, secret)
      // Others are refused for what they name, or for the lack of a moderator, and not for the key.
      const isKeyRefused =
        statusCode === 403 &&
        !/moderator|admins of the registry|Another|Verify|created it/.test(body)
      if (isForPeople ? statusCode < 400 : isKeyRefused) wrong.push(`${id}: ${statusCode} ${body}`)
    }
    expect(wrong).toEqual([])
  })

  test('reaches an agent with the credential of that organization alone', async () => {
    const wrong: string[] = []
    const reached = new Set<string>()
    // Runs of an agent that is paused or opted out reach nothing.
    await submit({ op: 'monitoring.change', agent_url: BETAS, org_id: orgs.Beta, ...running })
    await submit({ op: 'monitoring.change', agent_url: SHARED, org_id: orgs.Alpha, ...running })
    for (const trial of trials.filter(({ operation }) => callsAgent(operation))) {
      for (const person of people) {
        await send(trial, tokens.get(toName(person))!)
        const role = findDecidingRole(trial, person)
        const isAlphas = trial.agent === SHARED && trial.naming === 'nothing' && person.alpha
        const acting = isAlphas ? orgs.Alpha : orgs.Beta
        const credential = isAlphas || trial.agent === BETAS ? acting : 'nothing'
        const expected = `for ${acting} with ${credential}`
        const mayAct = role !== undefined && role !== 'viewer'
        if (sent.length > 0) reached.add(trial.operation.id)
        if (sent.some(text => !mayAct || !text.endsWith(expected))) {
          wrong.push(`${describeTrial(trial, person)}: ${sent}`)
        }
      }
    }
    expect(wrong).toEqual([])
    expect([...reached].sort()).toEqual([
      'compareStoryboard',
      'connectAgent',
      'listApplicableStoryboards',
      'refreshAgent',
      'runAgentStoryboard',
      'runAgentStoryboardStep',
      'saveAgentClientCredentials',
      'testAgentClientCredentials',
    ])
  })

  test('a key acts for its own organization and for no other', async () => {
    for (const trial of trials.filter(({ operation }) => operation.agentOwner)) {
      const answer = await send(trial, betaKey)
      const isOthers = answer.body.includes('Another organization answers for this agent')
      expect(isOthers ? trial.agent : answer.statusCode, describeTrial(trial, {})).not.toBe(403)
      expect(sent.every(text => text.includes(`for ${orgs.Beta} with`))).toBe(true)
    }
  })
})

test('every write about the agent of a caller says which organization it acts for', () => {
  const undeclared = operations.filter(
    ({ path, access, writes, agentOwner }) =>
      path.includes(':encodedUrl') && access === 'bearer' && writes && !agentOwner,
  )
  expect(undeclared.map(({ id }) => id)).toEqual([])
  // The URL of the agent is checked before its owner is looked for.
  const unchecked = operations.filter(
    ({ agentOwner, pathComesFirst }) => agentOwner && !pathComesFirst,
  )
  expect(unchecked.map(({ id }) => id)).toEqual([])
})
