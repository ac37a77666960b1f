import type { Instant } from '../core/clock.ts'
import type { RevisionRow } from '../model/rows.ts'
import { notedChanges, type Touched } from './changes.ts'
import { type Database, listOf, type Parameters, type Planning } from './duckdb.ts'
import type { News } from './news.ts'
import { notedRevisions } from './revisions.ts'
import { updatesOf } from './written.ts'

/** Rows of the index that are held in memory at a time. */
const SLICE_ROWS = 20_000

/**
 * Which part of the index is projected: SQL that selects keys and rows. Where it is empty there is
 * nothing to select, and nothing is asked.
 */
export interface Scope {
  /** Subquery, or a list, of the domains whose brand, or whose inventory, is projected: the latter shows the former. */
  brands: string
  publishers: string
  /** Empty where none of the publishers' entries is touched, but at most the brand of their domain. */
  hosts?: string
  /** What these three select, where that is known. */
  known?: Readonly<Record<'brands' | 'publishers' | 'hosts', readonly string[]>>
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
   * aliases, revisions, roles, reviews, mirrors, origins, logos.
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
  origins: string
  logos: string
  /** What `revisions` selects, where this process has just written it. */
  newRevisions?: readonly RevisionRow[] | undefined
  parameters: Parameters
  /** How questions about one table within these are planned. */
  planning?: Planning
  /** When what is projected counts as changed. */
  at: Instant
}

/** Up to so many keys are given to the questions; more are found by them. */
const FEW = 500

/** What the commits after `seq` up to `last` touched; of tables without news nothing is asked. */
export async function scopeAfter(
  { index, accounts }: { index: Database; accounts: Database },
  { seq, last }: { seq: number; last: number },
  at: Instant,
  news: News,
): Promise<Scope> {
  const commits = JSON.stringify(Array.from({ length: last - seq }, (_, n) => seq + 1 + n))
  const touched = news(index, ['changes'])
    ? (notedChanges.of(index, { seq, last }) ?? (await touchedBy(index, commits)))
    : []
  const parameters: Record<string, string | number> = { seq, last, commits }
  const keysOf = (name: string, ...spaces: string[]) => {
    if (touched === undefined) return touchedIn(spaces)
    const keys = keysIn(touched, spaces)
    if (keys.length === 0) return ''
    if (keys.length === 1 && name !== 'policies') {
      parameters[name] = keys[0]!
      return `($${name})`
    }
    parameters[name] = JSON.stringify(keys)
    return `(select unnest(${listOf(`$${name}`)}) as key)`
  }
  const inIndex = (where: string, ...tables: string[]) => (news(index, tables) ? where : '')
  const inAccounts = (where: string, ...tables: string[]) => (news(accounts, tables) ? where : '')
  return {
    brands: keysOf('brands', 'brand'),
    publishers: keysOf('publishers', 'publisher', 'brand'),
    hosts: keysOf('hosts', 'publisher'),
    ...(touched && {
      known: {
        brands: keysIn(touched, ['brand']),
        publishers: keysIn(touched, ['publisher', 'brand']),
        hosts: keysIn(touched, ['publisher']),
      },
    }),
    policies: keysOf('policies', 'policy'),
    keyed: keyedAfter(touched, inIndex(CHANGED_AGENTS, 'agents'), parameters),
    gone: goneAfter(touched, parameters),
    // A file is new before it was ever looked at: there is nothing to show of it.
    files: inIndex('seq > $seq', updatesOf('crawl_state')),
    events: inIndex('seq > $seq', 'events'),
    requests: inIndex('seq > $seq', 'crawl_requests'),
    keys: inAccounts('greatest(k.seq, o.seq) > $seq', 'api_keys', 'organizations'),
    users: inAccounts(CHANGED_USERS, 'memberships', 'organizations'),
    issuers: inAccounts('seq > $seq', 'issuers'),
    members: inAccounts('m.seq > $seq', 'members'),
    aliases: inIndex('seq > $seq', 'aliases'),
    revisions: inIndex(last === seq + 1 ? 'seq = $last' : OF_COMMITS, 'revisions'),
    newRevisions: notedRevisions.of(index, { seq, last }),
    roles: inAccounts('seq > $seq', 'roles'),
    reviews: inAccounts('r.seq > $seq', 'reviews'),
    mirrors: inAccounts('seq > $seq', 'mirrors'),
    proofs: inAccounts('seq > $seq', 'ownership_proofs', 'verified_domains'),
    origins: inAccounts('seq > $seq', 'origins'),
    logos: inAccounts('seq > $seq', 'logos'),
    parameters,
    planning: touched === undefined ? 'anew' : 'kept',
    at,
  }
}
const CHANGED_AGENTS = `select 'agent' as space, agent_url as key from agents where seq > $seq`

const CHANGED_USERS = `user_id in (select x.user_id from memberships x join organizations y using (org_id)
  where greatest(x.seq, y.seq) > $seq)`

/** Spaces of which the projection is told keys. */
const KEYED = ['reach', 'identifier', 'agent', 'operator', 'claim', 'freshness_gone']

function keysIn(touched: readonly Touched[], spaces: readonly string[]): string[] {
  const keys = touched.filter(({ space }) => spaces.includes(space)).map(({ key }) => key)
  return [...new Set(keys)]
}

/** A list, so that also a plan that is kept reads only where these commits are. */
const OF_COMMITS = `seq in (select unnest(from_json($commits::varchar, '["BIGINT"]')))`

/** Undefined where it is much. */
async function touchedBy(index: Database, commits: string): Promise<Touched[] | undefined> {
  const rows = await index.all<Touched>(
    `select distinct space, key from changes where ${OF_COMMITS} limit ${FEW + 1}`,
    { commits },
    'kept',
  )
  return rows.length > FEW ? undefined : rows
}

const spacesIn = (spaces: readonly string[]) => `seq > $seq and space in ('${spaces.join("', '")}')`

function touchedIn(spaces: readonly string[]): string {
  return `(select distinct key from changes where ${spacesIn(spaces)})`
}

function keyedAfter(
  touched: Touched[] | undefined,
  agents: string,
  parameters: Record<string, string | number>,
): string {
  if (touched === undefined) {
    return `select space, key from changes where ${spacesIn(KEYED)} union ${CHANGED_AGENTS}`
  }
  const rows = touched.filter(({ space }) => KEYED.includes(space))
  if (rows.length === 0) return agents
  parameters.keyed = JSON.stringify(rows)
  return agents === '' ? rowsOf('$keyed') : `${rowsOf('$keyed')} union ${agents}`
}

/** Keys of whatever space that went away are told under its name after this word. */
const GONE = 'gone '

function goneAfter(
  touched: Touched[] | undefined,
  parameters: Record<string, string | number>,
): string {
  if (touched === undefined) {
    return `select substr(space, ${GONE.length + 1}) as space, key from changes
      where seq > $seq and starts_with(space, '${GONE}')`
  }
  const rows = touched.flatMap(({ space, key }) =>
    space.startsWith(GONE) ? [{ space: space.slice(GONE.length), key }] : [],
  )
  if (rows.length === 0) return ''
  parameters.gone = JSON.stringify(rows)
  return rowsOf('$gone')
}

const rowsOf = (parameter: string) => `select unnest(
  from_json(${parameter}::varchar, '[{"space":"VARCHAR","key":"VARCHAR"}]'), recursive := true)`

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
    origins: inSlice('domain'),
    logos: inSlice('domain'),
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
