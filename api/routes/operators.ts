import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { hasApiAccess, tiers, type Visibility } from '../../pipeline/core/tiers.ts'
import type { StoredMember } from '../../pipeline/model/accounts/member.ts'
import { agentTypes } from '../../pipeline/model/documents/index.ts'
import { pickGrantScope } from '../../pipeline/model/grant-scope.ts'
import { OperatorLookup } from '../../pipeline/model/responses/agents.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../pipeline/read/cache/commit-cache.ts'
import { findAgent } from '../../pipeline/read/lookups/agents.ts'
import { findGrantFacts } from '../../pipeline/read/lookups/grant-facts.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import { findBrandName, listDeclaredAgents } from '../../pipeline/read/lookups/operated.ts'
import { listReachesAfter } from '../../pipeline/read/lookups/reach.ts'
import { formatFileFreshness } from '../../pipeline/read/lookups/stored.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { listVisibilities, scopes } from '../../pipeline/resolve/visibility.ts'
import { isInOrganization } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'
import { createPageSize, PastedDomain, pageCursor } from '../inputs/fields.ts'
import { defineOperation } from '../operation/operation.ts'
import { formatMembers, replyMembers } from '../responses/cached-members.ts'
import { buildPageEnd } from '../responses/lists.ts'
import { findMeantDomain } from '../responses/meant-domain.ts'
import { buildPublisherCursor } from './authorization/publisher-page.ts'

/** Agents per page. */
const AGENTS = 20
const AGENTS_MAX = 100
const PUBLISHERS_PER_AGENT_MAX = 100
/** Bytes of publishers in one answer: callers refuse answers above 256 KiB. */
const PUBLISHER_BYTES = 160 * 1024

export const lookUpOperator = defineOperation({
  id: 'lookUpOperator',
  method: 'GET',
  path: '/api/registry/operator',
  group: 'Lookups & Authorization',
  summary: 'Look up the agents that a domain operates, and the publishers that authorize them',
  description:
    'Returns the agents of the member that has verified the domain or its closest parent; for other domains, the agents in their brand.json. Everyone sees public agents. Members with API access also see those shared with members, and an organization sees all its own agents. `scope` can only narrow this.',
  access: 'optional',
  cache: 'personal',
  query: z.object({
    domain: PastedDomain,
    scope: z
      .string()
      .overwrite(toLowerCase)
      .pipe(z.enum(scopes))
      .default('all')
      .meta({
        default: 'all',
        examples: [...scopes],
        description: 'Only agents with this visibility',
      }),
    limit: createPageSize({ defaultSize: AGENTS, max: AGENTS_MAX }),
    cursor: pageCursor,
  }),
  reply: { 200: OperatorLookup },
  errors: ['invalid_request'],
  handle: ({ query: { domain, scope, limit, cursor }, principal, services: { reader } }) => {
    const page = { start: Number(cursor ?? 0), limit }
    const member = getMembers(reader).findNearestOwner(domain)
    const operated =
      member === undefined
        ? formatDeclared(
            reader,
            domain,
            listVisibilities(toAsker(undefined, undefined), scope),
            page,
          )
        : formatOperated(reader, member, listVisibilities(toAsker(principal, member), scope), page)
    const freshness = formatFileFreshness(reader, 'brand.json', domain)
    return replyMembers([formatMembers({ domain }), operated], freshness)
  },
})

const CACHE_BYTES_MAX = 32 * 1024 * 1024
const operators = declareCache(() => new CommitCache<string>(CACHE_BYTES_MAX, text => text.length))

interface PageOfAgents {
  /** Number of agents on the previous pages. */
  start: number
  limit: number
}

/** Formats the agents of a member for callers who may see these visibilities. */
function formatOperated(
  reader: Reader,
  member: StoredMember,
  visible: ReadonlySet<Visibility>,
  page: PageOfAgents,
): string {
  const question = `${member.org_id} ${[...visible].join()} ${page.start} ${page.limit}`
  return operators(reader).get(requireValue(reader.serving, 'serving store'), question, () => {
    const agents = member.agents.filter(({ visibility }) => visible.has(visibility))
    const budget = { bytes: PUBLISHER_BYTES }
    const shown = cutAgents(agents, page).map(({ url, name, type }) => ({
      url,
      name: name ?? member.display_name,
      type,
      ...listAuthorizing(reader, url, budget),
    }))
    return formatAgents(toMember(member), shown, agents.length, page)
  })
}

