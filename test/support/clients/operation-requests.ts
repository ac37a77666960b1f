import { buildMirrorFile } from '../fixtures/mirrors.ts'
import { ccpa } from '../fixtures/policies.ts'

/** A request of an operation, without method and path. */
export interface ApiRequest {
  /** Value of the path parameter; a list if there are several. */
  params?: string | readonly string[]
  query?: string
  payload?: object | string
  headers?: Readonly<Record<string, string>>
  /** Kind of caller; an ordinary member if absent. */
  caller?: 'moderator' | 'anybody'
  /** Registry that gets the request; if absent, one that is sure to answer with this status. */
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
  /** Pending proposals of the ordinary caller. */
  proposals: readonly { id: string; digest: string }[]
  /**
   * An admin key of the organization, a key that is not needed, and the caller's own key in the registry
   * without a writer.
   */
  adminKey: string
  spareKeyId: string
  readOnlyKeyId: string
  /** A key of a member with agents, and the id of that member. */
  acmeKey: string
  acmeId: string
  /** Id of a logo of kept.example. */
  logoId: string
  /**
   * Tokens of persons: one of no organization, one whose address has the domain of an organization, and
   * one whose address has a domain that nobody has joined yet.
   */
  person: string
  colleague: string
  prospect: string
  /**
   * Tokens of the owner and of a viewer of the usual organization, and of a person whom it has invited by
   * `invitationToken`.
   */
  owner: string
  viewer: string
  invited: string
  /** Id of the usual organization, by the registry. */
  readersIds: Record<'usual' | 'readOnly', string>
  /** An organization that is not needed, and the token of its owner. */
  spareOrganization: string
  founder: string
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
   * Subscriptions of the ordinary caller: one to read, one to delete, one whose cursor has expired, one
   * whose receiver is silent, and one each in the registries `readOnly` and `strict`.
   */
  subscriptions: Record<'read' | 'deleted' | 'expired' | 'silent' | 'readOnly' | 'strict', string>
  /** Watches of the colleague: one to change, and one to end. The prospect watches as much as they may. */
  watches: Record<'changed' | 'deleted', string>
  /** Comparisons that Acme has begun: one to read, and one to cancel. */
  comparisons: Record<'read' | 'cancelled', string>
}

type RequestTemplate = ApiRequest | ((known: Known) => ApiRequest)
/** Requests by operation and status. Statuses that every operation returns alike are in `alwaysRefused`. */
export type RequestsByOperation = Readonly<
  Record<string, Readonly<Record<number, RequestTemplate>>>
>

export const url = 'https://agent.example/mcp'
const agent = encodeURIComponent(url)
const acme = { query: 'domain=acme.example' }
const placements = { query: 'domain=acme.example&include=placements' }
const crowded = { registry: 'crowded' } as const
const unknownParameter = { query: 'days=1' }
const nobody = { query: 'domain=nobody.example' }
const stranger = encodeURIComponent('https://nobody.example/mcp')
const watched = { payload: { domain: 'acme.example', pace: 'at_once' } }
const domains = { payload: { domains: ['acme.example', 'b.example'] } }
const sold = { agent_url: url, publisher_properties: [{ publisher_domain: 'acme.example' }] }
/** A product that the agent sells. */
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

const freshQuery = { query: 'domain=nobody.example&fresh=true' }
const withoutCrawler = { 503: freshQuery }
const site = {
  property_type: 'website',
  name: 'Site',
  property_id: 'site',
  identifiers: [{ type: 'domain', value: 'site.example' }],
}

const newChallenge = {
  payload: { domain: 'new.example' },
  headers: { 'idempotency-key': 'new' },
}
const newKey = requestAs('adminKey', {
  payload: { name: 'New' },
  headers: { 'idempotency-key': 'new' },
})
const ofOtherOrganization = { query: `org=${unissued}` }
const receiver = { url: 'https://receiver.example/changes' }
const newAgent = { url: 'https://acme.example/new', type: 'sales' }
const ownAgent = { params: encodeURIComponent('https://acme.example/old') }

