import type { Instant } from '../core/clock.ts'
import type { Database, Parameters } from './duckdb.ts'

/** Rows of the index that are held in memory at a time. */
const SLICE_ROWS = 20_000

/** Which part of the index is projected: SQL that selects keys and rows. */
export interface Scope {
  /** Subquery of the domains whose brand, or whose inventory, is projected: the latter shows the former. */
  brands: string
  publishers: string
  /** Subquery of the ids of policies. */
  policies: string
  /**
   * Query for keys with their space: agents, claimed domains and brand.json files that are projected, and
   * keys of the spaces `reach`, `identifier` and `freshness` that went away.
   */
  keyed: string
  /** Query for keys of other spaces that went away, with their space. */
  gone: string
  /**
   * Conditions on rows of crawl_state, events, crawl_requests, api_keys, memberships, issuers, members,
   * aliases, revisions, roles, reviews, mirrors.
   */
  files: string
  events: string
  requests: string
  keys: string
  users: string
  issuers: string
  members: string
  aliases: string
  revisions: string
  roles: string
  reviews: string
  mirrors: string
  /** Condition on what organizations have shown of domains (accounts/proofs.ts). */
  proofs: string
  parameters: Parameters
  /** When what is projected counts as changed. */
  at: Instant
}

/** What the commits after `seq` touched. */
export function scopeAfter(seq: number, at: Instant): Scope {
  const touched = (...spaces: string[]) =>
    `(select distinct key from changes where seq > $seq and space in ('${spaces.join("', '")}'))`
  return {
    brands: touched('brand'),
    publishers: touched('publisher', 'brand'),
    policies: touched('policy'),
    keyed: `select space, key from changes
      where seq > $seq and space in ('reach', 'identifier', 'agent', 'operator', 'claim', 'freshness_gone')
      union select 'agent', agent_url from agents where seq > $seq`,
    gone: `select substr(space, 6) as space, key from changes
      where seq > $seq and starts_with(space, 'gone ')`,
    files: 'seq > $seq',
    events: 'seq > $seq',
    requests: 'seq > $seq',
    keys: 'greatest(k.seq, o.seq) > $seq',
    users: `user_id in (select x.user_id from memberships x join organizations y using (org_id)
      where greatest(x.seq, y.seq) > $seq)`,
    issuers: 'seq > $seq',
    members: 'm.seq > $seq',
    aliases: 'seq > $seq',
    revisions: 'seq > $seq',
    roles: 'seq > $seq',
    reviews: 'r.seq > $seq',
    mirrors: 'seq > $seq',
    proofs: 'seq > $seq',
    parameters: { seq },
    at,
  }
}

/** One of `count` slices of the whole index. */
export function scopeOfSlice(slice: number, count: number, at: Instant): Scope {
  const inSlice = (column: string) => `hash(${column}::varchar) % $count = $slice`
  return {
    brands: `(select domain as key from brands where ${inSlice('domain')})`,
    publishers: `(select domain as key from publishers where ${inSlice('domain')}
      union select domain from entries where entity = 'property' and ${inSlice('domain')})`,
    keyed: `select 'agent' as space, agent_url as key from agents where ${inSlice('agent_url')}
      union select 'agent', agent_url from agent_declarations where ${inSlice('agent_url')}
      union select 'operator', location from property_declarations where ${inSlice('location')}
      union select 'claim', publisher_domain from agent_claims where ${inSlice('publisher_domain')}`,
    gone: `select '' as space, '' as key from meta where seq < 0 and ${inSlice('seq')}`,
    files: inSlice('location'),
    events: 'seq % $count = $slice',
    requests: inSlice('crawl_request_id'),
    keys: inSlice('hash'),
    users: inSlice('user_id'),
    issuers: inSlice('issuer'),
    members: inSlice('m.org_id'),
    aliases: inSlice('alias_rid'),
    revisions: inSlice('domain'),
    roles: inSlice('id'),
    reviews: inSlice('review_id'),
    mirrors: inSlice('platform'),
    policies: `(select policy_id as key from policies where ${inSlice('policy_id')})`,
    proofs: inSlice('domain'),
    parameters: { slice, count },
    at,
  }
}

/** Into how many slices the index is cut, so that one fits into memory. */
export async function sliceCount(index: Database): Promise<number> {
  const row = await index.one<{ n: number }>(
    `select greatest((select count(*) from crawl_state), (select count(*) from events),
       (select count(*) from properties), (select count(*) from authorizations)) as n`,
  )
  return Math.max(1, Math.ceil((row?.n ?? 0) / SLICE_ROWS))
}
