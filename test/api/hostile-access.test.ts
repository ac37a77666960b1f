import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { OrganizationQuery } from '../../api/auth/organization-query.ts'
import type { Operation as Declared } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { buildLogoUpload, dispute } from '../support/clients/operation-requests.ts'
import { buildMirrorFile, createModerator } from '../support/fixtures/mirrors.ts'
import { ccpa } from '../support/fixtures/policies.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const shown = 'https://shown.acme.example/mcp'
const hidden = 'https://hidden.acme.example/mcp'
const at = encodeURIComponent

const issuer = openForAll(openIssuer)
const registry = openForAll(() =>
  openWithIssuer(issuer, {
    ownRedis: true,
    limits: {
      savesPerHour: 1_000,
      savesPerOrganizationHour: 1_000,
      savesPerOrganizationDay: 1_000,
    },
  }),
)
/** Ids of Acme's things, which a stranger may put into requests. */
const acme = {
  org: '',
  key: '',
  keyId: '',
  crawl: '',
  proposal: '',
  digest: '',
  challenge: '',
  /** Id of a logo that waits for a moderator, whose image is asked for. */
  logo: '',
  subscription: '',
  invitation: '',
  watch: '',
}
const strangers: Record<string, string> = {}

beforeAll(async () => {
  acme.key = await join('Acme', ['acme.example'], [shown, hidden])
  acme.org = await findId('org_id', `organizations where name = 'Acme'`)
  acme.keyId = await findId(
    'key_id',
    `api_keys where org_id = '${acme.org}' and permissions = '[]'`,
  )
  await createBelongings()
  strangers.key = await join('Mallory', ['mallory.example'], ['https://mallory.example/mcp'])
  await submit({ op: 'membership.set', org: 'Mallory', user_id: 'mallory', role: 'owner' })
  strangers.owner = await issuer.token({ sub: 'mallory' })
  strangers.newcomer = await issuer.token({ sub: 'newcomer', email: 'n@acme.example' })
})

async function submit(operation: object): Promise<Record<string, unknown>> {
  const [answer] = await registry.submit(Operation.parse(operation))
  if (!answer || 'refused' in answer) throw new Error(answer?.refused)
  return answer.done
}

async function findId(column: string, from: string): Promise<string> {
  const { db } = registry.sequencer.accounts
  return (await db.one<{ id: string }>(`select ${column} as id from ${from}`))!.id
}

/** Creates a member whose key has every permission. */
async function join(org: string, domains: string[], [first, ...rest]: string[]): Promise<string> {
  await enrol(registry, {
    org,
    tier: 'company_leader',
    domains,
    public: true,
    agents: [{ url: first! }, ...rest.map(url => ({ url, visibility: 'private' as const }))],
  })
  const secret = `sk_${randomUUID()}`
  const hash = createHash('sha256').update(secret).digest('hex')
  await submit({
    op: 'key.create',
    key_id: randomUUID(),
    org,
    label: 'Ops',
    hash,
    permissions: ['admin:*'],
  })
  return secret
}

