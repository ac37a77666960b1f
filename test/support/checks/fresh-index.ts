import { type Clock, toIso } from '../../../pipeline/core/clock.ts'
import type { Database } from '../../../pipeline/store/database.ts'
import { type MemoryIndex, openMemoryIndex } from '../registry/memory-index.ts'
import { REACHING } from './table-contents.ts'

type Row = Record<string, unknown>

/** Content of an index without ids, commit numbers and the times of writing. */
export type IndexContent = Record<(typeof tables)[number] | 'crawl_state', Row[]>

const tables = [
  'brands',
  'publishers',
  'properties',
  'authorizations',
  'collections',
  'agents',
  'agent_facets',
  'agent_claims',
  'agent_declarations',
  'agent_profiles',
  'property_declarations',
  'agent_operators',
  'operator_sides',
  'house_claims',
  'claims',
  'depends_on',
  'wakes',
] as const

/** Columns that tell when and in which commit a row was written, or that were minted for it. */
const written = [
  'seq',
  'created_at',
  'changed_at',
  'discovered_at',
  'granted_at',
  'claimed_at',
  'property_rid',
  'collection_rid',
]

/**
 * Derives everything anew, in an index that holds nothing but the documents, the crawl state, the
 * entries and the time of another one. Kept between comparisons, since making an index takes longer than using it.
 */
export class FreshIndex {
  readonly #index: MemoryIndex

  private constructor(index: MemoryIndex) {
    this.#index = index
  }

  static async open(clock: Clock): Promise<FreshIndex> {
    return new FreshIndex(await openMemoryIndex(clock))
  }

  async deriveFrom({ db: from }: MemoryIndex): Promise<Database> {
    const { db } = this.#index
    await this.#index.clear()
    for (const table of ['documents', 'crawl_state', 'entries']) {
      await db.insert(table, await from.all(`select * from ${table}`))
    }
    await this.#index.deriveEverything()
    return db
  }

  close(): void {
    this.#index.close()
  }
}

/**
 * Returns the contents of two indexes in a form that can be compared. Rows are identified by their
 * content, since ids may differ by a bijection; a grant names the content of the properties that it
 * reaches. Left out on both sides are subjects that wait for a file which nobody has tried yet, and
 * subjects that the brake holds: only the incremental index still has their old rows. Left out of the
 * incremental index is what only it can remember because no file says it anymore: stale properties,
 * removed collections, and invalid publishers without properties and agents.
 */
export async function compareIndexes(
  first: Database,
  anew: Database,
  now: number,
): Promise<{ incremental: IndexContent; anew: IndexContent }> {
  const waiting = await listWaiting(first)
  const [a, b] = [await readIndexContent(first, now), await readIndexContent(anew, now)]
  const agents = listAgents([...a.authorizations, ...b.authorizations], waiting.publisher)
  const settled = (said: IndexContent): IndexContent => ({
    ...said,
    brands: said.brands.filter(row => !waiting.brand.has(row.domain)),
    publishers: said.publishers.filter(row => !waiting.publisher.has(row.domain)),
    properties: said.properties.filter(row => !waiting.publisher.has(row.publisher_domain)),
    authorizations: said.authorizations.filter(row => !waiting.publisher.has(row.publisher_domain)),
    collections: said.collections.filter(row => !waiting.publisher.has(row.publisher_domain)),
    agents: said.agents.filter(row => !agents.has(row.agent_url)),
    agent_operators: said.agent_operators.filter(row => !agents.has(row.agent_url)),
    operator_sides: said.operator_sides.filter(
      ({ publisher_domain: domain }) =>
        !waiting.publisher.has(domain) && !waiting.brand.has(domain),
    ),
    agent_facets: said.agent_facets.filter(row => !agents.has(row.agent_url)),
    wakes: said.wakes.filter(row => !waiting[row.rule as 'publisher'].has(row.subject)),
  })
  const [incremental, fresh] = [settled(a), settled(b)]
  const said = { ...incremental }
  for (const [table, isOver] of Object.entries(remembered) as [
    keyof IndexContent,
    (row: Row) => boolean,
  ][]) {
    said[table] = excludeLacking(incremental[table], fresh[table], isOver)
  }
  return { incremental: said, anew: fresh }
}

