import { buildMirrorFile } from './mirrors.ts'

/** A request of an operation: what follows its path, in place of its parameters or behind it. */
export interface Ask {
  /** Value of the path parameter, or of each of them. */
  place?: string | readonly string[]
  query?: string
  payload?: object | string
  headers?: Readonly<Record<string, string>>
  /** Kind of caller; without it, an ordinary member. */
  as?: 'moderator' | 'anybody'
  /** Registry that is asked; without it, one that is sure to answer with this status. */
  registry?: RegistryName
}

/**
 * Registries in the order of their names: one that answers, one whose limits are used up at once, one
 * without a writer, an empty one, one whose search file is not built yet, one whose snapshot takes no more
 * queries, and one whose crawler gives up at once.
 */
export type RegistryName =
  | 'usual'
  | 'strict'
  | 'readOnly'
  | 'empty'
  | 'unsearched'
  | 'crowded'
  | 'hasty'

/** Ids and addresses of one registry that requests to it name. */
export interface Known {
  crawlRequest: string
  report: string
  bulkReport: string
  dispute: string
  /** Pending ones of the ordinary caller. */
  proposals: readonly { id: string; digest: string }[]
  /**
   * A key that manages the keys of its organization, one that is not needed, and the caller's own where nobody
   * writes.
   */
  adminKey: string
  spareKeyId: string
  readOnlyKeyId: string
  /** A key of a member with agents, and the id of that member. */
  acmeKey: string
  acmeId: string
  /** Get the image of a logo of kept.example. */
  picture: string
  /** Tokens of persons: of no organization, at the domain of one, and at that of one nobody joined yet. */
  person: string
  colleague: string
  prospect: string
  /** Of the owner of the usual organization, and of a person whom it has invited by this token. */
  boss: string
  invited: string
  invitationToken: string
  /** An invitation that is not needed. */
  spareInvitation: string
  /** Signs a body as the billing provider does. */
  billing(body: string): Record<string, string>
  /** A challenge of another organization, for foreign.example. */
  foreignChallenge: string
  /** Keys of admins, by the registry. */
  registryAdmins: Record<'usual' | 'strict' | 'readOnly', string>
  /**
   * Subscriptions of the ordinary caller: one to read, one to delete, and those that ended, where the cursor
   * is too old, the receiver is silent, nobody writes, or little is allowed.
   */
  subscriptions: Record<'read' | 'deleted' | 'expired' | 'silent' | 'readOnly' | 'strict', string>
  /** Comparisons that Acme has begun: one to read, and one to cancel. */
  comparisons: Record<'read' | 'cancelled', string>
}

type Asking = Ask | ((known: Known) => Ask)
/** For each operation a request for a status; what every operation of its kind refuses needs none. */
export type Asks = Readonly<Record<string, Readonly<Record<number, Asking>>>>

export const url = 'https://agent.example/mcp'
const agent = encodeURIComponent(url)
const acme = { query: 'domain=acme.example' }
const placements = { query: 'domain=acme.example&include=placements' }
const crowded = { registry: 'crowded' } as const
const nobody = { query: 'domain=nobody.example' }
const stranger = encodeURIComponent('https://nobody.example/mcp')
const domains = { payload: { domains: ['acme.example', 'b.example'] } }
const sold = { agent_url: url, publisher_properties: [{ publisher_domain: 'acme.example' }] }
/** What the agent sells. */
export const product = { product_id: 'home_page', name: 'Home page', description: 'All of its top' }
const seller = {
  url,
  authorized_for: 'All display',
  authorization_type: 'property_ids',
  property_ids: ['site'],
}
/** A file that a publisher has on the web and nobody has crawled. */
export const publishedFile = {
  authorized_agents: [seller],
  properties: [
    {
      property_id: 'site',
      property_type: 'website',
      name: 'Site',
      identifiers: [{ type: 'domain', value: 'published.example' }],
    },
  ],
  last_updated: '2026-11-19T00:00:00Z',
}
const published = { query: 'domain=published.example' }
/** A policy that the asked registry knows. */
export const ccpa = {
  policy_id: 'ccpa',
  version: '1',
  name: 'CCPA',
  category: 'regulation',
  enforcement: 'must',
  policy: 'Ask first.',
}
export const unissued = '01939f00-0000-7000-8000-000000000000'
const property = `agent_url=${agent}&identifier_type=domain&identifier_value=acme.example`
const unknown = [{ type: 'domain', value: 'unknown.example' }]
/** A dispute about a property of the catalog. */
export const dispute = {
  dispute_type: 'classification',
  subject_type: 'property',
  subject_value: 'www.acme.example',
  claim: 'This is a shop, not a publisher.',
}
const identifiers = [{ type: 'domain', value: 'acme.example' }]