/** Creates one of everything that an organization can have. */
async function createBelongings(): Promise<void> {
  const post = async (url: string, payload: object, method: 'POST' | 'PUT' = 'POST') => {
    const answer = await ask(acme.key, { method, url, payload })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json()
  }
  for (const name of ['Acme', 'Acme Shoes']) {
    await post('/api/brands/save', { domain: 'acme.example', brand_name: name })
    const properties = [{ type: 'website', name }]
    await post('/api/properties/save', { publisher_domain: 'acme.example', properties })
  }
  acme.crawl = randomUUID()
  await submit({
    op: 'crawl.request',
    crawl_request_id: acme.crawl,
    scope: 'domain',
    domain: 'acme.example',
    requested_by: 'ann',
    org_id: acme.org,
  })
  const proposal = await post('/api/registry/mirrors/video', buildMirrorFile(), 'PUT')
  Object.assign(acme, { proposal: proposal.proposal_id, digest: proposal.proposal_digest })
  const moderator = await createModerator(registry)
  await ask(moderator, {
    method: 'PUT',
    url: '/api/registry/mirrors/music',
    payload: buildMirrorFile(),
  })
  const issued = await post('/api/registry/ownership/challenges', { domain: 'www.acme.example' })
  acme.challenge = issued.challenge_id
  await post('/api/policies/save', { ...ccpa, policy_id: 'of_acme' })
  await post('/api/registry/catalog/disputes', dispute)
  const { payload, headers } = buildLogoUpload('waiting')
  const waiting = await ask(acme.key, {
    method: 'POST',
    url: '/api/brands/waiting.example/logos',
    payload: payload!,
    headers,
  })
  acme.subscription = randomUUID()
  await submit({
    op: 'subscription.create',
    subscription_id: acme.subscription,
    org_id: acme.org,
    url: 'https://hidden.acme.example/changes',
    event_types: [],
    domains: [],
    agents: [],
    cursor: NIL_UUID,
    created_by: 'ann',
    most: 10,
  })
  acme.invitation = randomUUID()
  await submit({ op: 'membership.set', org: 'Acme', user_id: 'ann', role: 'owner' })
  await submit({
    op: 'invitation.create',
    invitation_id: acme.invitation,
    org_id: acme.org,
    email: 'hidden.acme@acme.example',
    role: 'owner',
    hash: createHash('sha256').update(invitationToken).digest('hex'),
    expires_at: '2099-01-01T00:00:00Z',
    most: 10,
  })
  acme.watch = randomUUID()
  await submit({
    op: 'watch.begin',
    watch_id: acme.watch,
    user_id: 'ann',
    email: 'hidden.acme@acme.example',
    kind: 'domain',
    subject: 'acme.example',
    pace: 'daily',
    most: 10,
  })
  acme.logo = new URL(waiting.json().url).pathname
  await post('/api/properties/hosted/acme.example/claim', {})
}

function ask(secret: string | undefined, { method = 'GET', url, payload, headers }: CallerRequest) {
  return registry.app.inject({
    method,
    url,
    ...(payload !== undefined && { payload }),
    headers: { ...headers, ...(secret !== undefined && { authorization: `Bearer ${secret}` }) },
  })
}

interface CallerRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  payload?: object | string
  headers?: Readonly<Record<string, string>> | undefined
}

interface Case {
  asks: () => CallerRequest
  /** Status that a stranger gets. */
  status: number
}

/** Token of an invitation of Acme that somebody found; the address is not theirs. */
const invitationToken = 'i'.repeat(43)
const agent = { url: 'https://new.acme.example/mcp', type: 'sales' }
const saving = { domain: 'acme.example', brand_name: 'Mallory' }
const byId = (path: string, id: () => string, more: () => Partial<CallerRequest> = () => ({})) => ({
  asks: () => ({ url: path.replace(/:\w+/, id()), ...more() }),
})
const decided = () => ({
  method: 'POST' as const,
  payload: { proposal_digest: acme.digest, review_notes: 'mine' },
})
const deciding = () => ({
  method: 'POST' as const,
  payload: { digest: acme.digest, notes: 'mine' },
})
const del = () => ({ method: 'DELETE' as const })
const people = '/api/me/organization/members'
const invitations = '/api/me/organization/invitations'
const own = '/api/me/agents'
const toHiddenPath = () => `/api/registry/agents/${at(hidden)}`
const domains = '/api/me/organization/domains'
const keys = '/api/me/api-keys'
const proposals = '/api/registry/mirror-proposals/:id'
const subscriptions = '/api/registry/subscriptions'
const reviews = '/api/registry/reviews'

