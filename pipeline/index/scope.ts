import type { Parameters } from './duckdb.ts'

/** Which part of the index is projected: SQL that selects keys and rows. */
export interface Scope {
  /** Subquery of the domains whose brand, or whose inventory, is projected. */
  brands: string
  publishers: string
  /** Subquery of the agents, and of the brand.json files, that are projected. */
  agents: string
  operators: string
  /** Query for keys that went away; of a whole index there are none. */
  gone?: string
  /** Conditions on rows of crawl_state, events, crawl_requests, api_keys, aliases and revisions. */
  files: string
  events: string
  requests: string
  keys: string
  aliases: string
  revisions: string
  parameters: Parameters
}

/** What the commits after `seq` touched. */
export function scopeAfter(seq: number): Scope {
  const touched = (space: string) =>
    `(select distinct key from changes where seq > $seq and space = '${space}')`
  return {
    brands: touched('brand'),
    publishers: touched('publisher'),
    agents: `(select key from ${touched('agent')}
      union all select agent_url from agents where seq > $seq)`,
    operators: touched('operator'),
    gone: `select distinct space, key from changes
      where seq > $seq and space in ('reach', 'identifier')`,
    files: 'seq > $seq',
    events: 'seq > $seq',
    requests: 'seq > $seq',
    keys: 'k.seq > $seq',
    aliases: 'seq > $seq',
    revisions: 'seq > $seq',
    parameters: { seq },
  }
}

/** One of `count` slices of the whole index. */
export function scopeOfSlice(slice: number, count: number): Scope {
  const inSlice = (column: string) => `hash(${column}::varchar) % $count = $slice`
  return {
    brands: `(select domain as key from brands where ${inSlice('domain')})`,
    publishers: `(select domain as key from publishers where ${inSlice('domain')})`,
    agents: `(select agent_url as key from agents where ${inSlice('agent_url')}
      union all select agent_url from agent_declarations where ${inSlice('agent_url')})`,
    operators: `(select location as key from property_declarations where ${inSlice('location')})`,
    files: inSlice('location'),
    events: 'seq % $count = $slice',
    requests: inSlice('crawl_request_id'),
    keys: inSlice('hash'),
    aliases: inSlice('alias_rid'),
    revisions: inSlice('domain'),
    parameters: { slice, count },
  }
}