export const operationRequests: RequestsByOperation = {
  createOrganization: {
    200: requestAs('prospect', { payload: { organization_name: 'Waiting' } }),
    201: requestAs('person', { payload: { organization_name: 'Founded' } }),
    403: { payload: { organization_name: 'Readers too' } },
    409: requestAs('person', { payload: { organization_name: 'Acme' } }),
    503: requestAs('person', { payload: { organization_name: 'Founded' } }),
  },
  createOwnProfile: {
    201: requestAs('prospect'),
    400: { query: 'org=' },
    403: ofOtherOrganization,
    409: requestAs('acmeKey'),
    503: {},
  },
  addOwnDomain: {
    201: newChallenge,
    403: { ...ofOtherOrganization, payload: { domain: 'new.example' } },
    409: newChallenge,
    503: { payload: { domain: 'new.example' } },
  },
  verifyOwnDomain: {
    200: { params: 'shown.example' },
    400: { params: 'x' },
    403: { ...ofOtherOrganization, params: 'shown.example' },
    404: { params: 'nobody.example' },
    409: { params: 'unshown.example' },
    410: { params: 'late.example' },
    503: { params: 'shown.example' },
  },
  removeOwnDomain: {
    204: { params: 'spare.example' },
    400: { params: 'x' },
    403: { ...ofOtherOrganization, params: 'spare.example' },
    404: { params: 'nobody.example' },
    503: { params: 'spare.example' },
  },
  cancelOwnDomainProof: {
    204: { params: 'dropped.example' },
    400: { params: 'x' },
    403: { ...ofOtherOrganization, params: 'spare.example' },
    404: { params: 'nobody.example' },
    503: { params: 'spare.example' },
  },
  excludeOtherOwners: {
    204: { params: 'contested.example' },
    400: { params: 'x' },
    403: { ...ofOtherOrganization, params: 'contested.example' },
    404: { params: 'recent.example' },
    409: { params: 'nobody.example' },
    503: { params: 'contested.example' },
  },
  listOwnDomains: { 200: {}, 400: { query: 'org=' }, 403: ofOtherOrganization },
  listOwnAgents: {
    200: requestAs('acmeKey'),
    400: { query: 'org=' },
    403: ofOtherOrganization,
    404: {},
  },
  enrolOwnAgent: {
    200: requestAs('acmeKey', { payload: { url, type: 'sales' } }),
    201: requestAs('acmeKey', { payload: newAgent }),
    403: { ...ofOtherOrganization, payload: newAgent },
    409: requestAs('colleague', { payload: newAgent }),
    503: { payload: newAgent },
  },
  changeOwnAgent: {
    200: requestAs('acmeKey', { ...ownAgent, payload: { name: 'Old' } }),
    403: { ...ownAgent, ...ofOtherOrganization, payload: {} },
    404: requestAs('acmeKey', { params: stranger, payload: {} }),
    503: { ...ownAgent, payload: {} },
  },
  removeOwnAgent: {
    204: requestAs('acmeKey', ownAgent),
    400: { params: 'x' },
    403: { ...ownAgent, ...ofOtherOrganization },
    404: requestAs('acmeKey', { params: stranger }),
    409: requestAs('acmeKey', { params: agent }),
    503: { ...ownAgent },
  },
  takeBillingEvent: {
    200: buildBillingEvent(({ acmeId }) => acmeId),
    404: buildBillingEvent(() => unissued),
    503: buildBillingEvent(({ acmeId }) => acmeId),
  },
  renameOrganization: {
    200: requestOfReaders('owner', { payload: { name: 'Readers' } }),
    403: requestOfReaders('viewer', { payload: { name: 'Readers' } }),
    409: requestOfReaders('owner', { payload: { name: 'Acme' } }),
    503: requestOfReaders('owner', { payload: { name: 'Readers' } }, 'readOnly'),
  },
  deleteOrganization: {
    204: known => requestAs('founder', { params: known.spareOrganization })(known),
    400: { params: 'x' },
    403: requestOfReaders('viewer'),
    409: requestOfReaders('owner'),
    503: requestOfReaders('owner', {}, 'readOnly'),
  },
  listOwnOrganizations: { 200: requestAs('owner'), 400: unknownParameter },
  listOrganizationMembers: { 200: requestAs('owner'), 400: { query: 'org=' }, 403: {} },
  changeOrganizationMember: {
    200: requestAs('owner', { params: 'mate', payload: { role: 'viewer' } }),
    403: { params: 'mate', payload: { role: 'viewer' } },
    404: requestAs('owner', { params: 'nobody', payload: { role: 'viewer' } }),
    409: requestAs('owner', { params: 'boss', payload: { role: 'viewer' } }),
    503: requestAs('owner', { params: 'mate', payload: { role: 'viewer' } }),
  },
  removeOrganizationMember: {
    204: requestAs('owner', { params: 'mate' }),
    400: { params: 'a%20b' },
    403: { params: 'boss' },
    404: requestAs('owner', { params: 'nobody' }),
    409: requestAs('owner', { params: 'boss' }),
    503: requestAs('owner', { params: 'boss' }),
  },
  listInvitations: { 200: requestAs('owner'), 400: { query: 'org=' }, 403: {} },
  createInvitation: {
    201: requestAs('owner', { payload: { email: 'new@readers.example', role: 'viewer' } }),
    403: { payload: { email: 'new@readers.example' } },
    409: requestAs('owner', { payload: { email: 'known@readers.example' } }),
    503: requestAs('owner', { payload: { email: 'new@readers.example' } }),
  },
  revokeInvitation: {
    204: known => requestAs('owner', { params: known.spareInvitation })(known),
    400: { params: 'x' },
    403: { params: unissued },
    404: requestAs('owner', { params: unissued }),
    503: requestAs('owner', { params: unissued }),
  },
  acceptInvitation: {
    200: acceptInvitation,
    403: { payload: { token: 'x'.repeat(43) } },
    404: requestAs('invited', { payload: { token: 'x'.repeat(43) } }),
    503: requestAs('invited', { payload: { token: 'x'.repeat(43) } }),
  },
  getOrganizationUsage: {
    200: requestAs('owner'),
    400: { query: 'org=' },
    403: { query: `org=${unissued}` },
  },
  getOrganizationAudit: { 200: requestAs('owner'), 400: { query: 'limit=x' }, 403: {} },
  listApiKeys: { 200: requestAs('adminKey'), 400: { query: 'org=' }, 403: {} },
  createApiKey: {
    201: newKey,
    403: { payload: { name: 'New' } },
    409: newKey,
    503: requestAs('adminKey', { payload: { name: 'New' } }),
  },
  revokeApiKey: {
    204: known => requestAs('adminKey', { params: known.spareKeyId })(known),
    400: { params: 'x' },
    403: { params: unissued },
    404: requestAs('adminKey', { params: unissued }),
    503: ({ readOnlyKeyId }) => ({ params: readOnlyKeyId }),
  },
  describeAuthorizationServer: { 200: {}, 404: { registry: 'empty' } },
  describeProtectedApi: { 200: {} },
  describeProtectedTools: { 200: {} },
  resolveBrand: { ...withoutCrawler, 200: acme, 404: nobody },
  resolveBrandsBulk: { 200: domains, 429: domains },
  listBrands: { 200: {}, 400: { query: 'source=x' }, 503: requestUnsearched('search=acme') },
  enrichBrand: { 200: acme, 404: nobody, 503: nobody },
  brandHistory: { 200: acme, 404: nobody },
  ...buildRevisionRequests('Brand'),
  getBrandOwnership: { 200: { params: 'readers.example' }, 400: { params: 'x' } },
  rollBackBrand: buildRollbacks(),
  withdrawBrand: buildWithdrawals(),
  saveBrand: buildSaves('domain', { brand_name: 'Readers' }),
  resolveProperty: { 200: acme, 404: nobody },
  resolvePropertiesBulk: { 200: domains, 429: domains },
  listProperties: { 200: {}, 400: { query: 'source=x' }, 503: requestUnsearched('search=acme') },
  propertyHistory: { 200: acme, 404: nobody },
  ...buildRevisionRequests('Property'),
  rollBackProperty: buildRollbacks(),
  withdrawProperties: buildWithdrawals(),
  getHostedAdagents: buildHostedRequests(),
  getHostedBrandJson: buildHostedRequests(),
  claimHostedDomain: {
    200: { params: 'kept.example' },
    400: { params: 'x' },
    403: requestAs('person', { params: 'kept.example' }),
    409: { params: 'held.example' },
    429: { params: 'kept.example' },
    503: { params: 'kept.example' },
  },
  verifyHostedOrigin: {
    200: { params: 'held.example' },
    400: { params: 'x' },
    404: { params: 'nobody.example' },
    503: { params: 'held.example' },
  },
  setUpBrand: buildSaves('domain', { brand_name: 'Readers', brand_color: '#102030' }),
  submitBrand: {
    200: requestAs('acmeKey', { payload: { domain: 'new.example' } }),
    403: { payload: { domain: 'new.example' } },
    409: requestAs('acmeKey', { payload: { domain: 'acme.example' } }),
    429: { payload: { domain: 'new.example' } },
    503: { payload: { domain: 'new.example' } },
  },
  listLogos: { 200: { params: 'kept.example' }, 400: { params: 'x' } },
  saveLogo: {
    201: buildLogoUpload('first', { 'idempotency-key': 'logo' }),
    400: { ...buildLogoUpload('first'), payload: 'no form' },
    409: buildLogoUpload('second', { 'idempotency-key': 'logo' }),
    415: buildLogoUpload('first', { 'content-type': 'text/plain' }),
    429: buildLogoUpload('first'),
    503: buildLogoUpload('first'),
  },
  getLogo: {
    200: ({ logoId: picture }) => ({ params: ['kept.example', picture] }),
    400: { params: ['kept.example', 'x'] },
    404: ({ logoId: picture }) => ({ params: ['nobody.example', picture] }),
  },
  saveProperty: buildSaves('publisher_domain', {
    properties: [{ type: 'website', name: 'Readers' }],
  }),
  resolveIdentifiers: {
    200: { payload: { identifiers, provenance: { type: 'crawl' }, mode: 'lookup' } },
    401: { payload: { identifiers, provenance: { type: 'crawl' } } },
    403: requestAs('viewer', { payload: { identifiers, provenance: { type: 'crawl' } } }),
    429: { payload: { identifiers: unknown, provenance: { type: 'crawl' } } },
    503: { payload: { identifiers: unknown, provenance: { type: 'crawl' } } },
  },
  fileCatalogDispute: { 200: { payload: dispute }, 503: { payload: dispute } },
  getCatalogDispute: { 200: ({ dispute }) => ({ params: dispute }), 404: { params: 'x' } },
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
  registryStats: { 200: {}, 400: unknownParameter, 503: crowded },
  requestCrawl: buildCrawlRequests('domain', 'b.example'),
  requestBrandCrawl: buildCrawlRequests('domain', 'c.example'),
  requestManagerRevalidation: buildCrawlRequests('manager_domain', 'd.example'),
  getCrawlRequest: {
    200: ({ crawlRequest }) => ({ params: crawlRequest }),
    400: { params: 'x' },
    404: { params: unissued },
  },
  readFeed: {
    200: { query: 'limit=1' },
    400: { query: 'limit=0' },
    410: { query: `cursor=${unissued}` },
    503: { query: 'types=collection.merged&wait=1', registry: 'strict' },
  },
  readLogCheckpoint: { 200: {}, 400: unknownParameter, 404: { registry: 'empty' } },
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
    201: newChallenge,
    403: requestAs('person', { payload: { domain: 'new.example' } }),
    409: newChallenge,
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
  getOwnership: { 200: acme, 403: requestAs('person', acme) },
  lookUpOperator: { 200: acme },
  lookUpPublisher: { 200: placements, 503: { ...placements, registry: 'crowded' } },
  lookUpDomain: { 200: { params: 'acme.example' }, 400: { params: 'x' } },
  listAuthorizations: {
    200: { query: `agent_url=${agent}` },
    400: { query: 'agent_url=' },
    403: { query: `agent_url=${agent}&include=raw` },
    503: { query: `agent_url=${agent}`, registry: 'crowded' },
  },
  snapshotAuthorizations: { 200: {}, 400: { query: 'evidence=x' }, 403: { query: 'include=raw' } },
  revalidatePublisher: buildAdminRequests('revalidated.example'),
  forceBrandCrawl: buildAdminRequests('forced.example'),
  createSubscription: {
    201: { payload: receiver },
    403: { ...ofOtherOrganization, payload: receiver },
    409: { payload: { url: 'https://receiver.example/read' } },
    410: { payload: { url: 'https://receiver.example/late', cursor: unissued } },
    422: { payload: { url: 'https://receiver.example/none' } },
    429: { payload: receiver, registry: 'strict' },
    503: { payload: receiver },
  },
  listSubscriptions: { 200: {}, 400: { query: 'org[]=x' }, 403: ofOtherOrganization },
  getSubscription: buildSubscriptionRequests('read'),
  changeSubscription: {
    ...buildSubscriptionRequests('read', { payload: { event_types: ['authorization.*'] } }),
    503: ({ subscriptions }) => ({
      params: subscriptions.readOnly,
      payload: { event_types: ['authorization.*'] },
    }),
  },
  deleteSubscription: {
    ...buildSubscriptionRequests('read'),
    204: ({ subscriptions }) => ({ params: subscriptions.deleted }),
    503: ({ subscriptions }) => ({ params: subscriptions.readOnly }),
  },
  testSubscription: {
    ...buildSubscriptionRequests('read'),
    429: ({ subscriptions }) => ({ params: subscriptions.strict, registry: 'strict' }),
    503: ({ subscriptions }) => ({ params: subscriptions.readOnly }),
  },
  resumeSubscription: {
    ...buildSubscriptionRequests('read'),
    410: ({ subscriptions }) => ({ params: subscriptions.expired }),
    422: ({ subscriptions }) => ({ params: subscriptions.silent }),
    429: ({ subscriptions }) => ({ params: subscriptions.strict, registry: 'strict' }),
    503: ({ subscriptions }) => ({ params: subscriptions.readOnly }),
  },
  listDeliveries: buildSubscriptionRequests('read'),
  listWatches: { 200: requestAs('colleague'), 400: unknownParameter, 403: {} },
  createWatch: {
    201: requestAs('colleague', watched),
    403: watched,
    409: requestAs('prospect', watched),
    503: requestAs('colleague', watched),
  },
  changeWatch: buildWatchRequests(200, 'changed', { payload: { pace: 'daily' } }),
  deleteWatch: buildWatchRequests(204, 'deleted'),
  lookUpManifest: { 200: acme, 503: { ...acme, registry: 'crowded' } },
  authorizePublisher: {
    200: { query: `domain=acme.example&agent=${agent}&explain=true` },
    404: { query: `domain=acme.example&agent=${stranger}` },
  },
  listAgentPublishers: buildPublisherListRequests(),
  listAgentPublishersAlias: buildPublisherListRequests(),
  lookUpProperty: { 200: { query: 'type=domain&value=acme.example' }, 400: {} },
  lookUpAgentDomains: { 200: { params: agent }, 400: { params: '*bad*' } },
  validateProductAuthorization: { 200: { payload: { ...sold, explain: true } } },
  expandProductIdentifiers: { 200: { payload: sold } },
  validatePropertyAuthorization: { 200: { query: `${property}&explain=true` } },
  findBrands: { 200: { query: 'q=acme' }, 400: {}, 503: requestUnsearched('q=acme') },
  search: { 200: { query: 'q=acme' }, 400: {}, 503: requestUnsearched('q=acme') },
  getBrandJson: { ...withoutCrawler, 200: acme, 404: nobody },
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
  validateAuthorizations: {
    200: { payload: { pairs: [{ agent_url: url, domain: 'acme.example' }] } },
    429: { payload: { pairs: [{ agent_url: url, domain: 'acme.example' }] }, registry: 'strict' },
    413: { payload: 'x'.repeat(5 * 1024 * 1024), headers: { 'content-type': 'text/csv' } },
  },
  checkIdentifierList: {
    200: { payload: { identifiers: ['acme.example', 'ROKU,1'] } },
    503: { payload: { identifiers: ['a.example'] }, registry: 'crowded' },
  },
  getPropertyCheck: buildReportRequests(({ report }) => report),
  getIdentifierCheck: buildReportRequests(({ bulkReport }) => bulkReport),
  discoverAgent: buildLiveAgentRequests(),
  getAgentFormats: buildLiveAgentRequests(),
  getAgentProducts: buildLiveAgentRequests(),
  getAgentPublishers: buildLiveAgentRequests(),
  listStoryboards: {
    200: { query: 'category=capability_discovery' },
    400: { query: 'compliance_target=1.0' },
  },
  getStoryboardFirstStep: {
    200: { params: 'capability_discovery' },
    400: { params: 'x'.repeat(201) },
    404: { params: 'none' },
  },
  getStoryboard: {
    200: { params: 'capability_discovery' },
    400: { params: 'x'.repeat(201) },
    404: { params: 'none' },
  },
  compareStoryboard: {
    ...buildStoryboardRequests('capability_discovery'),
    202: requestAs('acmeKey', {
      params: [encodeURIComponent(url), 'capability_discovery'],
      headers: { prefer: 'respond-async' },
    }),
  },
  getStoryboardComparison: buildComparisonRequests({
    200: known => requestComparison(known, known.comparisons.read),
  }),
  cancelStoryboardComparison: buildComparisonRequests({
    204: known => requestComparison(known, known.comparisons.cancelled),
  }),
  runAgentStoryboard: buildStoryboardRequests('capability_discovery'),
  runAgentStoryboardStep: {
    ...buildStoryboardRequests('capability_discovery', 'get_capabilities'),
    ...buildSilentAgentRequests('capability_discovery', 'get_capabilities'),
  },
  lookUpAgent: { 200: { params: agent }, 400: { params: 'x' }, 404: { params: stranger } },
  getAgentCompliance: { 200: { params: agent }, 400: { params: 'x' } },
  getAgentComplianceHistory: { 200: { params: agent }, 400: { params: 'x' } },
  getAgentDiagnostics: buildOwnerRequests(),
  getAgentMonitoring: buildOwnerRequests(),
  listAgentRequests: buildOwnerRequests(),
  refreshAgent: {
    200: requestAs('acmeKey', { params: encodeURIComponent('https://fresh.example/mcp') }),
    400: { params: 'x' },
    401: { params: agent },
    403: { params: agent },
    409: requestAs('acmeKey', { params: encodeURIComponent('https://paused.example/mcp') }),
    429: { params: agent },
    502: requestAs('acmeKey', { params: encodeURIComponent('https://away.example/mcp') }),
    503: { params: agent },
    504: { params: encodeURIComponent('https://slow.example/mcp'), registry: 'hasty' },
  },
  getAgentAuthStatus: buildOwnerRequests(),
  setAgentLifecycle: buildOwnerRequests({ lifecycle_stage: 'testing' }),
  setAgentComplianceOptOut: buildOwnerRequests({ opt_out: true }),
  pauseAgentMonitoring: buildOwnerRequests({ paused: true }),
  setAgentMonitoringInterval: buildOwnerRequests({ interval_hours: 24 }),
  requeueAgentMonitoring: {
    ...buildOwnerRequests(),
    200: requestAs('acmeKey', { params: encodeURIComponent('https://fresh.example/mcp') }),
    409: requestAs('acmeKey', { params: encodeURIComponent('https://paused.example/mcp') }),
    429: { params: agent },
  },
  connectAgent: buildOwnerRequests({ auth_token: 'secret-word' }),
  saveAgentClientCredentials: buildOwnerRequests({
    token_endpoint: 'https://closed.example/token',
    client_id: 'registry',
    client_secret: 'secret-word',
  }),
  testAgentClientCredentials: {
    ...buildOwnerRequests(),
    200: requestAs('acmeKey', { params: encodeURIComponent('https://issued.example/mcp') }),
    404: requestAs('acmeKey', { params: agent }),
    429: { params: agent },
  },
  disconnectAgent: {
    ...buildOwnerRequests(),
    204: requestAs('acmeKey', { params: encodeURIComponent('https://away.example/mcp') }),
    404: requestAs('acmeKey', { params: agent }),
  },
  getAgentVerification: { 200: { params: agent }, 400: { params: 'x' } },
  getAgentBadge: buildBadgeRequests('signals'),
  getAgentBadgeOfVersion: buildBadgeRequests('signals', '3.0'),
  getAgentBadgeEmbed: buildBadgeRequests('signals'),
  getAgentBadgeEmbedOfVersion: buildBadgeRequests('signals', '3.0'),
  getAgentBadgeToken: {
    ...buildBadgeRequests('signals'),
    404: { params: [agent, 'brand'] },
    503: { params: [agent, 'signals'], registry: 'crowded' },
  },
  verifyBadgeToken: {
    200: { payload: { token: 'x.y.z' } },
    503: { payload: { token: 'x.y.z' }, registry: 'crowded' },
  },
  getAgentStoryboardStatus: {
    200: requestAs('acmeKey', { params: agent }),
    400: { params: 'x' },
    403: { params: agent },
  },
  getAgentStoryboardStatusBulk: {
    200: requestAs('acmeKey', { payload: { agent_urls: [url] } }),
    400: { payload: { agent_urls: [] } },
    403: { payload: { agent_urls: [url] } },
  },
  listApplicableStoryboards: { ...buildStoryboardRequests(), ...buildSilentAgentRequests() },
  listMirrors: { 200: {}, 400: { query: 'offset=x' }, 503: crowded },
  getMirror: { 200: { params: 'video' }, 400: { params: 'a%20b' }, 404: { params: 'none' } },
  putMirror: {
    200: { params: 'music', payload: buildMirrorFile(), caller: 'moderator' },
    202: { params: 'music', payload: buildMirrorFile(), headers: { 'idempotency-key': 'music' } },
    400: { params: 'music', payload: {} },
    403: requestAs('person', { params: 'music', payload: buildMirrorFile() }),
    409: {
      params: 'music',
      payload: buildMirrorFile('more'),
      headers: { 'idempotency-key': 'music' },
    },
    429: { params: 'music', payload: buildMirrorFile(), registry: 'strict' },
    503: { params: 'music', payload: buildMirrorFile() },
  },
  deleteMirror: {
    200: { params: 'gone', query: 'force=true', caller: 'moderator' },
    400: { params: 'video', query: 'force=x' },
    403: { params: 'video' },
    404: { params: 'none', caller: 'moderator' },
    409: { params: 'video', caller: 'moderator' },
    503: { params: 'video', caller: 'moderator' },
  },
  listMirrorProposals: { 200: {}, 400: { query: 'status=x' }, 403: { query: 'review_queue=true' } },
  getMirrorProposal: {
    200: ({ proposals }) => ({ params: proposals[0]!.id }),
    400: { params: 'x' },
    404: { params: unissued },
  },
  approveMirrorProposal: buildDecisions(0),
  rejectMirrorProposal: buildDecisions(1),
  listReviews: {
    200: { caller: 'moderator' },
    400: { query: 'kind=x', caller: 'moderator' },
    403: {},
  },
  getReview: {
    200: ({ proposals }) => ({ params: proposals[0]!.id, caller: 'moderator' }),
    400: { params: 'x', caller: 'moderator' },
    403: { params: unissued },
    404: { params: unissued, caller: 'moderator' },
  },
  approveReview: buildDecisions(2, 'digest', 'notes'),
  rejectReview: buildDecisions(3, 'digest', 'notes'),
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
  openapiJson: { 200: {} },
  apiCatalog: { 200: {} },
  mcpServer: { 200: {} },
  asyncapi: { 200: {} },
  answerSchemas: { 200: {} },
  answerSchema: { 200: { params: 'RegistryStats.json' }, 404: { params: 'Nothing.json' } },
  securityContact: { 200: {}, 404: { registry: 'strict' } },
  crawlerKeys: { 200: {} },
  registryKeys: { 200: {} },
  badgeKeys: { 200: {} },
  isAlive: { 200: {} },
  isReady: { 200: {}, 503: { registry: 'empty' } },
}