const fresh = { query: 'domain=nobody.example&fresh=true' }
const freshly = { 503: fresh }
const site = {
  property_type: 'website',
  name: 'Site',
  property_id: 'site',
  identifiers: [{ type: 'domain', value: 'site.example' }],
}

const elsewhere = { query: `org=${unissued}` }
const receiver = { url: 'https://receiver.example/changes' }
const newAgent = { url: 'https://acme.example/new', type: 'sales' }
const ownAgent = { place: encodeURIComponent('https://acme.example/old') }

export const asks: Asks = {
  createOrganization: {
    200: as('prospect', { payload: { organization_name: 'Waiting' } }),
    201: as('person', { payload: { organization_name: 'Founded' } }),
    403: { payload: { organization_name: 'Readers too' } },
    409: as('person', { payload: { organization_name: 'Acme' } }),
    503: as('person', { payload: { organization_name: 'Founded' } }),
  },
  addOwnDomain: {
    201: { payload: { domain: 'new.example' } },
    403: { ...elsewhere, payload: { domain: 'new.example' } },
    503: { payload: { domain: 'new.example' } },
  },
  verifyOwnDomain: {
    200: { place: 'shown.example' },
    400: { place: 'x' },
    403: { ...elsewhere, place: 'shown.example' },
    404: { place: 'nobody.example' },
    409: { place: 'unshown.example' },
    410: { place: 'late.example' },
    503: { place: 'shown.example' },
  },
  listOwnDomains: { 200: {}, 400: { query: 'org=' }, 403: elsewhere },
  listOwnAgents: { 200: as('acmeKey'), 400: { query: 'org=' }, 403: elsewhere, 404: {} },
  enrolOwnAgent: {
    200: as('acmeKey', { payload: { url, type: 'sales' } }),
    201: as('acmeKey', { payload: newAgent }),
    403: { ...elsewhere, payload: newAgent },
    409: as('colleague', { payload: newAgent }),
    503: { payload: newAgent },
  },
  changeOwnAgent: {
    200: as('acmeKey', { ...ownAgent, payload: { name: 'Old' } }),
    403: { ...ownAgent, ...elsewhere, payload: {} },
    404: as('acmeKey', { place: stranger, payload: {} }),
    503: { ...ownAgent, payload: {} },
  },
  removeOwnAgent: {
    204: as('acmeKey', ownAgent),
    400: { place: 'x' },
    403: { ...ownAgent, ...elsewhere },
    404: as('acmeKey', { place: stranger }),
    409: as('acmeKey', { place: agent }),
    503: { ...ownAgent },
  },
  takeBillingEvent: {
    200: billed(({ acmeId }) => acmeId),
    404: billed(() => unissued),
    503: billed(({ acmeId }) => acmeId),
  },
  listOwnOrganizations: { 200: as('boss') },
  listOrganizationMembers: { 200: as('boss'), 400: { query: 'org=' }, 403: {} },
  changeOrganizationMember: {
    200: as('boss', { place: 'mate', payload: { role: 'viewer' } }),
    403: { place: 'mate', payload: { role: 'viewer' } },
    404: as('boss', { place: 'nobody', payload: { role: 'viewer' } }),
    409: as('boss', { place: 'boss', payload: { role: 'viewer' } }),
    503: as('boss', { place: 'mate', payload: { role: 'viewer' } }),
  },
  removeOrganizationMember: {
    204: as('boss', { place: 'mate' }),
    400: { place: 'a%20b' },
    403: { place: 'boss' },
    404: as('boss', { place: 'nobody' }),
    409: as('boss', { place: 'boss' }),
    503: as('boss', { place: 'boss' }),
  },
  listInvitations: { 200: as('boss'), 400: { query: 'org=' }, 403: {} },
  createInvitation: {
    201: as('boss', { payload: { email: 'new@readers.example', role: 'viewer' } }),
    403: { payload: { email: 'new@readers.example' } },
    409: as('boss', { payload: { email: 'known@readers.example' } }),
    503: as('boss', { payload: { email: 'new@readers.example' } }),
  },
  revokeInvitation: {
    204: known => as('boss', { place: known.spareInvitation })(known),
    400: { place: 'x' },
    403: { place: unissued },
    404: as('boss', { place: unissued }),
    503: as('boss', { place: unissued }),
  },
  acceptInvitation: {
    200: accepting,
    403: { payload: { token: 'x'.repeat(43) } },
    404: as('invited', { payload: { token: 'x'.repeat(43) } }),
    503: as('invited', { payload: { token: 'x'.repeat(43) } }),
  },
  getOrganizationUsage: {
    200: as('boss'),
    400: { query: 'org=' },
    403: { query: `org=${unissued}` },
  },
  getOrganizationAudit: { 200: as('boss'), 400: { query: 'limit=x' }, 403: {} },
  listApiKeys: { 200: as('adminKey'), 400: { query: 'org=' }, 403: {} },
  createApiKey: {
    201: as('adminKey', { payload: { name: 'New' } }),
    403: { payload: { name: 'New' } },
    503: as('adminKey', { payload: { name: 'New' } }),
  },
  revokeApiKey: {
    204: known => as('adminKey', { place: known.spareKeyId })(known),
    400: { place: 'x' },
    403: { place: unissued },
    404: as('adminKey', { place: unissued }),
    503: ({ readOnlyKeyId }) => ({ place: readOnlyKeyId }),
  },
  describeAuthorizationServer: { 200: {}, 404: { registry: 'empty' } },
  describeProtectedApi: { 200: {} },
  describeProtectedTools: { 200: {} },
  resolveBrand: { ...freshly, 200: acme, 404: nobody },
  resolveBrandsBulk: { 200: domains, 429: domains },
  listBrands: { 200: {}, 400: { query: 'source=x' }, 503: unsearched('search=acme') },
  enrichBrand: { 200: acme, 404: nobody, 503: nobody },
  brandHistory: { 200: acme, 404: nobody },
  ...asksForRevisions('Brand'),
  getBrandOwnership: { 200: { place: 'readers.example' }, 400: { place: 'x' } },
  rollBackBrand: asksToRollBack(),
  saveBrand: asksToSave('domain', { brand_name: 'Readers' }),
  resolveProperty: { 200: acme, 404: nobody },
  resolvePropertiesBulk: { 200: domains, 429: domains },
  listProperties: { 200: {}, 400: { query: 'source=x' }, 503: unsearched('search=acme') },
  propertyHistory: { 200: acme, 404: nobody },
  ...asksForRevisions('Property'),
  rollBackProperty: asksToRollBack(),
  getHostedAdagents: hosted(),
  getHostedBrandJson: hosted(),
  claimHostedDomain: {
    200: { place: 'kept.example' },
    400: { place: 'x' },
    403: as('person', { place: 'kept.example' }),
    409: { place: 'held.example' },
    429: { place: 'kept.example' },
    503: { place: 'kept.example' },
  },
  verifyHostedOrigin: {
    200: { place: 'held.example' },
    400: { place: 'x' },
    404: { place: 'nobody.example' },
    503: { place: 'held.example' },
  },
  setUpBrand: asksToSave('domain', { brand_name: 'Readers', brand_color: '#102030' }),
  submitBrand: {
    200: as('acmeKey', { payload: { domain: 'new.example' } }),
    403: { payload: { domain: 'new.example' } },
    409: as('acmeKey', { payload: { domain: 'acme.example' } }),
    429: { payload: { domain: 'new.example' } },
    503: { payload: { domain: 'new.example' } },
  },
  listLogos: { 200: { place: 'kept.example' }, 400: { place: 'x' } },
  saveLogo: {
    201: logo('first', { 'idempotency-key': 'logo' }),
    400: { ...logo('first'), payload: 'no form' },
    409: logo('second', { 'idempotency-key': 'logo' }),
    415: logo('first', { 'content-type': 'text/plain' }),
    429: logo('first'),
    503: logo('first'),
  },
  getLogo: {
    200: ({ picture }) => ({ place: ['kept.example', picture] }),
    400: { place: ['kept.example', 'x'] },
    404: ({ picture }) => ({ place: ['nobody.example', picture] }),
  },
  saveProperty: asksToSave('publisher_domain', {
    properties: [{ type: 'website', name: 'Readers' }],
  }),
  resolveIdentifiers: {
    200: { payload: { identifiers, provenance: { type: 'crawl' }, mode: 'lookup' } },
    401: { payload: { identifiers, provenance: { type: 'crawl' } } },
    429: { payload: { identifiers: unknown, provenance: { type: 'crawl' } } },
    503: { payload: { identifiers: unknown, provenance: { type: 'crawl' } } },
  },
  fileCatalogDispute: { 200: { payload: dispute }, 503: { payload: dispute } },
  getCatalogDispute: { 200: ({ dispute }) => ({ place: dispute }), 404: { place: 'x' } },
  listCatalog: { 200: { query: 'status=all' }, 400: { query: 'cursor=x' }, 503: crowded },
  syncCatalog: {
    200: { query: 'since=2026-01-01' },
    400: {},
    503: { query: 'since=2026-01-01', registry: 'crowded' },
  },
  listCatalogCollections: { 200: {}, 400: { query: 'limit=0' }, 503: crowded },
  syncCatalogCollections: { 200: {}, 400: { query: 'offset=-1' }, 503: crowded },
  searchAgents: { 200: { query: 'channels=display&limit=1' }, 400: { query: 'limit=0' } },
  listAgents: {
    200: { query: 'capabilities=true&health=true' },
    400: { query: 'type=x' },
    503: crowded,
  },
  listPublishers: { 200: {}, 400: { query: 'limit=x' }, 503: crowded },
  registryStats: { 200: {}, 503: crowded },
  requestCrawl: asksForCrawl('domain', 'b.example'),
  requestBrandCrawl: asksForCrawl('domain', 'c.example'),
  requestManagerRevalidation: asksForCrawl('manager_domain', 'd.example'),
  getCrawlRequest: {
    200: ({ crawlRequest }) => ({ place: crawlRequest }),
    400: { place: 'x' },
    404: { place: unissued },
  },
  readFeed: {
    200: { query: 'limit=1' },
    400: { query: 'limit=0' },
    410: { query: `cursor=${unissued}` },
  },
  readLogCheckpoint: { 200: {}, 404: { registry: 'empty' } },
  proveInclusion: {
    200: { query: 'index=0' },
    400: { query: 'index=0&size=0' },
    404: { query: `event_id=${unissued}` },
  },
  proveConsistency: {
    200: { query: 'from=1' },
    400: { query: 'from=0' },
    404: { query: 'from=1', registry: 'empty' },
  },
  streamFeed: {
    200: { query: 'types=authorization.*' },
    400: { query: 'poll_interval_seconds=0' },
    410: { query: `cursor=${unissued}` },
  },
  issueOwnershipChallenge: {
    201: { payload: { domain: 'new.example' } },
    403: as('person', { payload: { domain: 'new.example' } }),
    503: { payload: { domain: 'new.example' } },
  },
  verifyOwnership: {
    200: { payload: { domain: 'owned.example' } },
    403: known => ({
      payload: { domain: 'foreign.example', challenge_id: known.foreignChallenge },
    }),
    404: { payload: { domain: 'nobody.example' } },
    409: { payload: { domain: 'unproven.example' } },
    410: { payload: { domain: 'late.example' } },
    503: { payload: { domain: 'owned.example' } },
  },
  getOwnership: { 200: acme, 403: as('person', acme) },
  lookUpOperator: { 200: acme },
  lookUpPublisher: { 200: placements, 503: { ...placements, registry: 'crowded' } },
  lookUpDomain: { 200: { place: 'acme.example' }, 400: { place: 'x' } },
  listAuthorizations: {
    200: { query: `agent_url=${agent}` },
    400: { query: 'agent_url=' },
    403: { query: `agent_url=${agent}&include=raw` },
    503: { query: `agent_url=${agent}`, registry: 'crowded' },
  },
  snapshotAuthorizations: { 200: {}, 400: { query: 'evidence=x' }, 403: { query: 'include=raw' } },
  revalidatePublisher: asksAsAdmin('revalidated.example'),
  forceBrandCrawl: asksAsAdmin('forced.example'),
  createSubscription: {
    201: { payload: receiver },
    403: { ...elsewhere, payload: receiver },
    409: { payload: { url: 'https://receiver.example/read' } },
    410: { payload: { url: 'https://receiver.example/late', cursor: unissued } },
    422: { payload: { url: 'https://receiver.example/none' } },
    429: { payload: receiver, registry: 'strict' },
    503: { payload: receiver },
  },
  listSubscriptions: { 200: {}, 400: { query: 'org[]=x' }, 403: elsewhere },
  getSubscription: ofSubscription('read'),
  deleteSubscription: {
    ...ofSubscription('read'),
    204: ({ subscriptions }) => ({ place: subscriptions.deleted }),
    503: ({ subscriptions }) => ({ place: subscriptions.readOnly }),
  },
  testSubscription: {
    ...ofSubscription('read'),
    429: ({ subscriptions }) => ({ place: subscriptions.strict, registry: 'strict' }),
    503: ({ subscriptions }) => ({ place: subscriptions.readOnly }),
  },
  resumeSubscription: {
    ...ofSubscription('read'),
    410: ({ subscriptions }) => ({ place: subscriptions.expired }),
    422: ({ subscriptions }) => ({ place: subscriptions.silent }),
    429: ({ subscriptions }) => ({ place: subscriptions.strict, registry: 'strict' }),
    503: ({ subscriptions }) => ({ place: subscriptions.readOnly }),
  },
  listDeliveries: ofSubscription('read'),
  lookUpManifest: { 200: acme, 503: { ...acme, registry: 'crowded' } },
  authorizePublisher: {
    200: { query: `domain=acme.example&agent=${agent}&explain=true` },
    404: { query: `domain=acme.example&agent=${stranger}` },
  },
  listAgentPublishers: ofAgent(),
  listAgentPublishersAlias: ofAgent(),
  lookUpProperty: { 200: { query: 'type=domain&value=acme.example' }, 400: {} },
  lookUpAgentDomains: { 200: { place: agent }, 400: { place: '*bad*' } },
  validateProductAuthorization: { 200: { payload: { ...sold, explain: true } } },
  expandProductIdentifiers: { 200: { payload: sold } },
  validatePropertyAuthorization: { 200: { query: `${property}&explain=true` } },
  findBrands: { 200: { query: 'q=acme' }, 400: {}, 503: unsearched('q=acme') },
  search: { 200: { query: 'q=acme' }, 400: {}, 503: unsearched('q=acme') },
  getBrandJson: { ...freshly, 200: acme, 404: nobody },
  validateProperty: { 200: published, 503: nobody },
  validatePublisher: { 200: published, 503: nobody },
  validateAdagents: {
    200: { payload: { domain: 'published.example' } },
    503: { payload: { domain: 'nobody.example' } },
  },
  createAdagents: {
    200: { payload: { authorized_agents: [seller], properties: [site] } },
    429: { payload: { authorized_agents: [] }, registry: 'strict' },
    503: { payload: { authorized_agents: Array(20_000).fill(1) }, registry: 'crowded' },
  },
  checkPropertyList: {
    200: { payload: { domains: ['www.acme.example', 'doubleclick.net'] } },
    503: { payload: { domains: ['a.example'] }, registry: 'crowded' },
  },
  checkIdentifierList: {
    200: { payload: { identifiers: ['acme.example', 'ROKU,1'] } },
    503: { payload: { identifiers: ['a.example'] }, registry: 'crowded' },
  },
  getPropertyCheck: reported(({ report }) => report),
  getIdentifierCheck: reported(({ bulkReport }) => bulkReport),
  discoverAgent: asksAgent(),
  getAgentFormats: asksAgent(),
  getAgentProducts: asksAgent(),
  getAgentPublishers: asksAgent(),
  listStoryboards: { 200: {}, 400: { query: 'compliance_target=1.0' } },
  getStoryboardFirstStep: {
    200: { place: 'capability_discovery' },
    400: { place: 'x'.repeat(201) },
    404: { place: 'none' },
  },
  getStoryboard: {
    200: { place: 'capability_discovery' },
    400: { place: 'x'.repeat(201) },
    404: { place: 'none' },
  },
  compareStoryboard: {
    ...asksToTest('capability_discovery'),
    202: as('acmeKey', {
      place: [encodeURIComponent(url), 'capability_discovery'],
      headers: { prefer: 'respond-async' },
    }),
  },
  getStoryboardComparison: asksOfComparison({
    200: known => ofComparison(known, known.comparisons.read),
  }),
  cancelStoryboardComparison: asksOfComparison({
    204: known => ofComparison(known, known.comparisons.cancelled),
  }),
  runAgentStoryboard: asksToTest('capability_discovery'),
  runAgentStoryboardStep: {
    ...asksToTest('capability_discovery', 'read_capabilities'),
    ...asksSilentAgents('capability_discovery', 'read_capabilities'),
  },
  getAgentCompliance: { 200: { place: agent }, 400: { place: 'x' } },
  getAgentComplianceHistory: { 200: { place: agent }, 400: { place: 'x' } },
  getAgentDiagnostics: asksOwner(),
  getAgentMonitoring: asksOwner(),
  listAgentRequests: asksOwner(),
  refreshAgent: {
    200: as('acmeKey', { place: encodeURIComponent('https://fresh.example/mcp') }),
    400: { place: 'x' },
    401: { place: agent },
    403: { place: agent },
    409: as('acmeKey', { place: encodeURIComponent('https://paused.example/mcp') }),
    429: { place: agent },
    502: as('acmeKey', { place: encodeURIComponent('https://away.example/mcp') }),
    503: { place: agent },
    504: { place: encodeURIComponent('https://slow.example/mcp'), registry: 'hasty' },
  },
  getAgentAuthStatus: asksOwner(),
  setAgentLifecycle: asksOwner({ lifecycle_stage: 'testing' }),
  setAgentComplianceOptOut: asksOwner({ opt_out: true }),
  pauseAgentMonitoring: asksOwner({ paused: true }),
  setAgentMonitoringInterval: asksOwner({ interval_hours: 24 }),
  requeueAgentMonitoring: { ...asksOwner(), 429: { place: agent } },
  connectAgent: asksOwner({ auth_token: 'secret' }),
  saveAgentClientCredentials: asksOwner({
    token_endpoint: 'https://closed.example/token',
    client_id: 'registry',
    client_secret: 'secret',
  }),
  testAgentClientCredentials: {
    ...asksOwner(),
    200: as('acmeKey', { place: encodeURIComponent('https://issued.example/mcp') }),
    404: as('acmeKey', { place: agent }),
    429: { place: agent },
  },
  disconnectAgent: {
    ...asksOwner(),
    204: as('acmeKey', { place: encodeURIComponent('https://away.example/mcp') }),
    404: as('acmeKey', { place: agent }),
  },
  getAgentVerification: { 200: { place: agent }, 400: { place: 'x' } },
  getAgentBadge: asksBadge('signals'),
  getAgentBadgeOfVersion: asksBadge('signals', '3.0'),
  getAgentBadgeEmbed: asksBadge('signals'),
  getAgentBadgeEmbedOfVersion: asksBadge('signals', '3.0'),
  getAgentBadgeToken: {
    ...asksBadge('signals'),
    404: { place: [agent, 'brand'] },
    503: { place: [agent, 'signals'], registry: 'crowded' },
  },
  verifyBadgeToken: {
    200: { payload: { token: 'x.y.z' } },
    503: { payload: { token: 'x.y.z' }, registry: 'crowded' },
  },
  getAgentStoryboardStatus: {
    200: as('acmeKey', { place: agent }),
    400: { place: 'x' },
    403: { place: agent },
  },
  getAgentStoryboardStatusBulk: {
    200: as('acmeKey', { payload: { agent_urls: [url] } }),
    400: { payload: { agent_urls: [] } },
    403: { payload: { agent_urls: [url] } },
  },
  listApplicableStoryboards: { ...asksToTest(), ...asksSilentAgents() },
  listMirrors: { 200: {}, 400: { query: 'offset=x' }, 503: crowded },
  getMirror: { 200: { place: 'video' }, 400: { place: 'a%20b' }, 404: { place: 'none' } },
  putMirror: {
    200: { place: 'music', payload: buildMirrorFile(), as: 'moderator' },
    202: { place: 'music', payload: buildMirrorFile(), headers: { 'idempotency-key': 'music' } },
    400: { place: 'music', payload: {} },
    403: as('person', { place: 'music', payload: buildMirrorFile() }),
    409: {
      place: 'music',
      payload: buildMirrorFile('more'),
      headers: { 'idempotency-key': 'music' },
    },
    429: { place: 'music', payload: buildMirrorFile(), registry: 'strict' },
    503: { place: 'music', payload: buildMirrorFile() },
  },
  deleteMirror: {
    200: { place: 'gone', query: 'force=true', as: 'moderator' },
    400: { place: 'video', query: 'force=x' },
    403: { place: 'video' },
    404: { place: 'none', as: 'moderator' },
    409: { place: 'video', as: 'moderator' },
    503: { place: 'video', as: 'moderator' },
  },
  listMirrorProposals: { 200: {}, 400: { query: 'status=x' }, 403: { query: 'review_queue=true' } },
  getMirrorProposal: {
    200: ({ proposals }) => ({ place: proposals[0]!.id }),
    400: { place: 'x' },
    404: { place: unissued },
  },
  approveMirrorProposal: decided(0),
  rejectMirrorProposal: decided(1),
  listReviews: { 200: { as: 'moderator' }, 400: { query: 'kind=x', as: 'moderator' }, 403: {} },
  getReview: {
    200: ({ proposals }) => ({ place: proposals[0]!.id, as: 'moderator' }),
    400: { place: 'x', as: 'moderator' },
    403: { place: unissued },
    404: { place: unissued, as: 'moderator' },
  },
  approveReview: decided(2, 'digest', 'notes'),
  rejectReview: decided(3, 'digest', 'notes'),
  listPolicies: { 200: {}, 400: { query: 'category=x' }, 503: crowded },
  resolvePolicy: { 200: { query: 'policy_id=ccpa' }, 404: { query: 'policy_id=none' } },
  resolvePoliciesBulk: { 200: { payload: { policy_ids: ['ccpa', 'none'] } } },
  policyHistory: { 200: { query: 'policy_id=ccpa' }, 404: { query: 'policy_id=none' } },
  savePolicy: {
    200: { payload: { ...ccpa, policy_id: 'gdpr', name: 'GDPR' } },
    409: { payload: ccpa },
    503: { payload: ccpa },
  },
  describeRegistry: { 200: {} },
  openapi: { 200: {} },
  openapiWellKnown: { 200: {} },
  reference: { 200: {} },
  referenceScript: { 200: {} },
  crawlerKeys: { 200: {} },
  registryKeys: { 200: {} },
  isAlive: { 200: {} },
  isReady: { 200: {}, 503: { registry: 'empty' } },
}

