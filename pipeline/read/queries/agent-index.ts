import { setImmediate as breathe } from 'node:timers/promises'
import { type AgentView, toAgentView, toInventoryProfile } from '../../diff/agent-events.ts'
import type { AgentProfileRow, AgentRow } from '../../model/rows.ts'
import type { Database } from '../../store/duckdb.ts'
import { Postings } from './postings.ts'
import { TextMemory } from './text-memory.ts'

/** Dimensions by which agents can be filtered, in the order in which an answer names them. */
export const dimensions = [
  'channels',
  'property_types',
  'markets',
  'categories',
  'tags',
  'delivery_types',
  'format_kinds',
] as const
export type Dimension = (typeof dimensions)[number]

/** Rows that are indexed before other requests get a turn. */
const AT_ONCE = 200
const FORMATS = 200

/**
 * Says which rows a table holds, as of which commits. Each row is one text before it is hashed, and
 * hashes are added up: `hash(key, seq)` combines its parts by XOR, so that rows which one commit
 * changes together cancel each other.
 */
const selectContents = (table: string, key: string) =>
  `(select concat_ws(' ', count(*), max(seq), sum(hash(concat_ws(' ', seq, ${key}))))
    from ${table})`

/** Says whether anything that search shows has changed. */
const FINGERPRINT = `
select concat_ws(' ', ${[
  selectContents('agents', 'agent_url'),
  selectContents('agent_profiles', 'agent_url'),
  selectContents("documents where kind = 'agent'", 'location'),
].join()}) as text`

/**
 * Agents in the order of their relevance: it counts how much is reached, and filters only add the
 * same to all that pass them, so that the order is one for every question.
 */
const RANKED = `
select a.agent_url, round(0.1 * ln(a.property_count + 1)
    + case when coalesce(p.has_tmp, false) then 0.05 else 0 end, 12) as score,
  to_json(a)::varchar as agent,
  case when p.agent_url is not null then to_json(p)::varchar end as profile,
  greatest(a.changed_at, coalesce(p.changed_at, a.changed_at)) as updated_at,
  to_json(json_extract(d.document, '$.formats[*].format_id'))::varchar as formats
from agents a left join agent_profiles p using (agent_url)
left join documents d on d.kind = 'agent' and d.location = a.agent_url
order by score desc, a.agent_url`

interface Ranked {
  agent_url: string
  score: number
  agent: string
  profile: string | null
  updated_at: string
  formats: string | null
}

/**
 * The agents of the graph as search needs them: by relevance, with their JSON as it is sent and with
 * lists of who has each value. Made beside the answering of questions, a few rows at a time.
 */
export class AgentIndex {
  /** The JSON of each agent, as far as it does not depend on the question. */
  readonly rows: AgentJson[] = []
  readonly urls: string[] = []
  /** Relevance without a filter, never rising. */
  readonly scores: number[] = []
  readonly propertyCounts: number[] = []
  readonly hasTmp: boolean[] = []
  readonly postings: Postings
  readonly #memory = new TextMemory()
  readonly #fingerprint: string

  private constructor(fingerprint: string, size: number) {
    this.#fingerprint = fingerprint
    this.postings = new Postings(size)
  }

  /** The agents of a snapshot; those of the one before, where nothing about them has changed. */
  static async of(db: Database, before?: AgentIndex): Promise<AgentIndex> {
    const { text } = (await db.one<{ text: string }>(FINGERPRINT))!
    if (before !== undefined && before.#fingerprint === text) return before
    const { size } = (await db.one<{ size: number }>('select count(*) as size from agents'))!
    const made = new AgentIndex(text, size)
    for await (const rows of db.stream<Ranked>(RANKED)) {
      for (let start = 0; start < rows.length; start += AT_ONCE) {
        for (const row of rows.slice(start, start + AT_ONCE)) made.#add(row)
        await breathe()
      }
    }
    return made
  }

  get size(): number {
    return this.urls.length
  }

  #add({ agent, profile, formats, updated_at, score }: Ranked): void {
    const view = toAgentView(
      JSON.parse(agent) as AgentRow,
      profile === null ? undefined : (JSON.parse(profile) as AgentProfileRow),
    )
    const rank = this.urls.length
    const inventory = toInventoryProfile(view)
    for (const dimension of dimensions) {
      for (const value of inventory[dimension]) this.postings.add(dimension, value, rank)
    }
    this.postings.add('type', view.type, rank)
    const facts = toFacts(view, readFormats(formats), { updated_at })
    const bytes = this.#memory.add(`${facts}${formatScore(roundScore(1 + score))}`)
    this.rows.push({ bytes, factsEnd: Buffer.byteLength(facts) })
    this.urls.push(view.agent_url)
    this.scores.push(score)
    this.propertyCounts.push(view.property_count)
    this.hasTmp.push(view.has_tmp)
  }
}

/** A comma, what is said of an agent, and then its score among those that pass filters by values. */
export interface AgentJson {
  bytes: Buffer
  factsEnd: number
}

function toFacts(
  view: AgentView,
  format_ids: FormatId[],
  { updated_at }: Pick<Ranked, 'updated_at'>,
): string {
  const inventory = toInventoryProfile(view)
  const said = {
    agent_url: view.agent_url,
    url: view.agent_url,
    name: view.name ?? view.agent_url,
    type: view.type,
    ...inventory,
    format_ids,
    updated_at,
    inventory_profile: { ...inventory, format_ids: format_ids.map(({ id }) => id) },
  }
  return `,${JSON.stringify(said).slice(0, -1)}`
}

/** Formats a score twice over; the names of the filters that matched follow. */
export function formatScore(score: number): string {
  return `,"relevance_score":${score},"match":{"score":${score},"matched_filters":`
}

/** Scores have twelve digits behind the point: sums keep the order and the ties of what is added. */
function roundScore(score: number): number {
  return Math.round(score * 1e12) / 1e12
}

interface FormatId {
  agent_url?: string
  id: string
}

/** Formats by their id as the agent lists them; a bare string is none. */
function readFormats(text: string | null): FormatId[] {
  if (text === null) return []
  const listed = JSON.parse(text) as (FormatId | string | null)[]
  return listed
    .filter((item): item is FormatId => typeof item === 'object' && typeof item?.id === 'string')
    .slice(0, FORMATS)
    .map(({ agent_url, id }) => (typeof agent_url === 'string' ? { agent_url, id } : { id }))
}
