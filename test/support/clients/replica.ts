import {
  toInventoryProfile as profileOfView,
  toAgentView,
} from '../../../pipeline/diff/agent-events.ts'
import { authorizationFacts } from '../../../pipeline/diff/authorization-events.ts'
import { collectionFacts } from '../../../pipeline/diff/collections.ts'
import { propertyFacts } from '../../../pipeline/diff/events.ts'
import type { AgentVerdict } from '../../../pipeline/model/agent-verdict.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import type { AgentProfileRow, AgentRow } from '../../../pipeline/model/rows.ts'
import type { Database } from '../../../pipeline/store/database.ts'
import { REACHING } from '../checks/table-contents.ts'

type Row = Record<string, unknown>

/** State of a replica that knows only the feed, by the ids of the feed. */
export interface ReplicaState {
  properties: Record<string, Row>
  authorizations: Record<string, Row>
  collections: Record<string, Row>
  agents: Record<string, Row>
  /** Results and badges by agent; one without any is unknown and has none. */
  verdicts: Record<string, Verdict>
  publishers: string[]
}

interface Verdict {
  status: string
  /** Parts of the protocol and versions, as `role version`, sorted. */
  badges: readonly string[]
}

const UNKNOWN: Verdict = { status: 'unknown', badges: [] }

/** Lists of the API that a replica can start from instead of the whole feed. */
export interface BootstrapLists {
  agents?: readonly Row[]
  authorizations?: readonly Row[]
  properties?: readonly Row[]
  collections?: readonly Row[]
}

/**
 * Follows the feed as a consumer would, and throws on an event that contradicts what it has. If it
 * started from answers of several snapshots, some events repeat what those already contained; then it
 * accepts all of them.
 */
export class Replica {
  readonly #isCredulous: boolean
  /**
   * True if it has followed the feed from its beginning: the lists that it can start from do not name
   * publishers.
   */
  #hasHeardAll = true
  readonly #properties = new Map<string, Row>()
  readonly #authorizations = new Map<string, Row>()
  readonly #collections = new Map<string, Row>()
  readonly #agents = new Map<string, Row>()
  readonly #verdicts = new Map<string, Verdict>()
  readonly #publishers = new Set<string>()

  constructor({ isCredulous = false } = {}) {
    this.#isCredulous = isCredulous
  }

  begin({ agents, authorizations, properties, collections }: BootstrapLists): void {
    this.#hasHeardAll = false
    for (const row of agents ?? []) this.#add(this.#agents, row.url as string, toProfile(row))
    for (const row of authorizations ?? []) {
      this.#add(this.#authorizations, row.id as string, toGrant(row))
    }
    for (const row of properties ?? []) {
      const facts = { ...toProperty({ property: row }), status: row.status }
      this.#add(this.#properties, row.property_rid as string, facts)
    }
    for (const row of collections ?? []) {
      this.#add(this.#collections, row.collection_rid as string, toCollection(row))
    }
  }

  apply(events: readonly FeedEvent[]): void {
    for (const event of events) this.#apply(event)
  }