/** Builds requests that decide a pending proposal, which can be decided once. */
function decided(number: number, digest = 'proposal_digest', notes = 'review_notes'): Asks[string] {
  const decision = ({ proposals }: Known): Ask => ({
    place: proposals[number]!.id,
    payload: { [digest]: proposals[number]!.digest, [notes]: 'read' },
    as: 'moderator',
  })
  return {
    200: decision,
    400: { place: 'x', payload: {} },
    403: known => ({ ...decision(known), registry: 'usual', as: 'anybody' }),
    404: known => ({ ...decision(known), place: unissued }),
    409: decision,
    503: decision,
  }
}

/** Asks with another credential than the usual one. */
function as(
  whose: 'adminKey' | 'acmeKey' | 'person' | 'colleague' | 'prospect' | 'boss' | 'invited',
  asked: Ask = {},
) {
  return (known: Known): Ask => ({
    ...asked,
    headers: { ...asked.headers, authorization: `Bearer ${known[whose]}` },
  })
}

function accepting(known: Known): Ask {
  return as('invited', { payload: { token: known.invitationToken } })(known)
}

function billed(organization: (known: Known) => string) {
  return (known: Known): Ask => {
    const data = { organization_id: organization(known), status: 'active', tier: 'company_leader' }
    const event = { id: `evt_${data.organization_id}`, type: 'subscription.updated', created: 1 }
    const payload = JSON.stringify({ ...event, data })
    return { payload, headers: known.billing(payload) }
  }
}

