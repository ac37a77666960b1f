import { groupBy } from '../core/group.ts'
import type { AgentEntry, PropertyEntry } from '../model/documents.ts'
import { type Predicate, Selectable } from '../model/selection.ts'
import type { Kept } from './adagents-json.ts'
import type { Part } from './part.ts'

/**
 * What the entries of one file may reach in all: properties, and the tags these have, each counted again
 * for every entry that reaches it. A few hundred KiB can say that thousands of agents may sell thousands
 * of properties each, and every such pair is kept. It is room for a publisher of 5,000 properties with
 * 300 agents, and for a network of 6,800 publishers of three properties each with 48.
 */
const REACH_MAX = 2_000_000

/** Agents are counted by tag, in a row of its own for each. */
const TAG_WEIGHT = 3
/** What an entry says stands in a row for each publisher it names. */
const NAME_WEIGHT = 0.1

/**
 * The entries that fit in what one file may reach. From the first one that does not, those that select
 * properties of a list are left out: an agent may sell too little then, never too much.
 */
export function withinReach(
  root: Part,
  agents: Kept<AgentEntry>[],
  properties: readonly PropertyEntry[],
  domain: string | undefined,
): Kept<AgentEntry>[] {
  const reach = new Reach(properties, domain)
  let left = REACH_MAX
  const kept = agents.filter(({ item }) => {
    if (!isSelecting(item)) return true
    if (left >= 0) left -= reach.of(item, left)
    return left >= 0
  })
  const leftOut = agents.length - kept.length
  if (leftOut > 0) {
    const first = agents.find((one, i) => one !== kept[i])!.part.at
    root.error(
      'authorized_agents',
      'too_broad',
      `reach more than ${REACH_MAX} properties in all: from ${first} on, ${leftOut} that select any were left out`,
    )
  }
  return kept
}

function isSelecting({ authorization_type: type }: AgentEntry): boolean {
  return type === 'property_ids' || type === 'property_tags' || type === 'publisher_properties'
}

class Reach {
  readonly #listed: Selectable
  readonly #byPublisher: ReadonlyMap<string, Selectable>
  /** Tags that there are: an agent is known by no more. */
  readonly #tags: number

  constructor(properties: readonly PropertyEntry[], domain: string | undefined) {
    this.#listed = new Selectable(properties)
    const groups = groupBy(properties, ({ publisher_domain = domain ?? '' }) => publisher_domain)
    this.#byPublisher = new Map([...groups].map(([name, own]) => [name, new Selectable(own)]))
    this.#tags = new Set(properties.flatMap(({ tags }) => tags)).size
  }

  /** What an entry comes to; some number above `most` where it is more than that. */
  of(entry: AgentEntry, most: number): number {
    let reached = 0
    let tags = 0
    for (const { selectable, predicate, names = 0 } of this.#selectionsOf(entry)) {
      reached += names * NAME_WEIGHT
      if (reached > most) break
      if (selectable === undefined) continue
      const places = selectable.by(predicate)
      reached += places.length
      for (const place of places) tags += selectable.properties[place]!.tags.length
    }
    return reached + Math.min(tags, this.#tags) * TAG_WEIGHT
  }

  *#selectionsOf(entry: AgentEntry): Generator<Selection> {
    const { authorization_type, property_ids, property_tags, publisher_properties = [] } = entry
    const selectable = this.#listed
    if (authorization_type === 'property_ids') {
      yield { selectable, predicate: { selection_type: 'by_id', property_ids } }
    } else if (authorization_type === 'property_tags') {
      yield { selectable, predicate: { selection_type: 'by_tag', property_tags } }
    } else {
      const qualifiers = qualifiersOf(entry)
      for (const { publisher_domains, ...predicate } of publisher_properties) {
        const names = qualifiers + namesOf(predicate)
        for (const publisher of ['', ...publisher_domains]) {
          yield { selectable: this.#byPublisher.get(publisher), predicate, names }
        }
      }
    }
  }
}

interface Selection {
  /** Undefined where none is listed. */
  selectable: Selectable | undefined
  predicate: Predicate
  /** What is said again for each publisher. */
  names?: number
}

function namesOf({ property_ids = [], property_tags = [] }: Predicate): number {
  return property_ids.length + property_tags.length
}

/** Names by which an entry is narrowed. */
function qualifiersOf(entry: AgentEntry): number {
  const { placement_ids = [], placement_tags = [], countries = [], collections = [] } = entry
  const ids = collections.reduce((sum, { collection_ids }) => sum + collection_ids.length, 0)
  return placement_ids.length + placement_tags.length + countries.length + ids
}
