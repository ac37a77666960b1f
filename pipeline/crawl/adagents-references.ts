import { ownsHost } from '../core/domain.ts'
import type { AdagentsInline, PropertyEntry } from '../model/documents.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Kept, KeptLists } from './adagents-json.ts'
import { quote } from './faults.ts'
import type { Part } from './part.ts'

/** Whether the parts of a file fit together: what is named twice, and what is named and not there. */
export function checkReferences(
  root: Part,
  kept: KeptLists,
  document: AdagentsInline,
  domain: string | undefined,
): void {
  checkContent(root, document)
  checkRepeated(kept)
  checkEntries(kept)
  checkPlacements(kept)
  checkTags(root, kept, document)
  checkRevoked(root, document)
  if (domain === undefined) checkOwners(kept)
  checkHosts(kept, domain)
}

function checkContent(root: Part, document: AdagentsInline): void {
  const catalog = ['properties', 'collections', 'placements', 'formats', 'signals'] as const
  if (document.agents.length > 0 || catalog.some(key => document[key].length > 0)) return
  const rule = 'list an agent, or at least one property, placement, format or signal'
  root.error(
    'authorized_agents',
    'empty',
    `lists no agent, and the file describes nothing else: ${rule}`,
  )
}

function checkRepeated(kept: KeptLists): void {
  repeats(kept.agents, 'url', ({ item }) => item.agent_url, 'warn', 'repeated_agent')
  repeats(kept.properties, 'property_id', ({ item }) =>
    item.property_id === undefined ? undefined : `${item.publisher_domain} ${item.property_id}`,
  )
  repeats(kept.collections, 'collection_id', ({ item }) => item.collection_id)
  repeats(kept.placements, 'placement_id', ({ item }) => item.placement_id)
  repeats(kept.signals, 'id', ({ item }) => item.id, 'warn')
}

function repeats<T>(
  list: readonly Kept<T>[],
  key: string,
  nameOf: (kept: Kept<T>) => string | undefined,
  report: 'error' | 'warn' = 'error',
  code: FaultCode = 'repeated',
): void {
  if (list.length < 2) return
  const seen = new Map<string, Part>()
  for (const kept of list) {
    const name = nameOf(kept)
    if (name === undefined) continue
    const first = seen.get(name)
    if (first === undefined) seen.set(name, kept.part)
    else kept.part[report](key, code, `is the same as ${first.path(key)}`)
  }
}

/** What an entry may name, by the key it is named under. */
const nameable = {
  property_ids: ({ properties }) => properties.map(({ item }) => item.property_id),
  property_tags: ({ properties }) => properties.flatMap(({ item }) => item.tags),
  signal_ids: ({ signals }) => signals.map(({ item }) => item.id),
  signal_tags: ({ signals }) => signals.flatMap(({ item }) => item.tags),
  placement_ids: ({ placements }) => placements.map(({ item }) => item.placement_id),
  placement_tags: ({ placements }) => placements.flatMap(({ item }) => item.tags),
} as const satisfies Record<string, (kept: KeptLists) => (string | undefined)[]>

type Nameable = keyof typeof nameable
const nameables = Object.keys(nameable) as Nameable[]

function checkEntries(kept: KeptLists): void {
  const known = new Map<Nameable, Set<string | undefined>>()
  for (const { part, item } of kept.agents) {
    for (const key of nameables) {
      const named = item[key]
      const type = item.authorization_type ?? key
      if (named === undefined || !(key.startsWith('placement') || type === key)) continue
      const there = known.get(key) ?? new Set(nameable[key](kept))
      known.set(key, there)
      unresolved(part, key, named, there, nounOf(key))
    }
  }
}

function nounOf(key: string): string {
  const [noun, by] = key.split('_')
  return by === 'ids' ? `${noun} of this file` : `tag of any ${noun} of this file`
}

function checkPlacements({ placements, properties }: KeptLists): void {
  if (placements.length === 0) return
  const ids = new Set(properties.map(({ item }) => item.property_id))
  for (const { part, item } of placements) {
    unresolved(part, 'property_ids', item.property_ids ?? [], ids, 'property of this file')
  }
}

function unresolved(
  part: Part,
  key: string,
  names: readonly string[],
  known: ReadonlySet<string | undefined>,
  noun: string,
): void {
  const missing = names.filter(name => !known.has(name))
  if (missing.length > 0)
    part.warn(key, 'unresolved', `names ${enumerate(missing)}, which is no ${noun}`)
}

function enumerate(names: readonly string[]): string {
  const shown = names.slice(0, 3).map(quote).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

function checkTags(root: Part, kept: KeptLists, document: AdagentsInline): void {
  const used = {
    tags: kept.properties,
    placement_tags: kept.placements,
    signal_tags: kept.signals,
  }
  for (const key of Object.keys(used) as (keyof typeof used)[]) {
    const described = document[key]
    const tags = new Set<string>()
    for (const { item } of used[key]) for (const tag of item.tags) tags.add(tag)
    const missing = [...tags].filter(tag => !described || !Object.hasOwn(described, tag))
    if (missing.length > 0)
      root.warn(key, 'undescribed', `does not describe ${enumerate(missing)}, which is used`)
  }
}

/** A listing wins over every other mention, so the other mention is most likely a mistake. */
function checkRevoked(root: Part, document: AdagentsInline): void {
  if (document.revoked_publisher_domains.length === 0) return
  const named = new Set<string | undefined>()
  for (const property of document.properties) named.add(property.publisher_domain)
  for (const { publisher_properties = [] } of document.agents) {
    for (const selector of publisher_properties) {
      for (const domain of selector.publisher_domains) named.add(domain)
    }
  }
  const both = document.revoked_publisher_domains
    .map(({ publisher_domain }) => publisher_domain)
    .filter(domain => named.has(domain))
  if (both.length > 0) {
    root.warn(
      'revoked_publisher_domains',
      'contradictory',
      `lists ${enumerate(both)}, named elsewhere in the file`,
    )
  }
}

/** A file that several publishers point to must say which property is whose. */
function checkOwners({ properties }: KeptLists): void {
  for (const { part } of properties) {
    if (part.has('publisher_domain')) continue
    part.warn(
      'publisher_domain',
      'missing',
      'is missing, and this file is read for other domains: name one',
    )
  }
}

/** Whoever reads the file leaves out a property that claims names of others. */
function checkHosts({ properties, agents }: KeptLists, domain: string | undefined): void {
  for (const { part, item } of properties) {
    const fault = foreignHost(item, domain)
    if (fault !== undefined) part.error('identifiers', 'foreign_host', fault)
  }
  for (const { part, item } of agents) {
    const faults = (item.properties ?? []).flatMap(property => foreignHost(property, domain) ?? [])
    for (const fault of faults) part.error('properties', 'foreign_host', `holds one that ${fault}`)
  }
}

function foreignHost(
  { identifiers, publisher_domain }: PropertyEntry,
  domain: string | undefined,
): string | undefined {
  const owner = publisher_domain ?? domain
  const foreign = identifiers.find(
    ({ type, value }) =>
      owner !== undefined && (type === 'domain' || type === 'subdomain') && !ownsHost(owner, value),
  )
  if (foreign === undefined) return undefined
  return `has ${quote(foreign.value)}, which is neither ${owner} nor a name below it, so the property was left out`
}