function asksForCrawl(field: string, domain: string): Asks[string] {
  const payload = { [field]: domain }
  return { 202: { payload }, 429: { payload }, 503: { payload } }
}

/** The asker has shown that readers.example is its own, and acme.example speaks for itself. */
function asksToSave(field: string, more: object): Asks[string] {
  const of = (domain: string) => ({ payload: { [field]: domain, ...more } })
  const own = of('readers.example')
  return { 200: own, 403: of('nobody.example'), 409: of('acme.example'), 429: own, 503: own }
}

/** The file that is kept for a domain. */
function hosted(): Asks[string] {
  return { 200: { place: 'kept.example' }, 400: { place: 'x' }, 404: { place: 'nobody.example' } }
}

/** A form with a picture that is as good as none, and different for each name. */
export function logo(name: string, headers: Readonly<Record<string, string>> = {}): Ask {
  const payload = [
    '--form',
    'content-disposition: form-data; name="file"; filename="logo.gif"',
    'content-type: image/gif',
    '',
    `GIF89a of ${name}`,
    '--form--',
    '',
  ].join('\r\n')
  const type = { 'content-type': 'multipart/form-data; boundary=form' }
  return { place: 'kept.example', payload, headers: { ...type, ...headers } }
}

/** Builds requests that roll an entry of kept.example back, which only a moderator may. */
function asksToRollBack(): Asks[string] {
  const payload = { to_revision: 1 }
  const asked = { place: 'kept.example', payload }
  return {
    200: { ...asked, as: 'moderator' },
    400: { ...asked, payload: { to_revision: 0 } },
    403: asked,
    404: { ...asked, place: 'nobody.example', as: 'moderator' },
    409: { ...asked, place: 'acme.example', as: 'moderator' },
    429: asked,
    503: asked,
  }
}

