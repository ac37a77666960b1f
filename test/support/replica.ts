import { authorizationFacts } from '../../pipeline/diff/authorization-events.ts'
import { collectionFacts } from '../../pipeline/diff/collections.ts'
import { propertyFacts } from '../../pipeline/diff/events.ts'
import type { Database } from '../../pipeline/index/duckdb.ts'
import type { FeedEvent } from '../../pipeline/model/event.ts'

type Row = Record<string, unknown>

/** What somebody holds who knows nothing but the feed, by the ids of the feed. */
export interface Held {
  properties: Record<string, Row>
  authorizations: Record<string, Row>
  collections: Record<string, Row>
  agents: Record<string, Row>
  publishers: string[]
}

/** Keeps up with the feed as a consumer would, and refuses an event that cannot be. */
export class Replica {
  readonly #properties = new Map<string, Row>()
  readonly #authorizations = new Map<string, Row>()
  readonly #collections = new Map<string, Row>()
  readonly #agents = new Map<string, Row>()
  readonly #publishers = new Set<string>()

  apply(events: readonly FeedEvent[]): void {
    for (const event of events) this.#apply(event)
  }

  get holds(): Held {
    return {
      properties: Object.fromEntries(this.#properties),
      authorizations: Object.fromEntries(this.#authorizations),
      collections: Object.fromEntries(this.#collections),
      agents: Object.fromEntries(this.#agents),
      publishers: [...this.#publishers].sort(),
    }
  }

  #apply({ event_type, entity_id: id, payload }: FeedEvent): void {
    switch (event_type) {
      case 'property.created':
        add(this.#properties, id, { ...propertyOf(payload), status: 'active' })
        break
      case 'property.updated':
        change(this.#properties, id, propertyOf(payload))
        break
      case 'property.stale':
        turn(this.#properties, id, 'active', 'stale')
        break
      case 'property.reactivated':
        turn(this.#properties, id, 'stale', 'active')
        break
      case 'authorization.granted':
        add(this.#authorizations, id, grantOf(payload))
        break
      case 'authorization.modified':
        change(this.#authorizations, id, grantOf(payload))
        break
      case 'authorization.revoked':
        remove(this.#authorizations, id)
        break
      case 'collection.created':
        add(this.#collections, id, collectionOf(payload))
        break
      case 'collection.updated':
      case 'collection.removed':
        change(this.#collections, id, collectionOf(payload))
        break
      case 'agent.discovered':
        add(this.#agents, id, profileOf(payload))
        break
      case 'agent.profile_updated':
        change(this.#agents, id, profileOf(payload))
        break
      case 'agent.removed':
        remove(this.#agents, id)
        break
      case 'publisher.adagents_discovered':
        if (this.#publishers.has(id)) throw new Error(`${id} was discovered before`)
        this.#publishers.add(id)
        break
      case 'publisher.adagents_changed':
        if (!this.#publishers.has(id)) throw new Error(`${id} was never discovered`)
        break
      default:
        throw new Error(`a replica does not know ${event_type}`)
    }
  }
}

function add(rows: Map<string, Row>, id: string, row: Row): void {
  if (rows.has(id)) throw new Error(`${id} is there already`)
  rows.set(id, row)
}

function change(rows: Map<string, Row>, id: string, facts: Row): void {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`${id} is not there`)
  rows.set(id, { ...row, ...facts })
}

function turn(rows: Map<string, Row>, id: string, from: string, to: string): void {
  if (rows.get(id)?.status !== from) throw new Error(`${id} is not ${from}`)
  change(rows, id, { status: to })
}

function remove(rows: Map<string, Row>, id: string): void {
  if (!rows.delete(id)) throw new Error(`${id} is not there`)
}

function propertyOf({ property }: Row): Row {
  const facts = property as Row
  return { publisher_domain: facts.publisher_domain, ...factsOf(facts, propertyFacts) }
}

function grantOf(payload: Row): Row {
  const { agent_url, publisher_domain, authorization_type, properties_authorized } = payload
  const names = { agent_url, publisher_domain, authorization_type, properties_authorized }
  return { ...names, ...factsOf(payload, authorizationFacts) }
}

function collectionOf(payload: Row): Row {
  const { publisher_domain, collection_id } = payload
  return { publisher_domain, collection_id, ...factsOf(payload, collectionFacts) }
}

function profileOf({ inventory_profile }: Row): Row {
  const { publisher_count, property_count } = inventory_profile as Row
  return { publisher_count, property_count }
}

/** What says nothing is absent in an event and null in a row. */
function factsOf(facts: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map(name => [name, facts[name] ?? null]))
}

/** What the tables hold of the same, for a replica that has read all of the feed. */
export async function heldIn(db: Database): Promise<Held> {
  const by = async (sql: string, id: string, of: (row: Row) => Row) =>
    Object.fromEntries((await db.all<Row>(sql)).map(row => [row[id] as string, of(row)]))
  const publishers = await db.all<{ domain: string }>('select domain from publishers')
  return {
    properties: await by('select * from properties', 'property_rid', row => ({
      ...propertyOf({ property: row }),
      status: row.status,
    })),
    authorizations: await by(
      'select *, len(property_rids) as properties_authorized from authorizations where in_force',
      'id',
      grantOf,
    ),
    collections: await by('select * from collections', 'collection_rid', collectionOf),
    agents: await by('select * from agents', 'agent_url', row =>
      profileOf({ inventory_profile: row }),
    ),
    publishers: publishers.map(({ domain }) => domain).sort(),
  }
}

/** What the events of one commit may say of one thing, in this order. */
const stories: Record<string, RegExp> = {
  property: /^((created|updated)( stale)?|updated reactivated|stale|reactivated)$/,
  authorization: /^\w+$/,
  collection: /^\w+$/,
  agent: /^\w+$/,
  publisher: /^\w+$/,
}

/** Things of which the events of a commit say what cannot be true together. */
export function contradictionsIn(events: readonly FeedEvent[]): string[] {
  const said = new Map<string, string[]>()
  for (const { event_type, entity_type, entity_id } of events) {
    const thing = `${entity_type} ${entity_id}`
    said.set(thing, [...(said.get(thing) ?? []), event_type.replace(/^\w+\./, '')])
  }
  return [...said]
    .filter(([thing, words]) => !stories[thing.split(' ')[0]!]!.test(words.join(' ')))
    .map(([thing, words]) => `${thing}: ${words.join(', ')}`)
}
