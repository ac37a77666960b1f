import type { Instant } from '../../core/clock.ts'
import type { Database, Parameters } from '../../store/database.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { buildSliceCondition, type RowProjection } from './projection.ts'
import { rowProjections } from './row-projections.ts'

/** Rows of the index that are held in memory at a time. */
const SLICE_ROWS = 20_000
/** Bytes of a revision's content that count as one row. */
const BYTES_OF_A_ROW = 2_000

/**
 * Scope of a projection: SQL that selects keys and rows. An empty part selects nothing and is not
 * queried.
 */
export interface Scope {
  /** Subquery, or a list, of the domains whose brand, or whose inventory, is projected: the latter shows the former. */
  brands: string
  publishers: string
  /** Empty where none of the publishers' entries is touched, but at most the brand of their domain. */
  hosts?: string
  /** Keys that these three select, where they are known. */
  known?: Readonly<Record<'brands' | 'publishers' | 'hosts', readonly string[]>>
  /** Subquery of the ids of policies. */
  policies: string
  /**
   * Query for keys with their space: agents, claimed domains and brand.json files that are projected, and
   * keys of the spaces `reach`, `identifier` and `freshness` that went away.
   */
  keyed: string
  /** Query for removed keys of other spaces, with their space. */
  gone: string
  /** Condition on rows of `events`, and one on rows of `revisions`. */
  events: string
  revisions: string
  /** Conditions on the rows of the other projections; one that is left out selects nothing. */
  rows: ReadonlyMap<RowProjection, string>
  parameters: Parameters
  /** Time of change of the projected records. */
  changedAt: Instant
}

/** Subject that a commit touched. */
interface TouchedKey {
  space: string
  key: string
}

/** Number of keys up to which they are passed to the queries; more are selected by a query. */
const INLINE_KEYS_MAX = 500

/** Builds the scope of the commits after `seq` up to `last`; unchanged tables are not queried. */
export async function buildScopeAfter(
  { index, accounts }: { index: Database; accounts: Sqlite },
  { seq, last }: { seq: number; last: number },
  changedAt: Instant,
  hasChanged: HasChanged,
): Promise<Scope> {
  const commits = JSON.stringify(Array.from({ length: last - seq }, (_, n) => seq + 1 + n))
  const touched = hasChanged(index, ['changes', 'brand_versions'])
    ? await loadTouched(index, { seq, last })
    : []
  const parameters: Record<string, string | number> = { seq, last, commits }
  const selectKeys = (name: string, ...spaces: string[]) => {
    if (touched === undefined) return selectTouched(spaces)
    const keys = listKeys(touched, spaces)
    const [only] = keys
    if (only === undefined) return ''
    if (keys.length === 1 && name !== 'policies') {
      parameters[name] = only
      return `($${name})`
    }
    parameters[name] = JSON.stringify(keys)
    return `(select value as key from json_each($${name}))`
  }
  const changedIn = {
    index: (tables: readonly string[]) => hasChanged(index, tables),
    accounts: (tables: readonly string[]) =>
      tables.some(table => hasRowsAfter(accounts, table, seq)),
  }
  const inIndex = (where: string, table: string) => (changedIn.index([table]) ? where : '')
  const changed = rowProjections.filter(({ store, tables }) => changedIn[store](tables))
  return {
    brands: selectKeys('brands', 'brand'),
    publishers: selectKeys('publishers', 'publisher', 'brand'),
    hosts: selectKeys('hosts', 'publisher'),
    ...(touched && {
      known: {
        brands: listKeys(touched, ['brand']),
        publishers: listKeys(touched, ['publisher', 'brand']),
        hosts: listKeys(touched, ['publisher']),
      },
    }),
    policies: selectKeys('policies', 'policy'),
    keyed: selectKeyed(touched, inIndex(CHANGED_AGENTS, 'agents'), parameters),
    gone: selectGone(touched, parameters),
    events: inIndex('seq > $seq', 'events'),
    revisions: inIndex(last === seq + 1 ? 'seq = $last' : OF_COMMITS, 'revisions'),
    rows: new Map(changed.map(projection => [projection, projection.changed])),
    parameters,
    changedAt,
  }
}

function hasRowsAfter(accounts: Sqlite, table: string, seq: number): boolean {
  return accounts.one(`select 1 from ${table} where seq > $seq limit 1`, { seq }) !== undefined
}

const CHANGED_AGENTS = `select 'agent' as space, agent_url as key from agents where seq > $seq`

/** Spaces whose keys are passed to the projection. */
const KEYED = [
  'reach',
  'identifier',
  'agent',
  'agent_profile',
  'operator',
  'operated',
  'claim',
  'freshness_gone',
]

function listKeys(touched: readonly TouchedKey[], spaces: readonly string[]): string[] {
  const keys = touched.filter(({ space }) => spaces.includes(space)).map(({ key }) => key)
  return [...new Set(keys)]
}