/** Builds requests for the revisions of kept.example. */
function asksForRevisions(kind: 'Brand' | 'Property'): Asks {
  return {
    [`list${kind}Revisions`]: {
      ...hosted(),
      503: { place: 'kept.example', registry: 'crowded' },
    },
    [`get${kind}Revision`]: {
      200: { place: ['kept.example', '1'] },
      400: { place: ['kept.example', '0'] },
      404: { place: ['kept.example', '9999'] },
      503: { place: ['kept.example', '1'], registry: 'crowded' },
    },
  }
}

/** Builds requests about a domain that only admins may send, each once in five minutes. */
function asksAsAdmin(domain: string): Asks[string] {
  const of = (place: string, registry: keyof Known['registryAdmins']) => (known: Known) => ({
    place,
    registry,
    headers: { authorization: `Bearer ${known.registryAdmins[registry]}` },
  })
  return {
    200: of(domain, 'usual'),
    400: of('x', 'usual'),
    403: { place: domain },
    429: of(domain, 'usual'),
    503: of(domain, 'readOnly'),
  }
}

/** Builds requests about a subscription of the ordinary caller. */
function ofSubscription(name: keyof Known['subscriptions']): Asks[string] {
  return {
    200: ({ subscriptions }) => ({ place: subscriptions[name] }),
    400: { place: 'x' },
    403: ({ subscriptions }) => ({ ...elsewhere, place: subscriptions[name] }),
    404: { place: unissued },
  }
}