  get state(): ReplicaState {
    return {
      properties: Object.fromEntries(this.#properties),
      authorizations: Object.fromEntries(this.#authorizations),
      collections: Object.fromEntries(this.#collections),
      agents: Object.fromEntries(this.#agents),
      verdicts: Object.fromEntries(this.#verdicts),
      publishers: [...this.#publishers].sort(),
    }
  }

  #apply({ event_type, entity_id: id, payload }: FeedEvent): void {
    switch (event_type) {
      case 'property.created':
        this.#add(this.#properties, id, { ...toProperty(payload), status: 'active' })
        break
      case 'property.updated':
        this.#change(this.#properties, id, toProperty(payload))
        break
      case 'property.stale':
        this.#turn(this.#properties, id, 'active', 'stale')
        break
      case 'property.reactivated':
        this.#turn(this.#properties, id, 'stale', 'active')
        break
      case 'authorization.granted':
        this.#add(this.#authorizations, id, toGrant(payload))
        break
      case 'authorization.modified':
        this.#change(this.#authorizations, id, toGrant(payload))
        break
      case 'authorization.revoked':
        this.#remove(this.#authorizations, id)
        break
      case 'collection.created':
        this.#add(this.#collections, id, toCollection(payload))
        break
      case 'collection.updated':
      case 'collection.removed':
        this.#change(this.#collections, id, toCollection(payload))
        break
      case 'agent.discovered':
        this.#add(this.#agents, id, toProfile(payload))
        break
      case 'agent.profile_updated':
        this.#change(this.#agents, id, toProfile(payload))
        break
      case 'agent.removed':
        this.#remove(this.#agents, id)
        break
      case 'agent.compliance_changed':
        this.#setStatus(id, payload)
        break
      case 'agent.verification_earned':
        this.#setBadge(id, payload, true)
        break
      case 'agent.verification_lost':
        this.#setBadge(id, payload, false)
        break
      case 'publisher.adagents_discovered':
        if (this.#hasHeardAll && this.#publishers.has(id)) {
          throw new Error(`${id} was discovered before`)
        }
        this.#publishers.add(id)
        break
      case 'publisher.adagents_changed':
        if (this.#hasHeardAll && !this.#publishers.has(id)) {
          throw new Error(`${id} was never discovered`)
        }
        break
      default:
        throw new Error(`a replica does not know ${event_type}`)
    }
  }

  #add(rows: Map<string, Row>, id: string, row: Row): void {
    if (rows.has(id) && !this.#isCredulous) throw new Error(`${id} is there already`)
    rows.set(id, row)
  }

  #change(rows: Map<string, Row>, id: string, facts: Row): void {
    const row = rows.get(id)
    if (row === undefined && !this.#isCredulous) throw new Error(`${id} is not there`)
    rows.set(id, { ...row, ...facts })
  }

  #turn(rows: Map<string, Row>, id: string, from: string, to: string): void {
    const status = rows.get(id)?.status
    if (status !== from && !this.#isCredulous) throw new Error(`${id} is not ${from}`)
    this.#change(rows, id, { status: to })
  }

  #setStatus(id: string, { previous_status, current_status }: Row): void {
    const known = this.#verdicts.get(id) ?? UNKNOWN
    if (known.status !== previous_status && !this.#isCredulous) {
      throw new Error(`${id} is ${known.status}, not ${previous_status}`)
    }
    this.#setVerdict(id, { ...known, status: current_status as string })
  }

  #setBadge(id: string, { role, adcp_version }: Row, isHeld: boolean): void {
    const { status, badges } = this.#verdicts.get(id) ?? UNKNOWN
    const badge = `${role} ${adcp_version}`
    if (badges.includes(badge) === isHeld && !this.#isCredulous) {
      throw new Error(`${id} ${isHeld ? 'has' : 'lacks'} ${badge} already`)
    }
    const others = badges.filter(other => other !== badge)
    this.#setVerdict(id, { status, badges: isHeld ? [...others, badge].sort() : others })
  }

  #setVerdict(id: string, verdict: Verdict): void {
    const isUnknown = verdict.status === UNKNOWN.status && verdict.badges.length === 0
    if (isUnknown) this.#verdicts.delete(id)
    else this.#verdicts.set(id, verdict)
  }

  #remove(rows: Map<string, Row>, id: string): void {
    if (!rows.delete(id) && !this.#isCredulous) throw new Error(`${id} is not there`)
  }
}

function toProperty({ property, source }: Row): Row {
  const facts: Row = { source, ...(property as Row) }
  return { publisher_domain: facts.publisher_domain, ...pickFacts(facts, propertyFacts) }
}

function toGrant(payload: Row): Row {
  const { agent_url, publisher_domain, authorization_type, properties_authorized } = payload
  const { property_rids } = payload
  const names = { agent_url, publisher_domain, authorization_type, properties_authorized }
  return { ...names, property_rids, ...pickFacts(payload, authorizationFacts) }
}

function toCollection(payload: Row): Row {
  const { publisher_domain, collection_id } = payload
  return { publisher_domain, collection_id, ...pickFacts(payload, collectionFacts) }
}

const profileFacts = [
  'channels',
  'property_types',
  'markets',
  'categories',
  'tags',
  'delivery_types',
  'property_count',
  'publisher_count',
  'has_tmp',
  'category_taxonomy',
] as const

function toProfile({ name, type, inventory_profile }: Row): Row {
  return { name, type, ...pickFacts(inventory_profile as Row, profileFacts) }
}

/** Picks members; one without a value is absent in an event and null in a row. */
function pickFacts(facts: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map(name => [name, facts[name] ?? null]))
}

/** Reads from the tables the state that a replica has after all of the feed. */
export async function readReplicaState(db: Database): Promise<ReplicaState> {
  const by = async (sql: string, id: string, of: (row: Row) => Row) =>
    Object.fromEntries((await db.all<Row>(sql)).map(row => [row[id] as string, of(row)]))
  const publishers = await db.all<{ domain: string }>('select domain from publishers')
  return {
    properties: await by('select * from properties', 'property_rid', row => ({
      ...toProperty({ property: row }),
      status: row.status,
    })),
    authorizations: await by(
      `select *, property_count as properties_authorized from ${REACHING} where in_force`,
      'id',
      toGrant,
    ),
    collections: await by('select * from collections', 'collection_rid', toCollection),
    agents: await loadAgents(db),
    verdicts: await listVerdicts(db),
    publishers: publishers.map(({ domain }) => domain).sort(),
  }
}

async function loadAgents(db: Database): Promise<Record<string, Row>> {
  const profiles = await db.all<AgentProfileRow>('select * from agent_profiles')
  const byUrl = new Map(profiles.map(row => [row.agent_url, row]))
  const rows = await db.all<AgentRow>('select * from agents')
  return Object.fromEntries(
    rows.map(row => {
      const view = toAgentView(row, byUrl.get(row.agent_url))
      const { agent_url, name, type } = view
      const inventory_profile = profileOfView(view)
      return [agent_url, toProfile({ name: name ?? agent_url, type, inventory_profile })]
    }),
  )
}

async function listVerdicts(db: Database): Promise<Record<string, Verdict>> {
  const rows = await db.all<AgentVerdict>('select agent_url, status, badges from agent_standings')
  const verdicts = rows.map(({ agent_url, status, badges }) => {
    const held = badges.map(({ role, adcp_version }) => `${role} ${adcp_version}`).sort()
    return [agent_url, { status, badges: held }] as const
  })
  return Object.fromEntries(
    verdicts.filter(([, { status, badges }]) => status !== UNKNOWN.status || badges.length > 0),
  )
}

/** Sequences of events about one entity that one commit may have. */
const stories: Record<string, RegExp> = {
  property: /^((created|updated)( stale)?|updated reactivated|stale|reactivated)$/,
  authorization: /^\w+$/,
  collection: /^\w+$/,
  agent: /^(\w+|(compliance_changed ?)?(verification_earned ?)*(verification_lost ?)*)$/,
  publisher: /^\w+$/,
}

/** Lists entities whose events in one commit contradict each other. */
export function listContradictions(events: readonly FeedEvent[]): string[] {
  const said = new Map<string, string[]>()
  for (const { event_type, entity_type, entity_id } of events) {
    const thing = `${entity_type} ${entity_id}`
    said.set(thing, [...(said.get(thing) ?? []), event_type.replace(/^\w+\./, '')])
  }
  return [...said]
    .filter(([thing, words]) => !stories[thing.split(' ')[0]!]!.test(words.join(' ')))
    .map(([thing, words]) => `${thing}: ${words.join(', ')}`)
}