/** Requests of a stranger for Acme's things, by operation. */
const cases: Record<string, Case[]> = {
  getCrawlRequest: [{ ...byId('/api/registry/crawl-request/:id', () => acme.crawl), status: 404 }],
  listApiKeys: [{ asks: () => ({ url: `${keys}?org=${acme.org}` }), status: 403 }],
  createApiKey: [
    {
      asks: () => ({ method: 'POST', url: `${keys}?org=${acme.org}`, payload: { name: 'x' } }),
      status: 403,
    },
  ],
  revokeApiKey: [
    { ...byId(`${keys}/:id`, () => acme.keyId, del), status: 404 },
    { ...byId(`${keys}/:id`, () => `${acme.keyId}?org=${acme.org}`, del), status: 403 },
  ],
  listOrganizationMembers: [{ asks: () => ({ url: `${people}?org=${acme.org}` }), status: 403 }],
  changeOrganizationMember: [
    {
      asks: () => ({
        method: 'PATCH',
        url: `${people}/ann?org=${acme.org}`,
        payload: { role: 'viewer' },
      }),
      status: 403,
    },
  ],
  removeOrganizationMember: [
    { ...byId(`${people}/:id`, () => `ann?org=${acme.org}`, del), status: 403 },
  ],
  listInvitations: [{ asks: () => ({ url: `${invitations}?org=${acme.org}` }), status: 403 }],
  renameOrganization: [
    {
      asks: () => ({
        method: 'PATCH',
        url: `/api/organizations/${acme.org}`,
        payload: { name: 'Mallory’s' },
      }),
      status: 403,
    },
  ],
  deleteOrganization: [{ ...byId('/api/organizations/:id', () => acme.org, del), status: 403 }],
  createOwnProfile: [
    {
      asks: () => ({ method: 'POST', url: `/api/me/organization/profile?org=${acme.org}` }),
      status: 403,
    },
  ],
  createInvitation: [
    {
      asks: () => ({
        method: 'POST',
        url: `${invitations}?org=${acme.org}`,
        payload: { email: 'mallory@mallory.example', role: 'owner' },
      }),
      status: 403,
    },
  ],
  revokeInvitation: [
    { ...byId(`${invitations}/:id`, () => `${acme.invitation}?org=${acme.org}`, del), status: 403 },
  ],
  acceptInvitation: [
    {
      asks: () => ({
        method: 'POST',
        url: '/api/me/invitations/accept',
        payload: { token: invitationToken },
      }),
      status: 403,
    },
  ],
  getOrganizationUsage: [
    { asks: () => ({ url: `/api/me/organization/usage?org=${acme.org}` }), status: 403 },
  ],
  getOrganizationAudit: [
    { asks: () => ({ url: `/api/me/organization/audit?org=${acme.org}` }), status: 403 },
  ],
  listOwnDomains: [{ asks: () => ({ url: `${domains}?org=${acme.org}` }), status: 403 }],
  addOwnDomain: [
    {
      asks: () => ({
        method: 'POST',
        url: `${domains}?org=${acme.org}`,
        payload: { domain: 'www.acme.example' },
      }),
      status: 403,
    },
  ],
  verifyOwnDomain: [
    { asks: () => requestVerification(''), status: 404 },
    { asks: () => requestVerification(`?org=${acme.org}`), status: 403 },
  ],
  removeOwnDomain: [
    { ...byId(`${domains}/:domain`, () => 'acme.example', del), status: 404 },
    { ...byId(`${domains}/:domain`, () => `acme.example?org=${acme.org}`, del), status: 403 },
  ],
  cancelOwnDomainProof: [
    { ...byId(`${domains}/:domain/challenge`, () => 'awaited.example', del), status: 404 },
    {
      asks: () => ({ ...del(), url: `${domains}/awaited.example/challenge?org=${acme.org}` }),
      status: 403,
    },
  ],
  excludeOtherOwners: [
    { ...byId(`${domains}/:domain/others`, () => 'acme.example', del), status: 409 },
    {
      asks: () => ({ ...del(), url: `${domains}/acme.example/others?org=${acme.org}` }),
      status: 403,
    },
  ],
  listOwnAgents: [{ asks: () => ({ url: `${own}?org=${acme.org}` }), status: 403 }],
  enrolOwnAgent: [
    {
      asks: () => ({ method: 'POST', url: `${own}?org=${acme.org}`, payload: agent }),
      status: 403,
    },
    { asks: () => ({ method: 'POST', url: own, payload: agent }), status: 400 },
  ],
  changeOwnAgent: [
    ...['', 'org'].map(org => ({
      asks: () => ({
        method: 'PATCH' as const,
        payload: { visibility: 'public' },
        url: `${own}/${at(hidden)}${org && `?org=${acme.org}`}`,
      }),
      status: org ? 403 : 404,
    })),
  ],
  removeOwnAgent: [
    { ...byId(`${own}/:url`, () => at(hidden), del), status: 404 },
    { ...byId(`${own}/:url`, () => `${at(hidden)}?org=${acme.org}`, del), status: 403 },
  ],
  compareStoryboard: [
    {
      asks: () => ({
        method: 'POST',
        url: `/api/registry/agents/${at(hidden)}/storyboard/capability_discovery/compare`,
      }),
      status: 403,
    },
  ],
  getStoryboardComparison: [
    {
      asks: () => ({
        method: 'GET',
        url: `${toHiddenPath()}/storyboard/capability_discovery/compare/${NIL_UUID}`,
      }),
      status: 403,
    },
  ],
  cancelStoryboardComparison: [
    {
      asks: () => ({
        method: 'DELETE',
        url: `${toHiddenPath()}/storyboard/capability_discovery/compare/${NIL_UUID}`,
      }),
      status: 403,
    },
  ],
  runAgentStoryboard: [
    {
      asks: () => ({
        method: 'POST',
        url: `${toHiddenPath()}/storyboard/capability_discovery/run`,
      }),
      status: 403,
    },
  ],
  runAgentStoryboardStep: [
    {
      asks: () => ({
        method: 'POST',
        url: `${toHiddenPath()}/storyboard/capability_discovery/step/get_capabilities`,
      }),
      status: 403,
    },
  ],
  listApplicableStoryboards: [
    {
      asks: () => ({ method: 'GET', url: `${toHiddenPath()}/applicable-storyboards` }),
      status: 403,
    },
  ],
  revalidatePublisher: [
    {
      asks: () => ({
        method: 'POST',
        url: '/api/registry/publisher/acme.example/adagents/revalidate',
      }),
      status: 403,
    },
  ],
  forceBrandCrawl: [
    {
      asks: () => ({ method: 'POST', url: '/api/registry/brand/acme.example/force-crawl' }),
      status: 403,
    },
  ],
  changeWatch: [
    {
      ...byId(
        '/api/me/watches/:id',
        () => acme.watch,
        () => ({
          method: 'PATCH' as const,
          payload: { pace: 'daily' },
        }),
      ),
      status: 404,
    },
  ],
  deleteWatch: [{ ...byId('/api/me/watches/:id', () => acme.watch, del), status: 404 }],
  createSubscription: [
    {
      asks: () => ({
        method: 'POST',
        url: `${subscriptions}?org=${acme.org}`,
        payload: { url: 'https://mallory.example/changes' },
      }),
      status: 403,
    },
  ],
  getAgentDiagnostics: [
    {
      asks: () => ({ method: 'GET', url: `${toHiddenPath()}/compliance/diagnostics` }),
      status: 403,
    },
  ],
  listAgentRequests: [
    {
      asks: () => ({ method: 'GET', url: `${toHiddenPath()}/monitoring/requests` }),
      status: 403,
    },
  ],
  refreshAgent: [
    { asks: () => ({ method: 'POST', url: `${toHiddenPath()}/refresh` }), status: 403 },
  ],
  getAgentMonitoring: [
    {
      asks: () => ({ method: 'GET', url: `${toHiddenPath()}/monitoring/settings` }),
      status: 403,
    },
  ],
  setAgentLifecycle: [
    {
      asks: () => ({
        method: 'PUT',
        url: `${toHiddenPath()}/lifecycle`,
        payload: { lifecycle_stage: 'deprecated' },
      }),
      status: 403,
    },
  ],
  listSubscriptions: [{ asks: () => ({ url: `${subscriptions}?org=${acme.org}` }), status: 403 }],
  getSubscription: buildSubscriptionCases('GET', ''),
  changeSubscription: buildSubscriptionCases('PATCH', '', { event_types: ['agent.*'] }),
  deleteSubscription: buildSubscriptionCases('DELETE', ''),
  testSubscription: buildSubscriptionCases('POST', '/test'),
  resumeSubscription: buildSubscriptionCases('POST', '/resume'),
  listDeliveries: buildSubscriptionCases('GET', '/deliveries'),
  setAgentComplianceOptOut: [
    {
      asks: () => ({
        method: 'PUT',
        url: `${toHiddenPath()}/compliance/opt-out`,
        payload: { opt_out: true },
      }),
      status: 403,
    },
  ],
  pauseAgentMonitoring: [
    {
      asks: () => ({
        method: 'PUT',
        url: `${toHiddenPath()}/monitoring/pause`,
        payload: { paused: true },
      }),
      status: 403,
    },
  ],
  setAgentMonitoringInterval: [
    {
      asks: () => ({
        method: 'PUT',
        url: `${toHiddenPath()}/monitoring/interval`,
        payload: { interval_hours: 168 },
      }),
      status: 403,
    },
  ],
  requeueAgentMonitoring: [
    {
      asks: () => ({ method: 'POST', url: `${toHiddenPath()}/monitoring/requeue` }),
      status: 403,
    },
  ],
  connectAgent: [
    {
      asks: () => ({
        method: 'PUT',
        url: `${toHiddenPath()}/connect`,
        payload: { auth_token: 'stolen-word' },
      }),
      status: 403,
    },
  ],
  saveAgentClientCredentials: [
    {
      asks: () => ({
        method: 'PUT',
        url: `${toHiddenPath()}/oauth-client-credentials`,
        payload: {
          token_endpoint: 'https://mallory.example/token',
          client_id: 'mallory',
          client_secret: 'stolen-word',
        },
      }),
      status: 403,
    },
  ],
  testAgentClientCredentials: [
    {
      asks: () => ({ method: 'POST', url: `${toHiddenPath()}/oauth-client-credentials/test` }),
      status: 403,
    },
  ],
  disconnectAgent: [
    {
      asks: () => ({ method: 'DELETE', url: `${toHiddenPath()}/connect` }),
      status: 403,
    },
  ],
  getMirrorProposal: [{ ...byId(proposals, () => acme.proposal), status: 404 }],
  listReviews: [{ asks: () => ({ url: reviews }), status: 403 }],
  getReview: [{ ...byId(`${reviews}/:id`, () => acme.proposal), status: 403 }],
  approveReview: [
    { ...byId(`${reviews}/:id/approve`, () => acme.proposal, deciding), status: 403 },
  ],
  rejectReview: [{ ...byId(`${reviews}/:id/reject`, () => acme.proposal, deciding), status: 403 }],
  approveMirrorProposal: [
    { ...byId(`${proposals}/approve`, () => acme.proposal, decided), status: 403 },
  ],
  rejectMirrorProposal: [
    { ...byId(`${proposals}/reject`, () => acme.proposal, decided), status: 403 },
  ],
  putMirror: [
    {
      asks: () => ({
        method: 'PUT',
        url: '/api/registry/mirrors/music',
        payload: buildMirrorFile('x'),
      }),
      status: 202,
    },
  ],
  deleteMirror: [
    { ...byId('/api/registry/mirrors/:id?force=true', () => 'music', del), status: 403 },
  ],
  rollBackBrand: [buildRollbackCase('/api/brands/discovered/acme.example/rollback')],
  rollBackProperty: [buildRollbackCase('/api/properties/hosted/acme.example/rollback')],
  withdrawBrand: [buildWithdrawalCase('/api/brands/acme.example/hosted')],
  withdrawProperties: [buildWithdrawalCase('/api/properties/hosted/acme.example')],
  getLogo: [{ asks: () => ({ url: acme.logo }), status: 404 }],
  saveLogo: [
    {
      asks: () => {
        const { payload, headers } = buildLogoUpload('of a stranger')
        const url = '/api/brands/acme.example/logos'
        return { method: 'POST', url, payload: payload!, headers }
      },
      status: 201,
    },
  ],
  claimHostedDomain: [
    {
      asks: () => ({ method: 'POST', url: '/api/properties/hosted/acme.example/claim' }),
      status: 200,
    },
  ],
  verifyOwnership: [
    {
      asks: () => ({
        method: 'POST',
        url: '/api/registry/ownership/verify',
        payload: { domain: 'www.acme.example', challenge_id: acme.challenge },
      }),
      status: 403,
    },
  ],
  savePolicy: [
    {
      asks: () => ({
        method: 'POST',
        url: '/api/policies/save',
        payload: { ...ccpa, policy_id: 'of_acme', name: 'Mallory’s' },
      }),
      status: 409,
    },
  ],
  saveBrand: [
    { asks: () => ({ method: 'POST', url: '/api/brands/save', payload: saving }), status: 403 },
  ],
  setUpBrand: [
    {
      asks: () => ({
        method: 'POST',
        url: `/api/brands/setup-my-brand?org=${acme.org}`,
        payload: { domain: 'acme.example', brand_name: 'Mallory' },
      }),
      status: 403,
    },
  ],
  saveProperty: [
    {
      asks: () => ({
        method: 'POST',
        url: '/api/properties/save',
        payload: { publisher_domain: 'acme.example' },
      }),
      status: 403,
    },
  ],
}

