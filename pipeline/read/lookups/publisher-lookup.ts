import { hash } from 'node:crypto'
import { DAY } from '../../core/clock.ts'
import { buildHostedAddress } from '../../model/hosted.ts'
import { toUrl } from '../../model/observation.ts'
import type {
  DomainLookup,
  FreshnessBlock,
  PropertyResolution,
  PublisherLookup,
} from '../../model/responses/index.ts'
import type { Reader } from '../reader.ts'
import { findHosted } from './hosted.ts'
import { describeHosted, findPointingHere, findRedirect, HOSTING } from './hosting.ts'
import { findInventory } from './inventory.ts'
import { getMembers, type Members, toPublicMember } from './members.ts'
import { addOperatorSides } from './operator-sides.ts'
import {
  documentSpaces,
  findFileFreshness,
  findFreshness,
  findStored,
  type StoredAnswer,
} from './stored.ts'

/** The lookup of a publisher, and whether its own file lists any property. */
interface FoundPublisher extends StoredAnswer {
  hasInventory: boolean
}

/**
 * Finds the lookup of a publisher. `base` is the public address of the registry; `more` are further
 * members of the answer, which its ETag does not cover.
 */
export function findPublisher(
  reader: Reader,
  domain: string,
  base: string,
  more?: object,
): FoundPublisher | undefined {
  const member = toPublicMember(getMembers(reader).findOwner(domain))
  const added =
    member === null && more === undefined
      ? NO_MEMBER
      : `,${JSON.stringify({ member, ...more }).slice(1, -1)}`
  let isAbsent = false
  const found = findStored(reader, documentSpaces.publisher, domain, {
    more: added,
    revise: addOperatorSides(reader),
    within: freshness => {
      isAbsent = freshness.state === 'absent'
      return formatHostingMembers(freshness)
    },
  })
  if (found === undefined) return findPublisherWithoutFile(reader, domain, base, more)
  const { body, etag, hasInventory } = withFinalAddress(
    reader,
    isAbsent ? withAbsentFile(found) : found,
  )
  const ownEtag = member === null ? etag : `${etag}.${hashAnswer(member)}`
  const hosted = findPointingHere(reader, body, domain, base)
  if (hosted === undefined) return { body, etag: ownEtag, hasInventory }
  return {
    body: JSON.stringify(hosted),
    etag: `${ownEtag}.${hashAnswer(hosted.hosting)}`,
    hasInventory,
  }
}

/** Names the file that was read in the end, where its server redirects to another address. */
function withFinalAddress<Found extends StoredAnswer>(reader: Reader, found: Found): Found {
  const redirect = findRedirect(reader, found.body)
  if (redirect === undefined) return found
  const { named, final } = redirect
  const text = found.body.toString()
  const at = text.indexOf(toResolved(named), text.lastIndexOf(HOSTING))
  const body = text.slice(0, at) + toResolved(final) + text.slice(at + toResolved(named).length)
  return { ...found, body, etag: `${found.etag}.${hashAnswer({ final })}` }
}

const toResolved = (address: string) => `"resolved_url":${JSON.stringify(address)}`

const INVALID_FILE = '"files":{"adagents_json":{"status":"invalid"'

/** Marks a missing file as missing, not as invalid; only the crawl state can tell. */
function withAbsentFile<Found extends StoredAnswer>(found: Found): Found {
  const text = found.body.toString()
  const corrected = text.replace(INVALID_FILE, INVALID_FILE.replace('invalid', 'absent'))
  return text === corrected ? found : { ...found, body: corrected, etag: `${found.etag}.absent` }
}

const NO_MEMBER = ',"member":null'

/** Formats the crawl state of the deciding files as further members of `hosting`. */
function formatHostingMembers({ succeeded_at, http_status }: FreshnessBlock): string {
  return (
    (succeeded_at === undefined ? '' : `,"last_validated":"${succeeded_at}"`) +
    (http_status === undefined ? '' : `,"last_http_status":${http_status}`)
  )
}

/** Finds the lookup of a publisher without a file, from community entries. */
function findPublisherWithoutFile(
  reader: Reader,
  domain: string,
  base: string,
  more?: object,
): FoundPublisher | undefined {
  const saved = findStored(reader, documentSpaces.property, domain)
  if (saved === undefined) return undefined
  const { properties, ...rest } = JSON.parse(saved.body.toString()) as PropertyResolution
  const { properties_total, properties_truncated } = rest
  const { freshness, ...unknown } = buildUnknownPublisher(reader, domain)
  const isServed = findHosted(reader, 'adagents.json', domain) !== undefined
  const answer = {
    ...unknown,
    ...(isServed && {
      hosting: { ...unknown.hosting, ...describeHosted(reader, domain, base) },
    }),
    files: { ...unknown.files, adagents_json: describeMissingFile(unknown, isServed, base) },
    properties: properties.map(property => ({ ...property, source: 'community' })),
    ...(properties_truncated && { properties_total, properties_truncated }),
    ...more,
  }
  const body = Buffer.from(JSON.stringify({ ...answer, freshness }))
  const hasInventory = (findInventory(reader, domain)?.properties.length ?? 0) > 0
  return { body, etag: `${saved.etag}.${hashAnswer(answer)}`, hasInventory }
}

