import type { Instant } from '../core/clock.ts'
import { type Domain, parsePublisherDomain } from '../core/domain.ts'
import {
  type AdagentsDocument,
  type AgentEntry,
  type CollectionEntry,
  isUsable,
  type PropertyEntry,
} from '../model/documents/index.ts'
import { isOfSignals } from '../model/grant-scope.ts'
import { isUrl } from '../model/observation.ts'
import { type Claim, listClaims } from './claims.ts'
import { listCollections } from './collections.ts'
import { ask, type Derivation, type Pending, pending, wake } from './derivation.ts'
import type { AdagentsInlineDocument, Grant } from './grant.ts'
import { resolveGrants } from './grants.ts'
import { resolveManagedFile, revokedByManager } from './managed-file.ts'
import { resolvePointer } from './pointed-at.ts'
import { isOwn, isOwnedByHost, listHosts, listPropertiesFor } from './property-owners.ts'
import { type Catalog, emptyCatalog, findCatalog } from './publisher-catalog.ts'
import { Revocations } from './revocation.ts'
import type { Validity } from './validity.ts'
import { listBoundaries } from './window.ts'

export type DiscoveryMethod = 'direct' | 'authoritative_location' | 'ads_txt_managerdomain'

/** Facts of a publisher's own file, before identities are given to its properties. */
export interface PublisherFacts {
  validity: Validity
  /** The file says anything that can be used; otherwise it ends what it leaves out, and is not valid. */
  is_usable: boolean
  discovery_method: DiscoveryMethod
  manager_domain?: Domain
  resolved_location: string
  document: AdagentsInlineDocument
  properties: PropertyEntry[]
  /** Number of these, from the start, that the file lists by themselves; the others are only in entries. */
  selectable: number
  grants: Grant[]
  collections: CollectionEntry[]
  catalog: Catalog
  /** Signals of the file that are its own. */
  signal_count: number
  /** Agents that its own file lists, whatever they reach now. */
  listed: string[]
  /** Claims of its own file about other publishers' properties. */
  claims: Claim[]
  /** The file, or its own one of the domain, disowns the publisher: nothing of it counts. */
  revoked: boolean
  /** Times at which these facts change by themselves; passed ones too. */
  changeTimes: Instant[]
  /** Other publishers that the file names. */
  mentions: Domain[]
}

/** No file is valid for the publisher, or the only one disowns it: nothing of it counts. */
export interface NoPublisher {
  validity: 'expired'
  document?: never
  revoked: boolean
  mentions: Domain[]
}

/**
 * Derives the properties and grants of `domain` from its own adagents.json, the file that it points
 * to, or that of the manager its ads.txt names. Undefined before any of them was tried.
 */
export function* derivePublisher(
  domain: Domain,
  now: Instant,
): Derivation<PublisherFacts | NoPublisher | Pending | undefined> {
  const facts = yield* findPublisher(domain, now)
  if (typeof facts !== 'object' || facts.document === undefined) return facts
  const own = yield* ask('adagents.json', domain)
  const retired = own.document ? applyRevocations(facts, domain, own.document, now) : facts
  const windows = retired.grants.flatMap(({ entry }) => listBoundaries(entry))
  for (const at of [...retired.changeTimes, ...windows]) yield* wake(at)
  return retired
}

/**
 * Applies the domain's own revocation: whatever file its own one leads to, what it revoked of the
 * domain itself stays revoked.
 */
function applyRevocations(
  facts: PublisherFacts,
  domain: Domain,
  own: AdagentsDocument,
  now: Instant,
): PublisherFacts {
  const revocations = new Revocations(own, now)
  if (facts.revoked || !revocations.has(domain)) return facts
  const changeTimes = [...facts.changeTimes, ...revocations.changeTimes]
  return { ...facts, ...nothing, revoked: true, changeTimes }
}

const nothing: Pick<
  PublisherFacts,
  'properties' | 'selectable' | 'grants' | 'collections' | 'catalog' | 'signal_count' | 'listed'
> = {
  properties: [],
  selectable: 0,
  grants: [],
  collections: [],
  catalog: emptyCatalog,
  signal_count: 0,
  listed: [],
}

