import { propertyTypes } from '../model/documents/vocabulary.ts'
import type { AuthorizationRow, CollectionRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import { CategoryFinder } from './categories.ts'

/**
 * Facets of one publisher's part in the reach of agents: how often each value occurs. `listing` counts
 * agents that it lists without a grant: they belong to the graph all the same.
 */
export const facets = [
  'listing',
  'publisher',
  'property',
  'property_type',
  'channel',
  /** Channels that publishers name: `channel` also has those implied by types of properties. */
  'declared_channel',
  'tag',
  'market',
  'category',
  /** Taxonomy of the categories; empty if it is not named. */
  'taxonomy',
] as const
export type Facet = (typeof facets)[number]

/**
 * Version of the counting. It is stored with each publisher and incremented whenever the same rows yield
 * other counts; older counts are subtracted in the way they were made.
 */
export const REACH_FORMAT = 2

export interface FacetCount {
  agent_url: string
  facet: Facet
  value: string
  times: number
}

/** The rows of one publisher from which the reach of its agents is counted. */
export interface Reachable {
  publisher?: Pick<PublisherRow, 'listed_agents' | 'catalog' | 'reach_format'> | undefined
  properties: readonly PropertyRow[]
  authorizations: readonly AuthorizationRow[]
  collections?: readonly CollectionRow[]
}

/**
 * Computes how the reach of agents changes with a publisher's rows. A property in several grants of one
 * agent counts once. Counting by publisher makes the cost depend on the change, however many publishers an
 * agent has.
 */
export function diffReach(before: Reachable, after: Reachable): FacetCount[] {
  const counts = new Map<string, FacetCount>()
  add(counts, before, -1)
  add(counts, after, 1)
  return [...counts.values()].filter(({ times }) => times !== 0)
}

function add(counts: Map<string, FacetCount>, rows: Reachable, sign: 1 | -1): void {
  const isOlder = rows.publisher !== undefined && rows.publisher.reach_format !== REACH_FORMAT
  const tally = new Tally(rows.properties, isOlder ? noteOlder : noteProperty)
  const finder = new CategoryFinder(rows)
  const count = (agent_url: string) => (facet: Facet, value: string, times: number) => {
    const key = `${agent_url}\n${facet}\n${value}`
    const count = counts.get(key)
    if (count) count.times += sign * times
    else counts.set(key, { agent_url, facet, value, times: sign * times })
  }
  for (const agent_url of rows.publisher?.listed_agents ?? []) count(agent_url)('listing', '', 1)
  const inForce = rows.authorizations.filter(grant => grant.in_force)
  for (const [agent_url, grants] of Map.groupBy(inForce, grant => grant.agent_url)) {
    const note = count(agent_url)
    note('publisher', '', 1)
    for (const market of new Set(grants.flatMap(grant => grant.countries ?? []))) {
      note('market', market, 1)
    }
    for (const { facet, value, times } of tally.count(grants)) note(facet, value, times)
    if (isOlder) continue
    const { categories, taxonomies } = finder.find(grants)
    for (const category of categories) note('category', category, 1)
    for (const taxonomy of taxonomies) note('taxonomy', taxonomy, 1)
  }
}

type Times = Omit<FacetCount, 'agent_url'>

/** Counts each value among what grants reach together; agents that reach the same share one count. */
class Tally {
  readonly #active: ReadonlyMap<string, PropertyRow>
  readonly #noteProperty: typeof noteProperty
  readonly #timesByLists = new Map<string, readonly Times[]>()
  /** Ids of lists of rids by object identity: grants of one set share its list. */
  readonly #listIds = new Map<readonly string[], number>()

  constructor(properties: readonly PropertyRow[], note: typeof noteProperty) {
    this.#noteProperty = note
    const active = properties.filter(row => row.status === 'active')
    this.#active = new Map(active.map(row => [row.property_rid, row]))
  }

  count(grants: readonly Pick<AuthorizationRow, 'property_rids'>[]): readonly Times[] {
    const lists = [...new Set(grants.map(grant => grant.property_rids))]
    const numbers = lists.map(list => this.#findNumber(list)).sort((a, b) => a - b)
    const name = numbers.join()
    const times = this.#timesByLists.get(name) ?? this.#count(lists)
    this.#timesByLists.set(name, times)
    return times
  }

  #findNumber(list: readonly string[]): number {
    const number = this.#listIds.get(list) ?? this.#listIds.size
    this.#listIds.set(list, number)
    return number
  }

  #count(lists: readonly (readonly string[])[]): Times[] {
    const counts = new Map<string, Times>()
    const note = (facet: Facet, value: string) => {
      const key = `${facet}\n${value}`
      const count = counts.get(key)
      if (count) count.times++
      else counts.set(key, { facet, value, times: 1 })
    }
    const [first = []] = lists
    const rids = lists.length < 2 ? first : new Set(lists.flat())
    for (const rid of rids) {
      const property = this.#active.get(rid)
      if (property !== undefined) this.#noteProperty(property, note)
    }
    return [...counts.values()]
  }
}

const knownTypes: ReadonlySet<string> = new Set(propertyTypes)

/** Counts the facets of a property; an unknown type is a fault of the file and is not counted. */
function noteProperty(row: PropertyRow, note: (facet: Facet, value: string) => void): void {
  note('property', '')
  if (knownTypes.has(row.property_type)) note('property_type', row.property_type)
  for (const channel of new Set(row.channels)) note('channel', channel)
  for (const channel of new Set(row.supported_channels)) note('declared_channel', channel)
  for (const tag of new Set(row.tags)) note('tag', tag)
}

/** Counts a property by the older version. */
function noteOlder(row: PropertyRow, note: (facet: Facet, value: string) => void): void {
  note('property', '')
  note('property_type', row.property_type)
  for (const channel of new Set(row.channels)) note('channel', channel)
  for (const tag of new Set(row.tags)) note('tag', tag)
}
