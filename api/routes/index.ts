import type { Operation } from '../operation/operation.ts'
import * as agentBadges from './agents/agent-badges.ts'
import * as agentCompliance from './agents/agent-compliance.ts'
import * as agentCredentials from './agents/agent-credentials.ts'
import * as agentLookup from './agents/agent-lookup.ts'
import * as agentMonitoring from './agents/agent-monitoring.ts'
import * as agentSearch from './agents/agent-search.ts'
import * as agentStoryboards from './agents/agent-storyboards.ts'
import * as agents from './agents/agents.ts'
import * as badgeTokens from './agents/badge-tokens.ts'
import * as comparisons from './agents/comparisons.ts'
import * as probing from './agents/probing.ts'
import * as refresh from './agents/refresh.ts'
import * as storyboards from './agents/storyboards.ts'
import * as answerSchemas from './answer-schemas.ts'
import * as agentPublishers from './authorization/agent-publishers.ts'
import * as authorizationLookups from './authorization/authorization-lookups.ts'
import * as authorizations from './authorization/authorizations.ts'
import * as bulkAuthorization from './authorization/bulk-authorization.ts'
import * as productAuthorization from './authorization/product-authorization.ts'
import * as propertyAuthorization from './authorization/property-authorization.ts'
import * as publisherAuthorization from './authorization/publisher-authorization.ts'
import * as brandJson from './brands/brand-json.ts'
import * as brandSetup from './brands/brand-setup.ts'
import * as brands from './brands/brands.ts'
import * as enrich from './brands/enrich.ts'
import * as logos from './brands/logos.ts'
import * as history from './community/history.ts'
import * as hosted from './community/hosted.ts'
import * as mirrorProposals from './community/mirror-proposals.ts'
import * as mirrors from './community/mirrors.ts'
import * as ownership from './community/ownership.ts'
import * as policies from './community/policies.ts'
import * as reviews from './community/reviews.ts'
import * as revisions from './community/revisions.ts'
import * as rollbacks from './community/rollbacks.ts'
import * as saves from './community/saves.ts'
import * as withdrawals from './community/withdrawals.ts'
import * as crawl from './crawl.ts'
import * as eventLog from './event-log.ts'
import * as feed from './feed.ts'
import * as lookups from './lookups.ts'
import * as manifests from './manifests.ts'
import * as apiKeys from './members/api-keys.ts'
import * as audit from './members/audit.ts'
import * as billing from './members/billing.ts'
import * as domains from './members/domains.ts'
import * as invitations from './members/invitations.ts'
import * as oauth from './members/oauth.ts'
import * as organizations from './members/organizations.ts'
import * as ownAgents from './members/own-agents.ts'
import * as people from './members/people.ts'
import * as profile from './members/profile.ts'
import * as usage from './members/usage.ts'
import * as watches from './members/watches.ts'
import * as operators from './operators.ts'
import * as catalog from './properties/catalog.ts'
import * as disputes from './properties/disputes.ts'
import * as properties from './properties/properties.ts'
import * as propertyChecks from './properties/property-checks.ts'
import * as resolveIdentifiers from './properties/resolve-identifiers.ts'
import * as publishers from './publishers.ts'
import * as revalidation from './revalidation.ts'
import * as search from './search.ts'
import * as securityContact from './security-contact.ts'
import * as createSubscription from './subscriptions/create-subscription.ts'
import * as receiverPosts from './subscriptions/receiver-posts.ts'
import * as subscriptions from './subscriptions/subscriptions.ts'
import * as validation from './validation.ts'
import * as wellKnown from './well-known.ts'

/** Every file of routes, those first whose operations come first in their group. */
const files: readonly object[] = [
  brands,
  brandJson,
  search,
  enrich,
  history,
  revisions,
  domains,
  saves,
  rollbacks,
  withdrawals,
  brandSetup,
  logos,
  properties,
  hosted,
  resolveIdentifiers,
  disputes,
  catalog,
  agentSearch,
  agents,
  agentLookup,
  publishers,
  lookups,
  crawl,
  revalidation,
  feed,
  eventLog,
  createSubscription,
  subscriptions,
  receiverPosts,
  watches,
  ownership,
  operators,
  authorizations,
  manifests,
  publisherAuthorization,
  agentPublishers,
  authorizationLookups,
  productAuthorization,
  propertyAuthorization,
  bulkAuthorization,
  validation,
  propertyChecks,
  probing,
  mirrors,
  mirrorProposals,
  reviews,
  comparisons,
  agentStoryboards,
  agentCompliance,
  agentMonitoring,
  agentBadges,
  badgeTokens,
  agentCredentials,
  refresh,
  storyboards,
  policies,
  organizations,
  profile,
  ownAgents,
  billing,
  apiKeys,
  people,
  invitations,
  audit,
  usage,
  wellKnown,
  answerSchemas,
  securityContact,
  oauth,
]

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Every endpoint: what the files export, of each file the shortest path first. */
export const operations: readonly Operation[] = files.flatMap(file =>
  Object.values(file).flat().filter(isOperation).sort(compareOperations),
)

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'handle' in value
}

function compareOperations(a: Operation, b: Operation): number {
  return a.path.length - b.path.length || methods.indexOf(a.method) - methods.indexOf(b.method)
}