/** Builds requests for a subscription of Acme's, by its id alone and with the organization. */
function buildSubscriptionCases(
  method: NonNullable<CallerRequest['method']>,
  path: string,
  payload?: object,
): Case[] {
  const ask = (query: string) => ({
    asks: () => ({
      method,
      url: `${subscriptions}/${acme.subscription}${path}${query}`,
      ...(payload && { payload }),
    }),
  })
  return [
    { ...ask(''), status: 404 },
    { asks: () => ({ ...ask(`?org=${acme.org}`).asks() }), status: 403 },
  ]
}

function requestVerification(query: string): CallerRequest {
  return { method: 'POST', url: `${domains}/www.acme.example/verify${query}` }
}

function buildRollbackCase(url: string): Case {
  return { asks: () => ({ method: 'POST', url, payload: { to_revision: 1 } }), status: 403 }
}

function buildWithdrawalCase(url: string): Case {
  return { asks: () => ({ method: 'DELETE', url }), status: 403 }
}

/**
 * Operations that filter what is public, or name what is everybody's, by an id; and one by which
 * anybody has it looked at what a domain itself says.
 */
const publicIds = [
  'listAgents',
  'searchAgents',
  'listAuthorizations',
  'resolveIdentifiers',
  'listLogos',
  'verifyHostedOrigin',
  'getBrandOwnership',
  // They repeat the address that was asked about; storyboards.test.ts shows that they tell nothing else.
  'getAgentCompliance',
  'getAgentComplianceHistory',
  'getAgentStoryboardStatus',
  // Of an agent of others it says that there is nothing; compliance.test.ts shows it.
  'getAgentAuthStatus',
]

