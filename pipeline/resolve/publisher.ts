import type { Instant } from '../core/clock.ts'
import { type Domain, parsePublisherDomain } from '../core/domain.ts'
import type {
  AdagentsDocument,
  AgentEntry,
  CollectionEntry,
  PropertyEntry,
} from '../model/documents.ts'
import { isUrl } from '../model/observation.ts'
import { type Claim, claimsOf } from './claims.ts'
import { collectionsOf } from './collections.ts'
import { ask, type Derivation, type Pending, pending, wake } from './derivation.ts'
import { grantsOf, isOfSignals } from './grants.ts'
import { disowned, managedFile } from './managed-file.ts'
import { hostsOf, isHosts, isOwn, listedFor } from './ownership.ts'
import { pointedAt } from './pointed-at.ts'
import { Revocations } from './revocation.ts'
import type { Standing } from './standing.ts'
import { boundariesOf } from './window.ts'

export type InlineDocument = Extract<AdagentsDocument, { variant: 'inline' }>
export type DiscoveryMethod = 'direct' | 'authoritative_location' | 'ads_txt_managerdomain'

/** A grant as the file states it; `reaches` are positions in `properties`. */
export interface Grant {
  entry: AgentEntry
  reaches: readonly number[]
  /** Its window is open. */
  in_force: boolean
}

/** What a publisher's own file says, before identities are given to its properties. */
export interface PublisherFacts {
  standing: Standing
  discovery_method: DiscoveryMethod
  manager_domain?: Domain
  resolved_location: string
  document: InlineDocument
  properties: PropertyEntry[]
  grants: Grant[]
  collections: CollectionEntry[]
  /** Agents that its own file lists, whatever they reach now. */
  listed: string[]
  /** What its own file says of other publishers' properties. */
  claims: Claim[]
  /** The file, or its own one of the domain, disowns the publisher: nothing of it counts. */
  revoked: boolean
  /** When time alone changes these facts; passed ones too. */
  turns: Instant[]
  /** Other publishers the file names. */
  mentions: Domain[]
}

/** No file speaks for the publisher, or the only one that did disowns it: nothing of it counts. */
export interface Astray {
  standing: 'ended'
  document?: never
  revoked: boolean
  mentions: Domain[]
}

/**
 * What `domain` owns and whom it authorizes, read from its own adagents.json, the file that one points
 * to, or that of the manager its ads.txt names. Undefined before anybody has looked.
 */
export function* derivePublisher(
  domain: Domain,
  now: Instant,
): Derivation<PublisherFacts | Astray | Pending | undefined> {
  const facts = yield* findPublisher(domain, now)
  if (typeof facts !== 'object' || facts.document === undefined) return facts
  const own = yield* ask('adagents.json', domain)
  const retired = own.document ? unlessRevoked(facts, domain, own.document, now) : facts
  const windows = retired.grants.flatMap(({ entry }) => boundariesOf(entry))
  for (const at of [...retired.turns, ...windows]) yield* wake(at)
  return retired
}

/** Whoever a domain's file leads to: what its own one revoked of the domain itself stays revoked. */
function unlessRevoked(
  facts: PublisherFacts,
  domain: Domain,
  own: AdagentsDocument,
  now: Instant,
): PublisherFacts {
  const revocations = new Revocations(own, now)
  if (facts.revoked || !revocations.has(domain)) return facts
  const turns = [...facts.turns, ...revocations.turns]
  return { ...facts, ...nothing, revoked: true, turns }
}

const nothing: Pick<PublisherFacts, 'properties' | 'grants' | 'collections' | 'listed'> = {
  properties: [],
  grants: [],
  collections: [],
  listed: [],
}

