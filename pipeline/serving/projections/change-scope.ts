import { listRenamedEditors } from '../../accounts/editors.ts'
import type { Instant } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { buildSliceCondition } from './projection.ts'
import { rowProjections } from './row-projections.ts'
import type { Scope, ScopedKey } from './scope.ts'

/** Rows of the index that are held in memory at a time. */
const SLICE_ROWS = 20_000
/** Bytes of a revision's content that count as one row. */
const BYTES_OF_A_ROW = 2_000

/** Builds the scope of the commits after `seq` up to `last`; unchanged tables are not queried. */
export async function buildScopeAfter(
  { index, accounts }: { index: Database; accounts: Sqlite },
  commits: { seq: number; last: number },
  changedAt: Instant,
  hasChanged: HasChanged,
): Promise<Scope> {
  const { seq, last } = commits
  const touched = hasChanged(index, ['changes', 'brand_versions'])
    ? await index.all<ScopedKey>(TOUCHED, commits)
    : []
  const agents = hasChanged(index, ['agents'])
    ? await index.all<ScopedKey>(CHANGED_AGENTS, commits)
    : []
  const bySpace = Map.groupBy(touched, ({ space }) => space)
  const listKeys = (...spaces: string[]) => {
    const keys = spaces.flatMap(space => bySpace.get(space) ?? [])
    return [...new Set(keys.map(({ key }) => key))]
  }
  const changedIn = {
    index: (tables: readonly string[]) => hasChanged(index, tables),
    accounts: (tables: readonly string[]) =>
      tables.some(table => hasRowsAfter(accounts, table, seq)),
  }
  const inIndex = (where: string, table: string) => (changedIn.index([table]) ? where : '')
  const renamed = changedIn.accounts(['submissions']) ? listRenamedEditors(accounts, commits) : []
  const changed = rowProjections.filter(({ store, tables }) => changedIn[store](tables))
  return {
    brands: listKeys('brand'),
    publishers: listKeys('publisher', 'brand'),
    hosts: listKeys('publisher'),
    policies: listKeys('policy'),
    keyed: listKeyed(bySpace, agents),
    gone: touched.flatMap(({ space, key }) =>
      space.startsWith(GONE) ? [{ space: space.slice(GONE.length), key }] : [],
    ),
    events: inIndex('seq > $seq', 'events'),
    revisions: [
      inIndex(last === seq + 1 ? 'seq = $last' : 'seq > $seq and seq <= $last', 'revisions'),
      renamed.length > 0 ? EDITED_BY_RENAMED : '',
    ]
      .filter(Boolean)
      .join(' or '),
    rows: new Map(changed.map(projection => [projection, projection.changed])),
    parameters: { ...commits, ...(renamed.length > 0 && { renamed: JSON.stringify(renamed) }) },
    changedAt,
  }
}

/** Whole histories, since the number of the latest revision is projected with them. */
const EDITED_BY_RENAMED = `(entity, domain) in (select entity, domain from revisions
  where editor_id in (select value from json_each($renamed)))`

function hasRowsAfter(accounts: Sqlite, table: string, seq: number): boolean {
  return accounts.one(`select 1 from ${table} where seq > $seq limit 1`, { seq }) !== undefined
}

const CHANGED_AGENTS = `select 'agent' as space, agent_url as key from agents where seq > $seq`

/** Subjects that commits touched: a brand that was written is known by the state that is kept of it. */
const TOUCHED = `select distinct space, key from (select seq, space, key from changes
    union all select seq, 'brand' as space, domain as key from brand_versions)
  where seq > $seq and seq <= $last`

/** Prefix of the names under which removed keys of a space are passed on. */
const GONE = 'gone '

/** Names under which keys are passed to the projection of keys. */
const KEYED = [
  'reach',
  'identifier',
  'agent_profile',
  'operator',
  'operated',
  'claim',
  'freshness_gone',
]

function listKeyed(
  touched: ReadonlyMap<string, readonly ScopedKey[]>,
  changedAgents: readonly ScopedKey[],
): ScopedKey[] {
  const agents = [...(touched.get('agent') ?? []), ...changedAgents]
  return [
    ...new Map(agents.map(agent => [agent.key, agent])).values(),
    ...KEYED.flatMap(space => touched.get(space) ?? []),
  ]
}

/** Builds the scope of one of `count` slices of the whole index. */
export async function buildScopeOfSlice(
  index: Database,
  slice: number,
  count: number,
  changedAt: Instant,
): Promise<Scope> {
  const parameters = { slice, count }
  const inSlice = (column: string) => `crc32(${column}) % $count = $slice`
  const listKeys = async (
    ...columns: (readonly [table: string, column: string, where?: string])[]
  ) => {
    const parts = columns.map(
      ([table, column, where = 'true']) =>
        `select distinct ${column} as key from ${table} where ${where} and ${inSlice(column)}`,
    )
    const rows = await index.all<{ key: string }>(parts.join(' union '), parameters)
    return rows.map(({ key }) => key)
  }
  const publishers = await listKeys(
    ['publishers', 'domain'],
    ['entries', 'domain', `entity = 'property'`],
  )
  const keyed: ScopedKey[] = []
  for (const [space, ...columns] of SLICED_KEYS) {
    for (const key of await listKeys(...columns)) keyed.push({ space, key })
  }
  return {
    brands: await listKeys(['brands', 'domain'], ['entries', 'domain', `entity = 'brand'`]),
    publishers,
    hosts: publishers,
    policies: await listKeys(['shown_policies', 'policy_id']),
    keyed,
    gone: [],
    events: 'seq % $count = $slice',
    revisions: inSlice('domain'),
    rows: new Map(rowProjections.map(projection => [projection, buildSliceCondition(projection)])),
    parameters,
    changedAt,
  }
}

/** Tables and columns that have all keys of a space. */
const SLICED_KEYS = [
  ['agent', ['agents', 'agent_url'], ['agent_declarations', 'agent_url']],
  ['agent_profile', ['agent_profiles', 'agent_url']],
  ['operator', ['property_declarations', 'location']],
  ['operated', ['agent_declarations', 'location']],
  ['claim', ['agent_claims', 'publisher_domain']],
] as const satisfies readonly (readonly [space: string, ...(readonly [string, string])[]])[]

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
