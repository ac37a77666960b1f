import { hash } from 'node:crypto'
import type { AgentEntry, PropertyEntry } from './documents/index.ts'
import { type Predicate, Selectable } from './selection.ts'

/**
 * Reach of all entries of one file at most: properties and their tags, each counted again for every entry
 * that reaches it. A few hundred KiB can say that thousands of agents can sell thousands of properties
 * each, and every such pair is stored. Enough for a publisher of 5,000 properties with 300 agents, and for
 * a network of 6,800 publishers of three properties each with 48.
 */
export const REACH_MAX = 2_000_000

/**
 * Weight of a property in a set that no earlier entry reaches. Entries that reach the same share one set;
 * others cost a list each, which is compared, stored and projected.
 */
const NEW_SET_WEIGHT = 8
/** Weight of a tag: agents are counted by tag, in a row for each. */
const TAG_WEIGHT = 20
/** Weight of a name in an entry, which is repeated in a row for each publisher the entry names. */
const NAME_WEIGHT = 0.1

/**
 * Returns the entries that fit into what one file may reach. From the first one beyond the limit on, those
 * that select properties of a list are left out: an agent can then sell too little, but never too much.
 */
export function limitReach(
  agents: readonly AgentEntry[],
  properties: readonly PropertyEntry[],
  domain: string | undefined,
): AgentEntry[] {
  const reach = new Reach(properties, domain)
  let remaining = REACH_MAX
  return agents.filter(entry => {
    if (!isSelecting(entry)) return true
    if (remaining >= 0) remaining -= reach.estimate(entry, remaining)
    return remaining >= 0
  })
}

export function isSelecting({ authorization_type: type }: AgentEntry): boolean {
  return type === 'property_ids' || type === 'property_tags' || type === 'publisher_properties'
}

class Reach {
  readonly #ownProperties: Selectable
  readonly #byPublisher: ReadonlyMap<string, Selectable>
  /** Sets of properties that entries reach, by publisher and content. */
  readonly #knownSets = new Set<string>()
  /** Number of distinct tags in the file, by which its agents can be found. */
  readonly #tags: number

  constructor(properties: readonly PropertyEntry[], domain: string | undefined) {
    this.#ownProperties = new Selectable(properties)
    const groups = Map.groupBy(
      properties,
      ({ publisher_domain = domain ?? '' }) => publisher_domain,
    )
    this.#byPublisher = new Map([...groups].map(([name, own]) => [name, new Selectable(own)]))
    this.#tags = new Set(properties.flatMap(({ tags }) => tags)).size
  }

  /** Estimates the reach of an entry; stops counting once it exceeds `max`. */
  estimate(entry: AgentEntry, max: number): number {
    let reached = 0
    let tags = 0
    for (const { publisher, selectable, predicate, names = 0 } of this.#iterateSelections(entry)) {
      reached += names * NAME_WEIGHT
      if (reached > max) break
      if (selectable === undefined) continue
      const indexes = selectable.select(predicate)
      reached += indexes.length * (this.#isNew(publisher, indexes) ? NEW_SET_WEIGHT : 1)
      for (const index of indexes) tags += selectable.properties[index]?.tags.length ?? 0
    }
    return reached + Math.min(tags, this.#tags) * TAG_WEIGHT
  }

  #isNew(publisher: string, places: readonly number[]): boolean {
    const set = `${publisher} ${hash('sha1', Buffer.from(Uint32Array.from(places).buffer))}`
    const isKnown = this.#knownSets.has(set)
    this.#knownSets.add(set)
    return !isKnown
  }

  *#iterateSelections(entry: AgentEntry): Generator<Selection> {
    const { authorization_type, property_ids, property_tags, publisher_properties = [] } = entry
    const [publisher, selectable] = ['', this.#ownProperties]
    if (authorization_type === 'property_ids') {
      yield { publisher, selectable, predicate: { selection_type: 'by_id', property_ids } }
    } else if (authorization_type === 'property_tags') {
      yield { publisher, selectable, predicate: { selection_type: 'by_tag', property_tags } }
    } else {
      const qualifiers = countQualifiers(entry)
      for (const { publisher_domains, ...predicate } of publisher_properties) {
        const names = qualifiers + countNames(predicate)
        for (const publisher of ['', ...publisher_domains]) {
          const own = this.#byPublisher.get(publisher)
          yield { publisher, selectable: own, predicate, names }
        }
      }
    }
  }
}

interface Selection {
  publisher: string
  /** Undefined if the publisher lists nothing. */
  selectable: Selectable | undefined
  predicate: Predicate
  /** Names that are repeated for each publisher. */
  names?: number
}

function countNames({ property_ids = [], property_tags = [] }: Predicate): number {
  return property_ids.length + property_tags.length
}

/** Counts the names that narrow an entry. */
function countQualifiers(entry: AgentEntry): number {
  const { placement_ids = [], placement_tags = [], countries = [], collections = [] } = entry
  const ids = collections.reduce((sum, { collection_ids }) => sum + collection_ids.length, 0)
  return placement_ids.length + placement_tags.length + countries.length + ids
}