/** Formats the agents that the brand.json of a domain declares, for a domain of no member. */
function formatDeclared(
  reader: Reader,
  domain: string,
  visible: ReadonlySet<Visibility>,
  page: PageOfAgents,
): string {
  if (!visible.has('public') || reader.serving === undefined) return formatMembers(noAgents)
  return operators(reader).get(
    reader.serving,
    `declared ${domain} ${page.start} ${page.limit}`,
    () => {
      const declared = listDeclaredAgents(reader, domain)
      if (declared.length === 0) {
        const isKnown = (meant: Domain) => listDeclaredAgents(reader, meant).length > 0
        return formatMembers({ ...noAgents, ...findMeantDomain(domain, isKnown) })
      }
      const budget = { bytes: PUBLISHER_BYTES }
      const name = findBrandName(reader, domain)
      const shown = cutAgents(declared, page).map(({ agent_url: url, type }) => ({
        url,
        name,
        type: agentTypes.find(known => known === type) ?? 'unknown',
        source: 'brand_json',
        ...listAuthorizing(reader, url, budget),
      }))
      return formatAgents(null, shown, declared.length, page)
    },
  )
}

function cutAgents<Agent>(agents: readonly Agent[], { start, limit }: PageOfAgents): Agent[] {
  return agents.slice(start, start + limit)
}

/** Formats the members of an answer about a page of agents (`formatMembers`). */
function formatAgents(
  member: OperatorLookup['member'],
  agents: OperatorLookup['agents'],
  total: number,
  { start }: PageOfAgents,
): string {
  const members = {
    member,
    agents,
    ...(agents.length < total && { agents_total: total, agents_truncated: true }),
    ...buildPageEnd(start, agents.length, total),
  }
  return formatMembers(members)
}

/** Members of the answer about a domain that has no member and no agents. */
const noAgents = { member: null, agents: [], has_more: false, next_cursor: null }

function toLowerCase(text: string): string {
  return text.toLowerCase()
}

function toAsker(principal: Principal | undefined, member: StoredMember | undefined) {
  return {
    isOwner: member !== undefined && isInOrganization(principal, member.org_id),
    hasApiAccess: principal !== undefined && hasApiAccess(principal.tier),
  }
}

/** Converts a member to its public form; a profile that is not public reveals nothing. */
function toMember(member: StoredMember): OperatorLookup['member'] {
  const { slug, display_name, is_public, is_founding, membership_tier } = member
  return {
    slug,
    display_name,
    ...(is_public && { is_founding_member: is_founding }),
    ...(is_public &&
      membership_tier !== null && {
        membership_tier,
        membership_tier_label: tiers[membership_tier].label,
      }),
  }
}

/** Lists publishers that authorize an agent, as many as the answer has room for. */
function listAuthorizing(reader: Reader, url: string, budget: { bytes: number }) {
  const authorized_by: OperatorLookup['agents'][number]['authorized_by'] = []
  for (const reach of listReachesAfter(reader, url, { limit: PUBLISHERS_PER_AGENT_MAX })) {
    const { publisher_domain, authorized_for } = reach
    const entry = {
      publisher_domain,
      ...(authorized_for !== null && { authorized_for }),
      source: 'adagents_json' as const,
      ...pickGrantScope(reach),
      ...findGrantFacts(reader, url, publisher_domain),
    }
    budget.bytes -= Buffer.byteLength(JSON.stringify(entry)) + 1
    if (budget.bytes < 0) break
    authorized_by.push(entry)
  }
  const total = findAgent(reader, url).publisher_count
  if (authorized_by.length >= total) return { authorized_by }
  const last = authorized_by.at(-1)?.publisher_domain
  return {
    authorized_by,
    authorized_by_total: total,
    authorized_by_truncated: true,
    ...(last !== undefined && { authorized_by_cursor: buildPublisherCursor(last) }),
  }
}