function* findPublisher(
  domain: Domain,
  now: Instant,
): Derivation<PublisherFacts | NoPublisher | Pending | undefined> {
  const own = yield* ask('adagents.json', domain)
  const managed = yield* resolveManagedFile(domain, own, now)
  if (managed === pending) return pending
  if (managed === revokedByManager) {
    // A manager cannot revoke a publisher whose own file is still valid.
    const hasOwnFile = own.document !== undefined && own.validity !== 'expired'
    if (!hasOwnFile) return { ...noPublisher, revoked: true }
  } else if (managed) {
    const facts = buildFacts(domain, managed.document, managed.validity, managed.location, now)
    const { manager_domain } = managed
    return { ...facts, discovery_method: 'ads_txt_managerdomain', manager_domain }
  }
  if (own.document === undefined) return own.validity === 'unknown' ? undefined : noPublisher
  if (own.document.variant === 'inline') {
    return buildFacts(domain, own.document, own.validity, domain, now)
  }
  const file = yield* resolvePointer(domain, own.document, own.validity, [domain], now)
  if (file === pending) return pending
  return file ? buildFacts(domain, file.document, file.validity, file.location, now) : noPublisher
}

const noPublisher: NoPublisher = { validity: 'expired', revoked: false, mentions: [] }

function buildFacts(
  domain: Domain,
  document: AdagentsInlineDocument,
  validity: Validity,
  location: string,
  now: Instant,
): PublisherFacts {
  const revocations = new Revocations(document, now)
  const revoked = revocations.has(domain)
  const host = getHost(location)
  return {
    validity,
    is_usable: isUsable(document),
    discovery_method: location === domain ? 'direct' : 'authoritative_location',
    ...(host === domain ? {} : { manager_domain: host }),
    resolved_location: location,
    document,
    ...(revoked ? nothing : selectOwned(document, domain, location, revocations)),
    claims: location === domain ? listClaims(domain, document, revocations) : [],
    mentions: location === domain ? listMentions(domain, document) : [],
    revoked,
    changeTimes: revocations.changeTimes,
  }
}

/**
 * Selects the part of a file that belongs to a domain. In the own file of another domain,
 * properties without a publisher and signals belong to that host. A file at any other address
 * belongs to the domain that points to it.
 */
function selectOwned(
  document: AdagentsInlineDocument,
  domain: Domain,
  location: string,
  revocations: Revocations,
): typeof nothing {
  const other = location === domain || isUrl(location) ? undefined : location
  const isAnothers = (entry: PropertyEntry) => other !== undefined && isOwnedByHost(entry, other)
  const isCounted = (entry: PropertyEntry) =>
    isOwn(entry, domain) &&
    !isAnothers(entry) &&
    !listHosts(entry).some(host => revocations.hasOver(host))
  const listed = listPropertiesFor(document, domain).filter(isCounted)
  const agents = document.agents
    .filter(entry => other === undefined || !isOfSignals(entry.authorization_type))
    .map(entry => omitRevoked(entry, revocations))
  const isShared = location !== domain
  const granted = resolveGrants(domain, agents, listed, isCounted, revocations.now)
  return {
    ...granted,
    collections: listCollections(domain, document, isShared),
    catalog: {
      ...findCatalog(document, granted.properties, isShared),
      ...(document.left_out && { left_out: document.left_out }),
    },
    signal_count: other === undefined ? document.signals.length : 0,
    listed: location === domain ? listPublisherGrants(document, domain) : [],
  }
}

/** Lists every agent of a domain's own file, except those that it names only for others' properties. */
function listPublisherGrants({ agents }: AdagentsInlineDocument, domain: Domain): string[] {
  const isAbout = ({ authorization_type, publisher_properties = [] }: AgentEntry) =>
    authorization_type !== 'publisher_properties' ||
    publisher_properties.some(({ publisher_domains }) => publisher_domains.includes(domain))
  return agents.filter(isAbout).map(({ agent_url }) => agent_url)
}

/** Omits collections of revoked publishers from an entry's restriction, since they admit nothing. */
function omitRevoked(entry: AgentEntry, revocations: Revocations): AgentEntry {
  const { collections } = entry
  if (collections === undefined) return entry
  const allowed = collections.filter(({ publisher_domain }) => !revocations.has(publisher_domain))
  return allowed.length === collections.length ? entry : { ...entry, collections: allowed }
}

function getHost(location: string): Domain {
  return (isUrl(location) ? new URL(location).hostname : location) as Domain
}

/** Publishers that one file brings to the frontier: it may name hundreds of thousands. */
const MENTIONS_MAX = 50_000

function listMentions(domain: Domain, document: AdagentsInlineDocument): Domain[] {
  const named = [
    ...document.properties.map(property => property.publisher_domain),
    ...document.agents.flatMap(entry =>
      (entry.publisher_properties ?? []).flatMap(selector => selector.publisher_domains),
    ),
  ]
  const domains = new Set(named.flatMap(name => parsePublisherDomain(name) ?? []))
  domains.delete(domain)
  return [...domains].slice(0, MENTIONS_MAX)
}