function needsId({ access, path, query, body }: Declared): boolean {
  if (access === 'public') return false
  const shapes = [query, body].map(
    schema => (schema as { shape?: object } | undefined)?.shape ?? {},
  )
  const fields = shapes.flatMap(Object.keys)
  return (
    path.includes(':') || query === OrganizationQuery || fields.some(name => /(^|_)id$/.test(name))
  )
}

/** Reads all that is Acme's from the stores. */
async function readBelongings() {
  const accounts = (query: string) => registry.sequencer.accounts.db.all(query)
  const index = (query: string) => registry.sequencer.index.all(query)
  return {
    keys: accounts(
      `select key_id, revoked_at from api_keys where org_id = '${acme.org}' order by rowid`,
    ),
    agents: accounts(`select * from member_agents where org_id = '${acme.org}' order by rowid`),
    domains: accounts(
      `select * from verified_domains where org_id = '${acme.org}' order by domain`,
    ),
    watches: accounts(`select * from watches where user_id = 'ann'`),
    invitations: accounts(`select * from invitations where org_id = '${acme.org}'`),
    people: accounts(`select * from memberships where org_id = '${acme.org}' order by rowid`),
    challenges: accounts(`select * from ownership_challenges where org_id = '${acme.org}'`),
    subscriptions: accounts(`select * from subscriptions where org_id = '${acme.org}'`),
    reviews: accounts(`select * from reviews where org_id = '${acme.org}' order by review_id`),
    logos: accounts(`select * from logos where org_id = '${acme.org}' order by logo_id`),
    claims: accounts(`select * from origin_claims where org_id = '${acme.org}'`),
    origins: accounts('select * from origins'),
    entries: await index(`select * from entries where domain = 'acme.example' order by entity`),
    revisions: await index(
      `select * from revisions where domain = 'acme.example' order by entity, revision_number`,
    ),
    mirrors: await index('select * from mirrors order by platform'),
    policies: await index('select * from policies order by policy_id'),
  }
}