function ofAgent(): Asks[string] {
  return {
    200: { place: agent },
    400: { place: agent, query: 'status=x' },
    404: { place: stranger },
    503: { place: agent, query: 'status=revoked', registry: 'crowded' },
  }
}

function unsearched(query: string): Ask {
  return { query, registry: 'unsearched' }
}

function reported(id: (known: Known) => string): Asks[string] {
  const place = (known: Known) => ({ place: id(known) })
  return {
    200: place,
    400: { place: unissued, query: 'cursor=x' },
    404: { place: unissued },
    503: known => ({ ...place(known), registry: 'readOnly' }),
  }
}

function asksAgent(): Asks[string] {
  const at = (host: string) => ({ query: `url=${encodeURIComponent(`https://${host}/mcp`)}` })
  return {
    200: at('agent.example'),
    400: {},
    502: at('away.example'),
    504: { ...at('slow.example'), registry: 'hasty' },
    503: at('agent.example'),
  }
}

/** Requests that every operation refuses. */
export const always: Readonly<Record<number, Ask>> = {
  400: { payload: '{' },
  401: {},
  413: { payload: JSON.stringify({ x: 'x'.repeat(2 * 1024 * 1024) }) },
  415: { payload: 'x', headers: { 'content-type': 'text/plain' } },
}

/** Builds requests about a storyboard for an enrolled agent. */
function asksToTest(...more: string[]): Asks[string] {
  const at = (agentUrl: string) => ({ place: [encodeURIComponent(agentUrl), ...more] })
  const none = { place: [agent, 'none', ...more.slice(1)] }
  return {
    200: as('acmeKey', at(url)),
    400: at('ftp://agent.example'),
    401: at(url),
    403: at('https://nobody.example/mcp'),
    404: as('acmeKey', none),
    422: as('acmeKey', at('https://closed.example/mcp')),
    429: at(url),
    503: at(url),
  }
}

/** A comparison of the agent, as its own organization asks about it. */
function ofComparison(known: Known, id: string): Ask {
  return as('acmeKey', { place: [agent, 'capability_discovery', id] })(known)
}

function asksOfComparison(answered: Asks[string]): Asks[string] {
  const unknown = { place: [agent, 'capability_discovery', unissued] }
  return {
    ...answered,
    400: { place: [agent, 'capability_discovery', 'x'] },
    401: unknown,
    403: { place: [encodeURIComponent('https://nobody.example/mcp'), 'account_setup', unissued] },
    404: as('acmeKey', unknown),
    503: unknown,
  }
}

/** Builds requests of the organization of an agent, and the same of others. */
function asksOwner(payload?: object): Asks[string] {
  const given = payload && { payload }
  const own = { place: encodeURIComponent('https://closed.example/mcp'), ...given }
  const asked = { place: agent, ...given }
  return {
    200: as('acmeKey', own),
    400: { place: 'x', ...given },
    401: asked,
    403: asked,
    503: asked,
  }
}

function asksBadge(...more: string[]): Asks[string] {
  return { 200: { place: [agent, ...more] }, 400: { place: [agent, 'none', ...more.slice(1)] } }
}

/** Builds requests about an agent that hangs up, and about one that never answers. */
function asksSilentAgents(...more: string[]): Asks[string] {
  const at = (agentUrl: string) => ({ place: [encodeURIComponent(agentUrl), ...more] })
  return {
    502: as('acmeKey', at('https://away.example/mcp')),
    504: { ...at('https://slow.example/mcp'), registry: 'hasty' },
  }
}
