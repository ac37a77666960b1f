import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { toIso } from '../../core/clock.ts'
import { type AgentView, toAgentView, toInventoryProfile } from '../../diff/agent-events.ts'
import { toComplianceSummary } from '../../diff/verdict-events.ts'
import type { AgentVerdict } from '../../model/agent-verdict.ts'
import type { AgentProfileRow, AgentRow } from '../../model/rows.ts'
import type { Database } from '../../store/columnar/duckdb.ts'
import {
  type AgentIndex,
  dimensions,
  formatScore,
  REACH_WEIGHT,
  roundScore,
} from './agent-index.ts'
import { type AgentText, AgentTexts } from './agent-texts.ts'
import { Postings } from './rank-postings.ts'

/** Rows that are indexed before other requests get a turn. */
const ROWS_PER_TURN = 200
const FORMATS_MAX = 200

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
  selectContents('agent_standings', 'agent_url'),
].join()}) as text`

/**
 * Agents by relevance, which depends on how many properties they reach. Filters by one value add the same score to
 * every agent that passes them, so the order is the same for most queries.
 */
const RANKED = `
select a.agent_url, round(${REACH_WEIGHT} * ln(a.property_count + 1)
    + case when coalesce(p.has_tmp, false) then 0.05 else 0 end, 12) as score,
  to_json(a)::varchar as agent,
  case when p.agent_url is not null then to_json(p)::varchar end as profile,
  greatest(a.changed_at, coalesce(p.changed_at, a.changed_at)) as updated_at,
  to_json(json_extract(d.document, '$.formats[*].format_id'))::varchar as formats,
  case when s.agent_url is not null then to_json(s)::varchar end as verdict
from agents a left join agent_profiles p using (agent_url)
left join agent_standings s using (agent_url)
left join documents d on d.kind = 'agent' and d.location = a.agent_url
order by score desc, a.agent_url`

interface Ranked {
  agent_url: string
  score: number
  agent: string
  profile: string | null
  updated_at: string
  formats: string | null
  verdict: string | null
}

/**
 * Builds the index of the agents in a database, or returns the previous one if nothing about them has
 * changed.
 */
export async function updateAgentIndex(
  db: Database,
  before?: AgentIndex,
  build: (db: Database) => Promise<AgentIndex> = buildAgentIndex,
): Promise<AgentIndex> {
  if (before !== undefined && before.fingerprint === (await readFingerprint(db))) return before
  return build(db)
}

/** Builds the index of the agents in a database, a few rows at a time. */
export async function buildAgentIndex(db: Database): Promise<AgentIndex> {
  const fingerprint = await readFingerprint(db)
  const builder = new AgentIndexBuilder(await countAgents(db))
  for await (const rows of db.stream<Ranked>(RANKED)) {
    for (let start = 0; start < rows.length; start += ROWS_PER_TURN) {
      for (const row of rows.slice(start, start + ROWS_PER_TURN)) builder.add(row)
      await yieldToEventLoop()
    }
  }
  return builder.finish(fingerprint)
}

async function readFingerprint(db: Database): Promise<string> {
  const { text } = await db.oneOrThrow<{ text: string }>(FINGERPRINT)
  return text
}

export async function countAgents(db: Database): Promise<number> {
  const { size } = await db.oneOrThrow<{ size: number }>('select count(*) as size from agents')
  return size
}

class AgentIndexBuilder {
  readonly #urls: string[] = []
  readonly #scores: Float64Array
  readonly #propertyCounts: Float64Array
  readonly #hasTmp: Uint8Array
  readonly #texts: AgentTexts
  readonly #postings: Postings

  constructor(size: number) {
    this.#scores = new Float64Array(size)
    this.#propertyCounts = new Float64Array(size)
    this.#hasTmp = new Uint8Array(size)
    this.#texts = AgentTexts.create(size)
    this.#postings = Postings.create(size)
  }

  add({ agent, profile, formats, verdict, updated_at, score }: Ranked): void {
    const view = toAgentView(
      JSON.parse(agent) as AgentRow,
      profile === null ? undefined : (JSON.parse(profile) as AgentProfileRow),
    )
    const rank = this.#urls.length
    const inventory = toInventoryProfile(view)
    for (const dimension of dimensions) {
      for (const value of inventory[dimension]) this.#postings.add(dimension, value, rank)
    }
    this.#postings.add('type', view.type, rank)
    this.#texts.add({
      ...toFacts(view, readFormats(formats), updated_at, readSummary(verdict)),
      score: formatScore(roundScore(1 + score)),
    })
    this.#urls.push(view.agent_url)
    this.#scores[rank] = score
    this.#propertyCounts[rank] = view.property_count
    this.#hasTmp[rank] = view.has_tmp ? 1 : 0
  }

  finish(fingerprint: string): AgentIndex {
    return {
      fingerprint,
      urls: this.#urls,
      scores: this.#scores,
      propertyCounts: this.#propertyCounts,
      hasTmp: this.#hasTmp,
      texts: this.#texts,
      postings: this.#postings,
    }
  }
}

/** Converts a row to the part of its JSON that does not depend on the query. */
function toFacts(
  view: AgentView,
  format_ids: FormatId[],
  updated_at: string,
  compliance_summary: object | undefined,
): Omit<AgentText, 'score'> {
  const { agent_url, name, type } = view
  const head = { agent_url, url: agent_url, name: name ?? agent_url, type }
  const ids = format_ids.map(({ id }) => id)
  const tested = compliance_summary ? `,${toMembers({ compliance_summary })}` : ''
  return {
    head: `,{${toMembers(head)},`,
    inventory: toMembers(toInventoryProfile(view)),
    middle: `,${toMembers({ format_ids, updated_at })},"inventory_profile":{`,
    rest: `,${toMembers({ format_ids: ids })}}${tested}`,
  }
}

/** Reads the test results of an agent and its badges. */
function readSummary(text: string | null): object | undefined {
  if (text === null) return undefined
  const row = JSON.parse(text) as AgentVerdict
  const last_checked_at = row.last_checked_at && toIso(Date.parse(row.last_checked_at))
  const roles = row.badges.map(({ role }) => role)
  return {
    ...toComplianceSummary({ ...row, last_checked_at }),
    verified: roles.length > 0,
    verified_roles: roles,
  }
}

/** Formats the members of an object, without its braces. */
function toMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}

interface FormatId {
  agent_url?: string
  id: string
}

/** Reads formats by their id as the agent lists them; a bare string is invalid. */
function readFormats(text: string | null): FormatId[] {
  if (text === null) return []
  const listed = JSON.parse(text) as (FormatId | string | null)[]
  return listed
    .filter((item): item is FormatId => typeof item === 'object' && typeof item?.id === 'string')
    .slice(0, FORMATS_MAX)
    .map(({ agent_url, id }) => (typeof agent_url === 'string' ? { agent_url, id } : { id }))
}