test('every operation with an id is tried by a stranger here', () => {
  const named = operations.filter(needsId).map(({ id }) => id)
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter(id => !(id in cases) && !publicIds.includes(id))).toEqual([])
})

const tried = Object.entries(cases).flatMap(([id, ways]) => ways.map(way => ({ id, ...way })))

describe.each(['key', 'owner', 'newcomer'])('a stranger: %s', who => {
  test.each(tried)('gets $status with $id, and changes nothing', async ({ asks, status }) => {
    const before = await readBelongings()
    const answer = await ask(strangers[who]!, asks())
    // Who has no organization yet founds one by some of these, and may do with it what is theirs.
    if (who !== 'newcomer') expect(answer.statusCode, answer.body).toBe(status)
    expect(answer.statusCode).toBeLessThan(500)
    expect(answer.body.replace(`has no agent ${hidden}`, '')).not.toMatch(/hidden\.acme|Ops/)
    expect(await readBelongings()).toEqual(before)
  })
})

test('a pending logo is shown to no stranger, and a stranger’s logo to nobody else', async () => {
  const logos = async (secret: string, domain: string) =>
    (await ask(secret, { url: `/api/brands/${domain}/logos` })).json().stats.total
  expect(await logos(strangers.key!, 'acme.example')).toBeGreaterThan(0)
  expect(await logos(acme.key, 'acme.example')).toBe(0)
  expect([
    await logos(acme.key, 'waiting.example'),
    await logos(strangers.key!, 'waiting.example'),
  ]).toEqual([1, 0])
})

