import { hash } from 'node:crypto'
import { DAY } from '../../core/clock.ts'
import type {
  DomainLookup,
  FreshnessBlock,
  PropertyResolution,
  PublisherLookup,
} from '../../model/answers.ts'
import { urlOf } from '../../model/observation.ts'
import type { Reader } from '../reader.ts'
import { findInventory } from './inventory.ts'
import { type Members, membersOf, publicMember } from './members.ts'
import { findStored, freshnessOf, type StoredAnswer, shelves } from './stored.ts'

/** The lookup of a publisher, and whether its own file lists any property. */
interface FoundPublisher extends StoredAnswer {
  isStocked: boolean
}

/** `more` are further members of the answer, which its ETag does not cover. */
export function findPublisher(
  reader: Reader,
  domain: string,
  more?: object,
): FoundPublisher | undefined {
  const member = publicMember(membersOf(reader).ownerOf(domain))
  const known =
    member === null && more === undefined
      ? NO_MEMBER
      : `,${JSON.stringify({ member, ...more }).slice(1, -1)}`
  const found = findStored(reader, shelves.publisher, domain, {
    more: known,
    within: hostingMembers,
  })
  if (found === undefined) return toldPublisher(reader, domain, more)
  const { body, etag, mark } = found
  return {
    body,
    etag: member === null ? etag : `${etag}.${digestOf(member)}`,
    isStocked: mark === 'stocked',
  }
}

const NO_MEMBER = ',"member":null'

/** How the crawler fared with the domain's own file, as further members of `hosting`. */
function hostingMembers({ succeeded_at, http_status }: FreshnessBlock): string {
  return (
    (succeeded_at === undefined ? '' : `,"last_validated":"${succeeded_at}"`) +
    (http_status === undefined ? '' : `,"last_http_status":${http_status}`)
  )
}

/** The lookup of a publisher that has no file, by what people told of it. */
function toldPublisher(reader: Reader, domain: string, more?: object): FoundPublisher | undefined {
  const told = findStored(reader, shelves.property, domain)
  if (told === undefined) return undefined
  const { properties, ...rest } = JSON.parse(told.body.toString()) as PropertyResolution
  const { properties_total, properties_truncated } = rest
  const { freshness, ...unknown } = unknownPublisher(reader, domain)
  const answer = {
    ...unknown,
    properties: properties.map(property => ({ ...property, source: 'community' })),
    ...(properties_truncated && { properties_total, properties_truncated }),
    ...more,
  }
  const body = Buffer.from(JSON.stringify({ ...answer, freshness }))
  const isStocked = (findInventory(reader, domain)?.properties.length ?? 0) > 0
  return { body, etag: `${told.etag}.${digestOf(answer)}`, isStocked }
}

export function findDomainLookup(reader: Reader, domain: string): StoredAnswer | undefined {
  const found = findStored(reader, shelves.lookup, domain)
  if (found === undefined) return undefined
  const { body, etag } = found
  const members = membersOf(reader)
  const claiming = claimingOf(reader, domain)
  return claiming.length > 0 || namesEnrolled(body.toString(), members)
    ? withMembers({ body, etag }, members, claiming)
    : { body, etag }
}

const URL_BEGINS = '"url":"'

/** Whether a member shows any agent of a lookup: few are shown by one. Addresses hold nothing escaped. */
function namesEnrolled(lookup: string, members: Members): boolean {
  if (members.publicAgents === 0) return false
  for (let at = lookup.indexOf(URL_BEGINS); at >= 0; ) {
    const start = at + URL_BEGINS.length
    const end = lookup.indexOf('"', start)
    if (members.whoEnrolled(lookup.slice(start, end)) !== undefined) return true
    at = lookup.indexOf(URL_BEGINS, end)
  }
  return false
}

/** What an agent said longer ago than this counts no more. */
const CLAIM_HOLDS_MS = 7 * DAY

/** Agents that said lately that they sell for a domain, which says nothing of whether they may. */
export function claimingOf(reader: Reader, domain: string): { url: string; member?: object }[] {
  const { serving } = reader
  if (serving === undefined) return []
  const claimed = serving.get('claim', domain)
  if (claimed === undefined) return []
  const members = membersOf(reader)
  return (JSON.parse(claimed.toString()) as string[])
    .filter(url => {
      const { succeeded_at } = freshnessOf(reader, 'agent', url)
      return succeeded_at !== undefined && reader.now() - Date.parse(succeeded_at) < CLAIM_HOLDS_MS
    })
    .map(url => {
      const member = publicMember(members.whoEnrolled(url))
      return { url, ...(member !== null && { member }) }
    })
}

/** Says of each agent which member shows it, and which agents claim the domain. */
function withMembers(
  found: StoredAnswer,
  members: Members,
  claiming: DomainLookup['sales_agents_claiming'],
): StoredAnswer {
  const lookup = JSON.parse(found.body.toString()) as DomainLookup
  const told: object[] = [...claiming]
  const authorized_agents = lookup.authorized_agents.map(agent => {
    const member = publicMember(members.whoEnrolled(agent.url))
    if (member === null) return agent
    told.push({ url: agent.url, ...member })
    return { ...agent, member }
  })
  if (told.length === 0) return found
  const body = Buffer.from(
    JSON.stringify({ ...lookup, authorized_agents, sales_agents_claiming: claiming }),
  )
  return { body, etag: `${found.etag}.${digestOf(told)}` }
}

function digestOf(said: object): string {
  return hash('sha256', JSON.stringify(said), 'base64url').slice(0, 8)
}

/** Whether the file of a domain that never had a good one is valid; null where nobody can say. */
const validity = {
  never_crawled: null,
  failing: null,
  current: null,
  stale: null,
  absent: false,
  invalid: false,
} as const

/** The publisher lookup of a domain that nothing is stored of. */
export function unknownPublisher(reader: Reader, domain: string): PublisherLookup {
  const freshness = freshnessOf(reader, 'adagents.json', domain)
  const { http_status } = freshness
  const brand = freshnessOf(reader, 'brand.json', domain)
  const isRead = brand.state === 'current' || brand.state === 'stale'
  return {
    domain,
    member: publicMember(membersOf(reader).ownerOf(domain)),
    adagents_valid: validity[freshness.state],
    discovery_method: null,
    manager_domain: null,
    hosting: {
      mode: freshness.state === 'invalid' ? 'self_invalid' : 'none',
      expected_url: urlOf({ kind: 'adagents.json', location: domain }),
      ...(http_status !== undefined && { last_http_status: http_status }),
    },
    files: {
      adagents_json: {
        status: validity[freshness.state] === false ? 'invalid' : 'unknown',
        expected_url: urlOf({ kind: 'adagents.json', location: domain }),
      },
      brand_json: { status: isRead ? 'present' : 'unknown' },
    },
    properties: [],
    authorized_agents: [],
    formats: [],
    freshness,
  }
}
