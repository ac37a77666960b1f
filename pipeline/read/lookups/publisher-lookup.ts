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
import { addGrantFacts } from './grant-facts.ts'
import { findHosted } from './hosted.ts'
import { describeHosted, findPointingHere, findResolved, HOSTING } from './hosting.ts'
import { findInventory } from './inventory.ts'
import { getMembers, toPublicMember } from './members.ts'
import { findBrandCard } from './resolutions.ts'
import {
  documentSpaces,
  findFileFreshness,
  findFreshness,
  findStored,
  type Notes,
  type Revise,
  type Revised,
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
  const found = findStored(reader, documentSpaces.publisher, domain, {
    more: added,
    revise: revisePublisher,
    within: formatHostingMembers,
  })
  if (found === undefined) return findPublisherWithoutFile(reader, domain, base, more)
  const { notes, hasInventory } = found
  const { body, etag } = withFinalAddress(withFileStatus(found, found.freshness), notes)
  const ownEtag = member === null ? etag : `${etag}.${hashAnswer(member)}`
  const named = notes.finalUrl ?? notes.resolvedUrl
  const hosted =
    named === undefined ? undefined : findPointingHere(reader, body, { domain, base, named })
  if (hosted === undefined) return { body, etag: ownEtag, hasInventory }
  return {
    body: JSON.stringify(hosted),
    etag: `${ownEtag}.${hashAnswer(hosted.hosting)}`,
    hasInventory,
  }
}

/** Adds what operators say, and notes where the file of a publisher was found. */
const revisePublisher: Revise = (json, domain, reader) => ({
  ...addGrantFacts(json, domain, reader),
  notes: findResolved(reader, json),
})

/** Names the file that was read in the end, where its server redirects to another address. */
function withFinalAddress(
  found: StoredAnswer,
  { resolvedUrl: named, finalUrl: final }: Notes,
): StoredAnswer {
  if (named === undefined || final === undefined) return found
  const text = found.body.toString()
  const at = text.indexOf(toResolved(named), text.lastIndexOf(HOSTING))
  const body = text.slice(0, at) + toResolved(final) + text.slice(at + toResolved(named).length)
  return { body, etag: `${found.etag}.${hashAnswer({ final })}` }
}

const toResolved = (address: string) => `"resolved_url":${JSON.stringify(address)}`

const FILE_STATUS = /("files":\{"adagents_json":\{"status":")(?:in)?valid"/

/**
 * Says what the last attempt found, also while the last valid version is in force: only the crawl state can tell. The
 * ETag covers that state already.
 */
function withFileStatus(found: StoredAnswer, { state }: FreshnessBlock): StoredAnswer {
  const status = fileStatus[state]
  if (status === undefined) return found
  return { ...found, body: found.body.toString().replace(FILE_STATUS, `$1${status}"`) }
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
  const found = findStored(reader, documentSpaces.lookup, domain, { revise: reviseLookup })
  if (found === undefined) return undefined
  const { body, etag, notes } = found
  if (!notes.isClaimed) return { body, etag }
  const { json, suffix } = withMembers(reader, body.toString(), listClaiming(reader, domain))
  return { body: json, etag: etag + suffix }
}

/** Adds what operators say, and the members unless agents claim the domain: claims expire by the clock. */
const reviseLookup: Revise = (json, domain, reader) => {
  const revised = addGrantFacts(json, domain, reader)
  return reader.serving?.has('claim', domain)
    ? { ...revised, notes: { isClaimed: true } }
    : { ...revised, ...withMembers(reader, revised.json, []) }
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
  reader: Reader,
  json: string,
  claiming: DomainLookup['sales_agents_claiming'],
): Required<Pick<Revised, 'json' | 'suffix'>> {
  const lookup = JSON.parse(json) as DomainLookup
  const members = getMembers(reader)
  const additions: object[] = [...claiming]
  const authorized_agents = lookup.authorized_agents.map(agent => {
    const member = toPublicMember(members.findPublicEnroller(agent.url))
    if (member === null) return agent
    additions.push({ url: agent.url, ...member })
    return { ...agent, member }
  })
  if (additions.length === 0) return { json, suffix: '' }
  const shown = { ...lookup, authorized_agents, sales_agents_claiming: claiming }
  return { json: JSON.stringify(shown), suffix: `.${hashAnswer(additions)}` }
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
  const brand = findBrandCard(reader, domain)
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
      brand_json:
        brand === undefined ? { status: 'unknown' } : { status: 'present', name: brand.name },
    },
    ...(brand && { brand }),
    properties: [],
    authorized_agents: [],
    formats: [],
    freshness,
  }
}
