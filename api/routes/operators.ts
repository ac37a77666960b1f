import { z } from 'zod'
import { hasApiAccess, tiers, type Visibility } from '../../pipeline/core/membership.ts'
import { findAgent } from '../../pipeline/index/points/agents.ts'
import { membersOf } from '../../pipeline/index/points/members.ts'
import { reachesAfter } from '../../pipeline/index/points/reach.ts'
import { SinceCommit } from '../../pipeline/index/points/since-commit.ts'
import { freshnessText } from '../../pipeline/index/points/stored.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { OperatorLookup } from '../../pipeline/model/answers-agents.ts'
import type { StoredMember } from '../../pipeline/model/member.ts'
import { scopes, visibleTo } from '../../pipeline/resolve/visibility.ts'
import type { Principal } from '../auth.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'
import { actsFor } from '../standing.ts'

const AGENTS = 20
const PUBLISHERS_EACH = 100
/** Of publishers in one answer: callers refuse answers above 256 KiB. */
const PUBLISHER_BYTES = 160 * 1024

export const lookUpOperator = operation({
  id: 'lookUpOperator',
  method: 'GET',
  path: '/api/registry/operator',
  group: 'Lookups & Authorization',
  summary: 'The agents a domain operates, and the publishers that trust them',
  description:
    'Agents of the member that has verified the domain, or the longest domain above it. Everybody ' +
    'sees public ones, members with API access also those for members, the member itself all. ' +
    '`scope` narrows that and never widens it. A domain that is no member’s answers 200 with ' +
    'nothing in it.',
  access: 'optional',
  cache: 'personal',
  query: z.object({
    domain: PastedDomain,
    scope: z
      .string()
      .overwrite(lowerCase)
      .pipe(z.enum(scopes))
      .default('all')
      .meta({ default: 'all', examples: [...scopes] }),
  }),
  reply: { 200: OperatorLookup },
  errors: ['invalid_request'],
  handle: ({ query: { domain, scope }, principal, services: { reader } }) => {
    const member = membersOf(reader).ownerAbove(domain)
    const operated =
      member === undefined
        ? NOBODYS
        : operatedBy(reader, member, visibleTo(askerOf(principal, member), scope))
    const freshness = freshnessText(reader, 'brand.json', domain)
    return ok(`{"domain":${JSON.stringify(domain)},${operated},"freshness":${freshness}}`)
  },
})

const KEPT_BYTES = 32 * 1024 * 1024
const kept = new SinceCommit<string>(KEPT_BYTES, text => text.length)

/** Members of the answer about a domain that is no member's, as JSON. */
const NOBODYS = '"member":null,"agents":[]'

type Told = 'member' | 'agents' | 'agents_total' | 'agents_truncated'

/** The same of a member, as it is shown to all who see its agents of these visibilities. */
function operatedBy(
  reader: Reader,
  member: StoredMember,
  visible: ReadonlySet<Visibility>,
): string {
  const question = `${member.org_id} ${[...visible].join()}`
  return kept.get(reader.serving!, question, () => {
    const agents = member.agents.filter(({ visibility }) => visible.has(visibility))
    const budget = { bytes: PUBLISHER_BYTES }
    const shown: Pick<OperatorLookup, Told> = {
      member: memberOf(member),
      agents: agents.slice(0, AGENTS).map(({ url, name, type }) => ({
        ...{ url, name: name ?? member.display_name, type },
        ...authorizedBy(reader, url, budget),
      })),
      ...(agents.length > AGENTS && { agents_total: agents.length, agents_truncated: true }),
    }
    return JSON.stringify(shown).slice(1, -1)
  })
}

function lowerCase(text: string): string {
  return text.toLowerCase()
}

function askerOf(principal: Principal | undefined, { org_id }: StoredMember) {
  return {
    isOwner: actsFor(principal, org_id),
    hasApiAccess: principal !== undefined && hasApiAccess(principal.tier),
  }
}

/** A profile that is not public keeps its standing to itself. */
function memberOf(member: StoredMember): OperatorLookup['member'] {
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

/** Publishers that let an agent sell, as long as there is room for them in the answer. */
function authorizedBy(reader: Reader, url: string, budget: { bytes: number }) {
  const authorized_by: OperatorLookup['agents'][number]['authorized_by'] = []
  for (const reach of reachesAfter(reader, url, { limit: PUBLISHERS_EACH })) {
    const { publisher_domain, authorized_for } = reach
    const entry = {
      publisher_domain,
      ...(authorized_for !== null && { authorized_for }),
      source: 'adagents_json' as const,
    }
    budget.bytes -= Buffer.byteLength(JSON.stringify(entry)) + 1
    if (budget.bytes < 0) break
    authorized_by.push(entry)
  }
  const total = findAgent(reader, url).publisher_count
  return authorized_by.length < total
    ? { authorized_by, authorized_by_total: total, authorized_by_truncated: true }
    : { authorized_by }
}