test.each(tried.filter(({ id }) => id !== 'getLogo'))(
  'a caller without a credential gets 401 from $id',
  async ({ asks }) => {
    expect((await ask(undefined, asks())).statusCode).toBe(401)
  },
)

describe.each(operations.filter(({ access }) => access === 'bearer'))(
  'without a credential, $id',
  ({ method, path }) => {
    const url = path.replace(/:(\w+)/g, (_, name) => (name === 'encodedUrl' ? at(shown) : NIL_UUID))
    test.each([
      ['a wrong body', { payload: '{', headers: { 'content-type': 'application/json' } }],
      ['a body of the wrong type', { payload: [] }],
      ['an unknown parameter', { url: `${url}?nothing=1` }],
    ])('answers 401 whatever else is wrong: %s', async (_, wrong) => {
      if (method === 'GET' && 'payload' in wrong) return
      const answer = await ask(undefined, { method: method as 'POST', url, ...wrong })
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthenticated'])
    })
  },
)

test('a guessed id gets the same answer as another one’s id', async () => {
  const unknown = randomUUID()
  for (const [path, id] of [
    ['/api/registry/crawl-request/', acme.crawl],
    ['/api/registry/mirror-proposals/', acme.proposal],
    [`${subscriptions}/`, acme.subscription],
  ]) {
    const [theirs, none] = [
      await ask(strangers.key, { url: `${path}${id}` }),
      await ask(strangers.key, { url: `${path}${unknown}` }),
    ]
    expect(theirs.statusCode).toBe(none.statusCode)
    expect(theirs.body.replace(id!, '')).toBe(none.body.replace(unknown, ''))
  }
  const [theirs, none] = [
    await ask(strangers.key, { method: 'DELETE', url: `${keys}/${acme.keyId}` }),
    await ask(strangers.key, { method: 'DELETE', url: `${keys}/${unknown}` }),
  ]
  expect([theirs.statusCode, theirs.body]).toEqual([none.statusCode, none.body])
})

test('lists show a stranger nothing that an organization keeps private', async () => {
  await registry.publish()
  for (const url of [
    '/api/registry/agents',
    '/api/registry/operator?domain=acme.example',
    own,
    keys,
    '/api/registry/mirror-proposals',
    subscriptions,
    '/api/registry/ownership?domain=acme.example',
    domains,
    '/api/brands/acme.example/ownership',
    `/api/registry/authorizations?agent_url=${at(hidden)}`,
  ]) {
    const answer = await ask(strangers.key, { url })
    expect(answer.statusCode, url).toBe(200)
    if (!url.includes(at(hidden))) expect(answer.body, url).not.toContain('hidden.acme')
    expect(answer.body, url).not.toContain(acme.org)
    expect(answer.body, url).not.toContain(acme.proposal)
  }
  const proven = await ask(strangers.key, { url: '/api/registry/ownership?domain=acme.example' })
  expect(proven.json()).toMatchObject({ proven: false, verified_at: null, proven_by: null })
})

test('and the owner can still do all of it', async () => {
  registry.clock.tick(MINUTE)
  for (const id of ['getCrawlRequest', 'getMirrorProposal', 'listApiKeys', 'listOwnAgents']) {
    expect((await ask(acme.key, cases[id]![0]!.asks())).statusCode, id).toBe(200)
  }
  for (const id of ['rollBackBrand', 'changeOwnAgent', 'saveBrand']) {
    expect((await ask(acme.key, cases[id]![0]!.asks())).statusCode, id).toBe(200)
  }
  expect((await ask(acme.key, cases.revokeApiKey![0]!.asks())).statusCode).toBe(204)
})