/** A list, so that a cached plan too reads only the rows of these commits. */
const OF_COMMITS = 'seq > $seq and seq <= $last'

/** Touched keys by commit: a brand that was written is known by the state that is kept of it. */
const TOUCHED = `(select seq, space, key from changes
  union all select seq, 'brand' as space, domain as key from brand_versions)`

/** Loads the subjects that commits touched; undefined if they are many. */
async function loadTouched(
  index: Database,
  commits: { seq: number; last: number },
): Promise<TouchedKey[] | undefined> {
  const rows = await index.all<TouchedKey>(
    `select distinct space, key from ${TOUCHED} where seq > $seq and seq <= $last
     limit ${INLINE_KEYS_MAX + 1}`,
    commits,
  )
  return rows.length > INLINE_KEYS_MAX ? undefined : rows
}

const whereSpaces = (spaces: readonly string[]) =>
  `seq > $seq and space in ('${spaces.join("', '")}')`

function selectTouched(spaces: readonly string[]): string {
  return `(select distinct key from ${TOUCHED} where ${whereSpaces(spaces)})`
}

function selectKeyed(
  touched: TouchedKey[] | undefined,
  agents: string,
  parameters: Record<string, string | number>,
): string {
  if (touched === undefined) {
    return `select space, key from changes where ${whereSpaces(KEYED)} union ${CHANGED_AGENTS}`
  }
  const rows = touched.filter(({ space }) => KEYED.includes(space))
  if (rows.length === 0) return agents
  parameters.keyed = JSON.stringify(rows)
  return agents === '' ? selectRows('$keyed') : `${selectRows('$keyed')} union ${agents}`
}

/** Prefix of the names under which removed keys of a space are passed on. */
const GONE = 'gone '

function selectGone(
  touched: TouchedKey[] | undefined,
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
  return selectRows('$gone')
}

const selectRows = (parameter: string) =>
  `select value ->> '$.space' as space, value ->> '$.key' as key from json_each(${parameter})`

/** Builds the scope of one of `count` slices of the whole index. */
export function buildScopeOfSlice(slice: number, count: number, changedAt: Instant): Scope {
  const inSlice = (column: string) => `crc32(${column}) % $count = $slice`
  return {
    brands: `(select domain as key from brands where ${inSlice('domain')}
      union select domain from entries where entity = 'brand' and ${inSlice('domain')})`,
    publishers: `(select domain as key from publishers where ${inSlice('domain')}
      union select domain from entries where entity = 'property' and ${inSlice('domain')})`,
    keyed: `select 'agent' as space, agent_url as key from agents where ${inSlice('agent_url')}
      union select 'agent', agent_url from agent_declarations where ${inSlice('agent_url')}
      union select 'agent_profile', agent_url from agent_profiles where ${inSlice('agent_url')}
      union select 'operator', location from property_declarations where ${inSlice('location')}
      union select 'operated', location from agent_declarations where ${inSlice('location')}
      union select 'claim', publisher_domain from agent_claims where ${inSlice('publisher_domain')}`,
    gone: `select '' as space, '' as key from meta where seq < 0 and ${inSlice('seq')}`,
    events: 'seq % $count = $slice',
    revisions: inSlice('domain'),
    rows: new Map(rowProjections.map(projection => [projection, buildSliceCondition(projection)])),
    policies: `(select policy_id as key from shown_policies where ${inSlice('policy_id')})`,
    parameters: { slice, count },
    changedAt,
  }
}

/** Returns the number of slices of the index, so that one fits into memory. */
export async function sliceCount(index: Database): Promise<number> {
  const row = await index.one<{ n: number }>(
    `select max((select count(*) from crawl_state), (select count(*) from events),
       (select count(*) from properties), (select count(*) from authorizations),
       (select coalesce(sum(length(state)), 0) / ${BYTES_OF_A_ROW} from revisions)) as n`,
  )
  return Math.max(1, Math.ceil((row?.n ?? 0) / SLICE_ROWS))
}

/** Tells whether any of these tables of the index was written since its last projection. */
export type HasChanged = (index: Database, tables: readonly string[]) => boolean

/** Remembers which tables are completely projected; at first none. */
export class ProjectionCursor {
  #projectedVersions: ReadonlyMap<string, number> = new Map()

  /**
   * Begins a projection; `commit` is called when everything that depends on the answers is done; until then
   * tables count as changed.
   */
  begin(): { hasChanged: HasChanged; commit: () => void } {
    const begun = new Map<string, number>()
    const hasChanged: HasChanged = (index, tables) => {
      const name = tables.join()
      const version = index.written.version(tables)
      begun.set(name, version)
      return this.#projectedVersions.get(name) !== version
    }
    const commit = () => {
      this.#projectedVersions = new Map([...this.#projectedVersions, ...begun])
    }
    return { hasChanged, commit }
  }
}