/** Rows that may stand although no file says them anymore. */
const remembered = {
  properties: row => row.status === 'stale',
  collections: row => row.status === 'removed',
  publishers: row =>
    row.valid === false && [row.agent_count, row.property_count].every(n => n === 0),
} satisfies Partial<Record<keyof IndexContent, (row: Row) => boolean>>

/** Finds the subjects that wait: for a file that was never tried, or because the brake holds them. */
async function listWaiting(db: Database): Promise<Record<'brand' | 'publisher', Set<unknown>>> {
  const rows = await db.all<{ rule: 'brand' | 'publisher'; subject: string }>(
    `select distinct rule, subject from depends_on join crawl_state using (kind, location)
     where attempted_at is null union select rule, subject from held`,
  )
  const of = (rule: string) =>
    new Set<unknown>(rows.flatMap(row => (row.rule === rule ? [row.subject] : [])))
  return { brand: of('brand'), publisher: of('publisher') }
}

async function readIndexContent(db: Database, now: number): Promise<IndexContent> {
  const properties = await db.all<Row>('select * from properties')
  const names = new Map(properties.map(row => [row.property_rid, toName(row)]))
  const grants = await db.all<Row & { property_rids: string[] }>(`select * from ${REACHING}`)
  const said: Partial<IndexContent> = {}
  for (const table of tables)
    said[table] = normalizeRows(await db.all<Row>(`select * from ${table}`))
  const reaching = grants.map(({ property_set: _, ...row }) => ({
    ...row,
    property_rids: row.property_rids.map(rid => names.get(rid)).sort(),
  }))
  return {
    ...(said as IndexContent),
    authorizations: normalizeRows(reaching),
    crawl_state: normalizeRows(await db.all<Row>(TURNS, { now: toIso(now) })),
  }
}

/**
 * Known sources, and whether each is scheduled for the next time at which its validity changes. An
 * ads.txt that nobody has tried is left out: it is fetched together with a missing adagents.json, and
 * until then its answer is the same whether it is known or not.
 */
const TURNS = `
select kind, location, turns_at is not distinct from least(
  if(stale_at > ms($now), stale_at, null),
  if(ended_at > ms($now), ended_at, null)) as turns_rightly
from crawl_state where kind != 'ads.txt' or attempted_at is not null`

/** Describes a property by its content; no two properties of a publisher have the same. */
function toName({ publisher_domain, property_type, property_id, identifiers }: Row): string {
  return JSON.stringify([publisher_domain, property_type, property_id, identifiers])
}

function normalizeRows(rows: readonly Row[]): Row[] {
  return rows
    .map(row => Object.fromEntries(Object.entries(row).filter(([key]) => !written.includes(key))))
    .map(row => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row)
}

function listAgents(grants: readonly Row[], publishers: Set<unknown>): Set<unknown> {
  const theirs = grants.filter(row => publishers.has(row.publisher_domain))
  return new Set(theirs.map(row => row.agent_url))
}

/** Leaves out rows that `others` lack and that may be missing there. */
function excludeLacking(
  rows: Row[],
  others: readonly Row[],
  mayLack: (row: Row) => boolean,
): Row[] {
  const lacking = new Set(subtractRows(rows, others))
  return rows.filter(row => !lacking.has(row) || !mayLack(row))
}

/** Lists rows that `others` lack, each as often as it is missing there. */
function subtractRows(rows: readonly Row[], others: readonly Row[]): Row[] {
  const left = new Map<string, number>()
  const toKey = (row: Row) => JSON.stringify(row)
  for (const row of others) left.set(toKey(row), (left.get(toKey(row)) ?? 0) + 1)
  return rows.filter(row => {
    const count = left.get(toKey(row)) ?? 0
    left.set(toKey(row), count - 1)
    return count <= 0
  })
}

/** Lists rows that only one of two indexes has, a line each; none means that they agree. */
export function listDifferences({
  incremental,
  anew,
}: {
  incremental: IndexContent
  anew: IndexContent
}): string[] {
  return (Object.keys(anew) as (keyof IndexContent)[]).flatMap(table => [
    ...subtractRows(incremental[table], anew[table]).map(row => `${table} has ${toText(row)}`),
    ...subtractRows(anew[table], incremental[table]).map(row => `${table} lacks ${toText(row)}`),
  ])
}

function toText(row: Row): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
  )
}