/** Describes why there is no file; one that cannot be used stays invalid, whatever members saved. */
function describeMissingFile({ domain, files }: PublisherLookup, isServed: boolean, base: string) {
  const { adagents_json: file } = files
  return {
    ...file,
    ...(file.status !== 'invalid' && { status: 'community' as const }),
    ...(isServed && { registry_url: buildHostedAddress(base, 'adagents.json', domain) }),
  }
}

export function findDomainLookup(reader: Reader, domain: string): StoredAnswer | undefined {
  const found = findStored(reader, documentSpaces.lookup, domain, {
    revise: addOperatorSides(reader),
  })
  if (found === undefined) return undefined
  const { body, etag } = found
  const members = getMembers(reader)
  const claiming = listClaiming(reader, domain)
  return claiming.length > 0 || hasEnrolledAgent(body.toString(), members)
    ? withMembers({ body, etag }, members, claiming)
    : { body, etag }
}

const URL_BEGINS = '"url":"'

/**
 * Tells whether a member shows any agent of a lookup. Searches the JSON text instead of parsing it, since
 * that is rare; addresses contain no escaped characters.
 */
function hasEnrolledAgent(lookup: string, members: Members): boolean {
  if (members.publicAgentCount === 0) return false
  for (let at = lookup.indexOf(URL_BEGINS); at >= 0; ) {
    const start = at + URL_BEGINS.length
    const end = lookup.indexOf('"', start)
    if (members.findPublicEnroller(lookup.slice(start, end)) !== undefined) return true
    at = lookup.indexOf(URL_BEGINS, end)
  }
  return false
}

/** Age beyond which an agent's claim no longer counts. */
const CLAIM_HOLDS_MS = 7 * DAY

/** Lists agents that recently claimed to sell for a domain; a claim does not authorize them. */
export function listClaiming(
  reader: Reader,
  domain: string,
): DomainLookup['sales_agents_claiming'] {
  const { serving } = reader
  if (serving === undefined) return []
  const claimed = serving.get('claim', domain)
  if (claimed === undefined) return []
  const members = getMembers(reader)
  return (JSON.parse(claimed.toString()) as string[])
    .filter(url => {
      const { succeeded_at } = findFreshness(reader, 'agent', url)
      return succeeded_at !== undefined && reader.now() - Date.parse(succeeded_at) < CLAIM_HOLDS_MS
    })
    .map(url => {
      const member = toPublicMember(members.findPublicEnroller(url))
      return { url, ...(member !== null && { member }) }
    })
}

/** Adds the member that shows each agent, and the agents that claim to sell for the domain. */
function withMembers(
  found: StoredAnswer,
  members: Members,
  claiming: DomainLookup['sales_agents_claiming'],
): StoredAnswer {
  const lookup = JSON.parse(found.body.toString()) as DomainLookup
  const additions: object[] = [...claiming]
  const authorized_agents = lookup.authorized_agents.map(agent => {
    const member = toPublicMember(members.findPublicEnroller(agent.url))
    if (member === null) return agent
    additions.push({ url: agent.url, ...member })
    return { ...agent, member }
  })
  if (additions.length === 0) return found
  const body = Buffer.from(
    JSON.stringify({ ...lookup, authorized_agents, sales_agents_claiming: claiming }),
  )
  return { body, etag: `${found.etag}.${hashAnswer(additions)}` }
}

function hashAnswer(added: object): string {
  return hash('sha256', JSON.stringify(added), 'base64url').slice(0, 8)
}

/** Validity of the file of a domain that never had a good one; null where it is unknown. */
const validity = {
  never_crawled: null,
  failing: null,
  current: null,
  stale: null,
  absent: false,
  invalid: false,
} as const

/** Status of a file without usable content, by its freshness: an absent file is not invalid. */
const fileStatus: Partial<Record<FreshnessBlock['state'], 'absent' | 'invalid'>> = {
  absent: 'absent',
  invalid: 'invalid',
}

/** Builds the publisher lookup of a domain about which nothing is stored. */
export function buildUnknownPublisher(reader: Reader, domain: string): PublisherLookup {
  const freshness = findFileFreshness(reader, 'adagents.json', domain)
  const { http_status } = freshness
  const brand = findFreshness(reader, 'brand.json', domain)
  const isRead = brand.state === 'current' || brand.state === 'stale'
  return {
    domain,
    member: toPublicMember(getMembers(reader).findOwner(domain)),
    adagents_valid: validity[freshness.state],
    discovery_method: null,
    manager_domain: null,
    hosting: {
      mode: freshness.state === 'invalid' ? 'self_invalid' : 'none',
      expected_url: toUrl({ kind: 'adagents.json', location: domain }),
      ...(http_status !== undefined && { last_http_status: http_status }),
    },
    files: {
      adagents_json: {
        status: fileStatus[freshness.state] ?? 'unknown',
        expected_url: toUrl({ kind: 'adagents.json', location: domain }),
      },
      brand_json: { status: isRead ? 'present' : 'unknown' },
    },
    properties: [],
    authorized_agents: [],
    formats: [],
    freshness,
  }
}
