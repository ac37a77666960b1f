import type { Parameters } from './duckdb.ts'

/** Which part of the index is projected: SQL that selects keys and rows. */
export interface Scope {
  /** Subquery of the domains whose brand, or whose inventory, is projected. */
  brands: string
  publishers: string
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
    files: inSlice('location'),
    events: 'seq % $count = $slice',
    requests: inSlice('crawl_request_id'),
    keys: inSlice('hash'),
    aliases: inSlice('alias_rid'),
    revisions: inSlice('domain'),
    parameters: { slice, count },
  }
}