function* findPublisher(
  domain: Domain,
  now: Instant,
): Derivation<PublisherFacts | Astray | Pending | undefined> {
  const own = yield* ask('adagents.json', domain)
  const managed = yield* managedFile(domain, own, now)
  if (managed === pending) return pending
  if (managed === disowned) {
    // A file of its own, as long as that one counts, is no manager's business.
    const isAlone = own.document === undefined || own.standing === 'ended'
    if (isAlone) return { ...astray, revoked: true }
  } else if (managed) {
    const facts = factsOf(domain, managed.document, managed.standing, managed.location, now)
    const { manager_domain } = managed
    return { ...facts, discovery_method: 'ads_txt_managerdomain', manager_domain }
  }
  if (own.document === undefined) return own.standing === 'untried' ? undefined : astray
  if (own.document.variant === 'inline') {
    return factsOf(domain, own.document, own.standing, domain, now)
  }
  const file = yield* pointedAt(domain, own.document, own.standing, [domain], now)
  if (file === pending) return pending
  return file ? factsOf(domain, file.document, file.standing, file.location, now) : astray
}

const astray: Astray = { standing: 'ended', revoked: false, mentions: [] }

function factsOf(
  domain: Domain,
  document: InlineDocument,
  standing: Standing,
  location: string,
  now: Instant,
): PublisherFacts {
  const revocations = new Revocations(document, now)
  const revoked = revocations.has(domain)
  const host = hostOf(location)
  return {
    standing,
    discovery_method: location === domain ? 'direct' : 'authoritative_location',
    ...(host === domain ? {} : { manager_domain: host }),
    resolved_location: location,
    document,
    ...(revoked ? nothing : ownedIn(document, domain, location, revocations)),
    claims: location === domain ? claimsOf(domain, document, revocations) : [],
    mentions: location === domain ? mentionsOf(domain, document) : [],
    revoked,
    turns: revocations.turns,
  }
}

/**
 * What of a file is a domain's own. The own file of another domain has an owner: its host's are the
 * properties that it lists in nobody's name, and its signals. A file at any other address was put there
 * for whoever points to it.
 */
function ownedIn(
  document: InlineDocument,
  domain: Domain,
  location: string,
  revocations: Revocations,
): typeof nothing {
  const other = location === domain || isUrl(location) ? undefined : location
  const isAnothers = (entry: PropertyEntry) => other !== undefined && isHosts(entry, other)
  const isCounted = (entry: PropertyEntry) =>
    isOwn(entry, domain) &&
    !isAnothers(entry) &&
    !hostsOf(entry).some(host => revocations.hasOver(host))
  const listed = listedFor(document, domain).filter(isCounted)
  const agents = document.agents
    .filter(entry => other === undefined || !isOfSignals(entry))
    .map(entry => withoutRevoked(entry, revocations))
  return {
    ...grantsOf(domain, agents, listed, isCounted, revocations.now),
    collections: collectionsOf(domain, document, location !== domain),
    listed: location === domain ? listedIn(document, domain) : [],
  }
}

/** Every agent of a domain's own file, but for those that it only names to others' properties. */
function listedIn({ agents }: InlineDocument, domain: Domain): string[] {
  const isAbout = ({ authorization_type, publisher_properties = [] }: AgentEntry) =>
    authorization_type !== 'publisher_properties' ||
    publisher_properties.some(({ publisher_domains }) => publisher_domains.includes(domain))
  return agents.filter(isAbout).map(({ agent_url }) => agent_url)
}

/** A collection of a revoked publisher opens nothing, so the entry's restriction names it no more. */
function withoutRevoked(entry: AgentEntry, revocations: Revocations): AgentEntry {
  const { collections } = entry
  if (collections === undefined) return entry
  const kept = collections.filter(({ publisher_domain }) => !revocations.has(publisher_domain))
  return kept.length === collections.length ? entry : { ...entry, collections: kept }
}

function hostOf(location: string): Domain {
  return (isUrl(location) ? new URL(location).hostname : location) as Domain
}

function mentionsOf(domain: Domain, document: InlineDocument): Domain[] {
  const named = [
    ...document.properties.map(property => property.publisher_domain),
    ...document.agents.flatMap(entry =>
      (entry.publisher_properties ?? []).flatMap(selector => selector.publisher_domains),
    ),
  ]
  const domains = new Set(named.flatMap(name => parsePublisherDomain(name) ?? []))
  domains.delete(domain)
  return [...domains]
}