/** Builds requests that decide a pending proposal. Each proposal can be decided once. */
function buildDecisions(
  number: number,
  digest = 'proposal_digest',
  notes = 'review_notes',
): RequestsByOperation[string] {
  const decision = ({ proposals }: Known): ApiRequest => ({
    params: proposals[number]!.id,
    payload: { [digest]: proposals[number]!.digest, [notes]: 'read' },
    caller: 'moderator',
  })
  return {
    200: decision,
    400: { params: 'x', payload: {} },
    403: known => ({ ...decision(known), registry: 'usual', caller: 'anybody' }),
    404: known => ({ ...decision(known), params: unissued }),
    409: decision,
    503: decision,
  }
}

/** Returns a request with another credential than the usual one. */
function requestAs(
  whose:
    | 'adminKey'
    | 'acmeKey'
    | 'person'
    | 'colleague'
    | 'prospect'
    | 'owner'
    | 'founder'
    | 'viewer'
    | 'invited',
  request: ApiRequest = {},
) {
  return (known: Known): ApiRequest => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${known[whose]}` },
  })
}

/** Returns a request about the usual organization. */
function requestOfReaders(
  whose: 'owner' | 'viewer',
  request: ApiRequest = {},
  registry: 'usual' | 'readOnly' = 'usual',
) {
  return (known: Known) =>
    requestAs(whose, { ...request, params: known.readersIds[registry] })(known)
}

function acceptInvitation(known: Known): ApiRequest {
  return requestAs('invited', { payload: { token: known.invitationToken } })(known)
}

function buildBillingEvent(organization: (known: Known) => string) {
  return (known: Known): ApiRequest => {
    const data = { organization_id: organization(known), status: 'active', tier: 'company_leader' }
    const event = { id: `evt_${data.organization_id}`, type: 'subscription.updated', created: 1 }
    const payload = JSON.stringify({ ...event, data })
    return { payload, headers: known.billing(payload) }
  }
}

function buildCrawlRequests(field: string, domain: string): RequestsByOperation[string] {
  const payload = { [field]: domain }
  return { 202: { payload }, 429: { payload }, 503: { payload } }
}

/** Builds saves: the caller has proven readers.example, and acme.example has a file of its own. */
function buildSaves(field: string, more: object): RequestsByOperation[string] {
  const of = (domain: string) => ({ payload: { [field]: domain, ...more } })
  const own = of('readers.example')
  return { 200: own, 403: of('nobody.example'), 409: of('acme.example'), 429: own, 503: own }
}

/** Builds requests for the file that is hosted for a domain. */
function buildHostedRequests(): RequestsByOperation[string] {
  return {
    200: { params: 'kept.example' },
    400: { params: 'x' },
    404: { params: 'nobody.example' },
  }
}

/** Builds a multipart upload of a tiny GIF, which differs by name. */
export function buildLogoUpload(
  name: string,
  headers: Readonly<Record<string, string>> = {},
): ApiRequest {
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
  return { params: 'kept.example', payload, headers: { ...type, ...headers } }
}

/** Builds requests that roll an entry of kept.example back, which only a moderator may. */
function buildRollbacks(): RequestsByOperation[string] {
  const payload = { to_revision: 1 }
  const request = { params: 'kept.example', payload }
  return {
    200: { ...request, caller: 'moderator' },
    400: { ...request, payload: { to_revision: 0 } },
    403: requestAs('acmeKey', request),
    404: { ...request, params: 'nobody.example', caller: 'moderator' },
    409: { ...request, params: 'acme.example', caller: 'moderator' },
    429: request,
    503: request,
  }
}

/** Builds requests that stop hosting a file of gone.example, whose domain the caller has proven. */
function buildWithdrawals(): RequestsByOperation[string] {
  const own = { params: 'gone.example' }
  return {
    200: own,
    400: { params: 'x' },
    403: requestAs('acmeKey', { params: 'kept.example' }),
    404: { params: 'nobody.example' },
    409: { params: 'acme.example' },
    429: own,
    503: own,
  }
}

/** Builds requests for the revisions of kept.example. */
function buildRevisionRequests(kind: 'Brand' | 'Property'): RequestsByOperation {
  return {
    [`list${kind}Revisions`]: {
      ...buildHostedRequests(),
      503: { params: 'kept.example', registry: 'crowded' },
    },
    [`get${kind}Revision`]: {
      200: { params: ['kept.example', '1'] },
      400: { params: ['kept.example', '0'] },
      404: { params: ['kept.example', '9999'] },
      503: { params: ['kept.example', '1'], registry: 'crowded' },
    },
  }
}

/** Builds requests about a domain that only admins may send, each once in five minutes. */
function buildAdminRequests(domain: string): RequestsByOperation[string] {
  const of = (params: string, registry: keyof Known['registryAdmins']) => (known: Known) => ({
    params,
    registry,
    headers: { authorization: `Bearer ${known.registryAdmins[registry]}` },
  })
  return {
    200: of(domain, 'usual'),
    400: of('x', 'usual'),
    403: { params: domain },
    429: of(domain, 'usual'),
    503: of(domain, 'readOnly'),
  }
}

/** Builds requests about a subscription of the ordinary caller. */
function buildSubscriptionRequests(
  name: keyof Known['subscriptions'],
  request: ApiRequest = {},
): RequestsByOperation[string] {
  return {
    200: ({ subscriptions }) => ({ ...request, params: subscriptions[name] }),
    400: { ...request, params: 'x' },
    403: ({ subscriptions }) => ({
      ...request,
      ...ofOtherOrganization,
      params: subscriptions[name],
    }),
    404: { ...request, params: unissued },
  }
}

function buildPublisherListRequests(): RequestsByOperation[string] {
  return {
    200: { params: agent },
    400: { params: agent, query: 'status=x' },
    404: { params: stranger },
    503: { params: agent, query: 'status=revoked', registry: 'crowded' },
  }
}

function requestUnsearched(query: string): ApiRequest {
  return { query, registry: 'unsearched' }
}

function buildReportRequests(id: (known: Known) => string): RequestsByOperation[string] {
  const ofReport = (known: Known) => ({ params: id(known) })
  return {
    200: ofReport,
    400: { params: unissued, query: 'cursor=x' },
    404: { params: unissued },
    503: known => ({ ...ofReport(known), registry: 'readOnly' }),
  }
}

function buildLiveAgentRequests(): RequestsByOperation[string] {
  const at = (host: string) => ({ query: `url=${encodeURIComponent(`https://${host}/mcp`)}` })
  return {
    // The demo has this agent, so the example of the reference works there too.
    200: at('sales.pinnacle-network.example'),
    400: {},
    502: at('away.example'),
    504: { ...at('slow.example'), registry: 'hasty' },
    503: at('agent.example'),
  }
}

/** Requests that every operation refuses; those that need a correct path are about an agent. */
export const alwaysRefused: Readonly<Record<number, ApiRequest>> = {
  400: { payload: '{' },
  401: {},
  413: { params: agent, payload: JSON.stringify({ x: 'x'.repeat(2 * 1024 * 1024) }) },
  415: { params: agent, payload: 'x', headers: { 'content-type': 'text/plain' } },
}

/** Builds requests about a storyboard for an enrolled agent. */
function buildStoryboardRequests(...more: string[]): RequestsByOperation[string] {
  const at = (agentUrl: string) => ({ params: [encodeURIComponent(agentUrl), ...more] })
  const none = { params: [agent, 'none', ...more.slice(1)] }
  return {
    200: requestAs('acmeKey', at(url)),
    400: at('ftp://agent.example'),
    401: at(url),
    403: at('https://nobody.example/mcp'),
    404: requestAs('acmeKey', none),
    422: requestAs('acmeKey', at('https://closed.example/mcp')),
    429: at(url),
    503: at(url),
  }
}

/** Builds requests of a person about something that they watch. */
function buildWatchRequests(
  status: number,
  name: keyof Known['watches'],
  more: ApiRequest = {},
): RequestsByOperation[string] {
  const unknown = requestAs('colleague', { ...more, params: unissued })
  return {
    [status]: known => requestAs('colleague', { ...more, params: known.watches[name] })(known),
    400: { ...more, params: 'x' },
    404: unknown,
    503: unknown,
  }
}

/** Builds a request about a comparison, by the organization of the agent. */
function requestComparison(known: Known, id: string): ApiRequest {
  return requestAs('acmeKey', { params: [agent, 'capability_discovery', id] })(known)
}

function buildComparisonRequests(
  answered: RequestsByOperation[string],
): RequestsByOperation[string] {
  const unknown = { params: [agent, 'capability_discovery', unissued] }
  return {
    ...answered,
    400: { params: [agent, 'capability_discovery', 'x'] },
    401: unknown,
    403: { params: [encodeURIComponent('https://nobody.example/mcp'), 'stale_revision', unissued] },
    404: requestAs('acmeKey', unknown),
    503: unknown,
  }
}

/** Builds requests about an agent by its own organization, and the same by others. */
function buildOwnerRequests(payload?: object): RequestsByOperation[string] {
  const body = payload && { payload }
  const own = { params: encodeURIComponent('https://closed.example/mcp'), ...body }
  const request = { params: agent, ...body }
  return {
    200: requestAs('acmeKey', own),
    400: { params: 'x', ...body },
    401: request,
    403: request,
    503: request,
  }
}

function buildBadgeRequests(...more: string[]): RequestsByOperation[string] {
  return { 200: { params: [agent, ...more] }, 400: { params: [agent, 'none', ...more.slice(1)] } }
}

/** Builds requests about an agent that hangs up, and about one that never answers. */
function buildSilentAgentRequests(...more: string[]): RequestsByOperation[string] {
  const at = (agentUrl: string) => ({ params: [encodeURIComponent(agentUrl), ...more] })
  return {
    502: requestAs('acmeKey', at('https://away.example/mcp')),
    504: { ...at('https://slow.example/mcp'), registry: 'hasty' },
  }
}

/** Requests whose answers have other headers than those of the usual request. */
export const conditionalRequests: Readonly<Record<string, (known: Known) => ApiRequest>> = {
  listAgentPublishers: () => ({ params: agent, query: 'status=revoked' }),
  listAgentPublishersAlias: () => ({ params: agent, query: 'status=revoked' }),
  lookUpPublisher: () => ({ query: 'domain=acme.example' }),
  resolveIdentifiers: () => ({ payload: { identifiers: unknown, provenance: { type: 'crawl' } } }),
  resumeSubscription: ({ subscriptions }) => ({ params: subscriptions.read }),
}
