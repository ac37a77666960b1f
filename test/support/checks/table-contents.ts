import type { Database } from '../../../pipeline/store/database.ts'

/** Tables that say something about the web, and the order of their rows when rids do not count. */
const orders = {
  brands: ['domain'],
  publishers: ['domain'],
  properties: ['publisher_domain', 'created_at', 'property_id', 'property_type', 'identifiers'],
  authorizations: ['publisher_domain', 'entry', 'id'],
  collections: ['publisher_domain', 'collection_id'],
  claims: ['manager_domain', 'entry', 'selector', 'publisher_domain'],
  agents: ['agent_url'],
  agent_claims: ['agent_url', 'publisher_domain'],
  agent_declarations: ['agent_url', 'location'],
  agent_profiles: ['agent_url'],
  documents: ['kind', 'location'],
  entries: ['entity', 'domain'],
  revisions: ['entity', 'domain', 'revision_number'],
  aliases: ['kind', 'merged_at', 'alias_rid'],
  held_documents: ['kind', 'location'],
  crawl_state: ['kind', 'location'],
  depends_on: ['rule', 'subject', 'kind', 'location'],
  wakes: ['rule', 'subject'],
  frontier: ['domain'],
  quarantine: ['kind', 'location'],
} as const

/** Grants with the rids that they reach: the id of their set is made of these. */
export const REACHING = `(select a.*, coalesce(s.property_rids, '[]') as "property_rids [json]"
  from authorizations a left join property_sets s on s.set_id = a.property_set)`

export type TableName = keyof typeof orders
export type Row = Record<string, unknown>
export type Contents = Record<TableName | 'events', Row[]>

export const tableNames = Object.keys(orders) as TableName[]

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Reads every table and the feed, in an order that does not depend on ids. `without` names columns to
 * leave out; ids minted at random are replaced by the order of their appearance.
 */
export async function readContents(
  db: Database,
  without: readonly string[] = [],
): Promise<Contents> {
  const names = new Map<string, string>()
  const contents: Partial<Contents> = {}
  for (const table of tableNames) {
    const from = table === 'authorizations' ? REACHING : table
    const rows = await db.all<Row>(
      `select * from ${from} order by ${orders[table].map(column => `${column} nulls last`).join(', ')}`,
    )
    contents[table] = rows.map(row => formatRow(row, names, [...without, 'property_set']))
  }
  const events = await db.all<Row>('select * from events order by event_id')
  contents.events = events.map(({ event_id: _, ...event }) => formatRow(event, names, without))
  return contents as Contents
}

function formatRow(row: Row, names: Map<string, string>, without: readonly string[]): Row {
  return replaceIds(row, names, new Set(without)) as Row
}

/** Lists of rids are sets: they are told in the order of their names. */
function replaceIds(value: unknown, names: Map<string, string>, without: Set<string>): unknown {
  if (typeof value === 'string') return UUID.test(value) ? nameRid(value, names) : value
  if (Array.isArray(value)) {
    const items = value.map(item => replaceIds(item, names, without))
    return value.some(item => typeof item === 'string' && UUID.test(item)) ? items.sort() : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !without.has(key))
      .map(([key, member]) => [key, replaceIds(member, names, without)]),
  )
}

function nameRid(id: string, names: Map<string, string>): string {
  const name = names.get(id) ?? `rid-${names.size + 1}`
  names.set(id, name)
  return name
}

/** Sorts rows into an order that does not depend on when they came. */
export function sortRows(rows: readonly Row[]): string[] {
  return rows.map(row => JSON.stringify(row)).sort()
}
