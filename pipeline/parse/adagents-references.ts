import { mayDeclareHost } from '../core/domain.ts'
import { getFirst } from '../core/present.ts'
import {
  type AdagentsInline,
  catalogLists,
  hostTypes,
  isUsable,
  type PropertyEntry,
} from '../model/documents/index.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Accepted, AcceptedLists } from './accepted-items.ts'
import { checkNamed, formatNames } from './adagents-named.ts'
import { quote } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'
import { proposeNearest } from './suggestions.ts'

/** Checks that the parts of a file are consistent: no name is used twice, and no reference is undefined. */
export function checkReferences(
  root: ObjectReader,
  accepted: AcceptedLists,
  document: AdagentsInline,
  domain: string | undefined,
): void {
  checkContent(root, document)
  checkRepeated(accepted)
  checkNamed(root, accepted)
  checkTags(root, accepted, document)
  checkRevoked(root, document)
  if (domain === undefined) checkOwners(accepted)
  checkHosts(accepted, domain)
}

function checkContent(root: ObjectReader, document: AdagentsInline): void {
  const lists = ['authorized_agents', ...catalogLists]
  if (isUsable(document) || lists.some(key => root.isReported(key))) return
  const rule = 'list an agent, or at least one property, placement, format or signal'
  root.error(
    'authorized_agents',
    'empty',
    `lists no agent that can be used, and the file describes nothing else: ${rule}`,
  )
}

function checkRepeated(accepted: AcceptedLists): void {
  checkRepeats(accepted.agents, 'url', ({ item }) => item.agent_url, 'warn', 'repeated_agent')
  checkRepeats(accepted.properties, 'property_id', ({ item }) =>
    item.property_id === undefined ? undefined : `${item.publisher_domain} ${item.property_id}`,
  )
  checkRepeats(accepted.collections, 'collection_id', ({ item }) => item.collection_id)
  checkRepeats(accepted.placements, 'placement_id', ({ item }) => item.placement_id)
  checkRepeats(accepted.signals, 'id', ({ item }) => item.id, 'warn')
}

function checkRepeats<T>(
  list: readonly Accepted<T>[],
  key: string,
  getName: (accepted: Accepted<T>) => string | undefined,
  report: 'error' | 'warn' = 'error',
  code: FaultCode = 'repeated',
): void {
  if (list.length < 2) return
  const firstOfKey = new Map<string, ObjectReader>()
  for (const accepted of list) {
    const name = getName(accepted)
    if (name === undefined) continue
    const first = firstOfKey.get(name)
    if (first === undefined) firstOfKey.set(name, accepted.part)
    else accepted.part[report](key, code, `duplicates ${first.path(key)}`)
  }
}

function checkTags(root: ObjectReader, accepted: AcceptedLists, document: AdagentsInline): void {
  const used = {
    tags: accepted.properties,
    placement_tags: accepted.placements,
    signal_tags: accepted.signals,
  }
  for (const key of Object.keys(used) as (keyof typeof used)[]) {
    const described = document[key]
    const tags = new Set<string>()
    for (const { item } of used[key]) for (const tag of item.tags) tags.add(tag)
    const missing = [...tags].filter(tag => !described || !Object.hasOwn(described, tag))
    if (missing.length > 0)
      root.warn(
        key,
        'undescribed',
        `has no entry for ${formatNames(missing)}, which the file uses elsewhere: add ${describeTag(getFirst(missing))}`,
      )
  }
}

function describeTag(tag: string): string {
  return `${quote(tag)}: {"name": "…", "description": "…"}`
}

/**
 * Checks mentions of revoked publishers. The revocation wins over every other mention, so the other mention
 * is most likely a mistake.
 */
function checkRevoked(root: ObjectReader, document: AdagentsInline): void {
  if (document.revoked_publisher_domains.length === 0) return
  const references = new Set<string | undefined>()
  for (const property of document.properties) references.add(property.publisher_domain)
  for (const { publisher_properties = [] } of document.agents) {
    for (const selector of publisher_properties) {
      for (const domain of selector.publisher_domains) references.add(domain)
    }
  }
  const both = document.revoked_publisher_domains
    .map(({ publisher_domain }) => publisher_domain)
    .filter(domain => references.has(domain))
  if (both.length > 0) {
    root.warn(
      'revoked_publisher_domains',
      'contradictory',
      `lists ${formatNames(both)}, which the file still uses elsewhere: remove each from one place or the other`,
    )
  }
}

/** Checks that a file to which several publishers point says which property belongs to whom. */
function checkOwners({ properties }: AcceptedLists): void {
  for (const { part } of properties) {
    if (part.has('publisher_domain')) continue
    part.warn(
      'publisher_domain',
      'missing',
      'is missing, and a file that other domains point to needs it: name the domain of the owner',
    )
  }
}

/** Reports properties that claim hosts of others; readers leave them out. */
function checkHosts({ properties, agents }: AcceptedLists, domain: string | undefined): void {
  for (const { part, item } of properties) {
    const fault = findForeignHost(item, domain)
    if (fault !== undefined) part.error('identifiers', 'foreign_host', fault)
  }
  for (const { part, item } of agents) {
    const faults = (item.properties ?? []).flatMap(
      property => findForeignHost(property, domain) ?? [],
    )
    for (const fault of faults) part.error('properties', 'foreign_host', `holds one that ${fault}`)
  }
}

function findForeignHost(
  { identifiers, publisher_domain }: PropertyEntry,
  domain: string | undefined,
): string | undefined {
  const owner = publisher_domain ?? domain
  const foreign = identifiers.find(
    ({ type, value }) =>
      owner !== undefined && hostTypes.has(type) && !mayDeclareHost(owner, value),
  )
  if (foreign === undefined) return undefined
  const meant =
    proposeNearest(foreign.value, [owner]) ||
    ': set publisher_domain to the domain that owns the property'
  return `has ${quote(foreign.value)}, which is neither ${owner} nor a subdomain of it, so the property was left out${meant}`
}
