import { isFoundBySeq, LOG } from '../columnar-log.ts'
import type { Sqlite } from '../sqlite.ts'
import type { ColumnDeclaration, TableFile } from '../table-files.ts'
import { toShape } from './duckdb-values.ts'

/** Rows that are handed over at a time, and bytes of the columns of them that may be long; commits go on in between. */
const BATCH_ROWS = 2_000
const BATCH_BYTES = 4 * 1024 * 1024
/** Rows that are searched at a time for those that changed, in about 10 ms. */
const SEARCHED_ROWS = 50_000
/** Keys whose rows one statement deletes: it reads the keys of the whole table. */
const BATCH_KEYS = 20_000

/** Values of a statement: a list of each column of some rows, as JSON. */
type Batch = { rows: string }

/**
 * The rows of one table of the record as the columnar index takes them: SQLite writes a list of each column as JSON and
 * DuckDB reads them all in one statement, which costs 3.5 µs a row of `crawl_state`; value by value it is twice that.
 */
export class TableRows {
  readonly name: string
  readonly #record: Sqlite
  readonly #table: TableFile
  readonly #key: readonly ColumnDeclaration[]

  constructor(record: Sqlite, table: TableFile) {
    this.name = table.name
    this.#record = record
    this.#table = table
    const key = table.key?.split(', ') ?? []
    this.#key = key.flatMap(name => table.columns.find(column => column.name === name) ?? [])
  }

  /** Builds the statement that inserts `$rows`. */
  get insertion(): string {
    const { columns } = this.#table
    const shape = Object.fromEntries(columns.map(({ name, type }) => [name, [readAs(type)]]))
    const lists = columns.map(({ name }) => `unnest(list.${name}) as ${name}`)
    return `insert into ${this.name} (${columns.map(({ name }) => name).join(', ')})
      select ${columns.map(({ name, type }) => decode(name, type)).join(', ')} from (
      select ${lists.join(', ')} from (select from_json($rows::varchar, '${JSON.stringify(shape)}') as list))`
  }

  /** Builds the rest of a statement that deletes the rows with these `$keys`: all of a table that has no key. */
  get deletion(): string {
    if (this.#key.length === 0) return ''
    const alike = this.#key.map(
      ({ name, type }, place) =>
        `t.${name} is not distinct from ${decode(`key[${place + 1}]::${readAs(type)}`, type)}`,
    )
    return `t using (select unnest(from_json($keys::varchar, '[["varchar"]]')) as key) where ${alike.join(' and ')}`
  }

  /** Builds the rest of a statement that deletes what a commit after `$since` wrote anew. */
  get replacement(): string {
    const alike = this.#key.map(({ name }) => `t.${name} is not distinct from fresh.${name}`)
    return `t using (select ${this.#table.key} from ${this.name} where seq > $since) fresh
      where t.seq <= $since and ${alike.join(' and ')}`
  }

  readAll(): Generator<Batch> {
    return this.#search('true')
  }

  /** Reads the rows that commits after this one wrote. */
  readSince(since: number): Generator<Batch> {
    const isNewer = 't.seq > $since'
    const isIndexed = this.#table.indexes.includes('seq')
    return isIndexed ? this.#read(`where ${isNewer}`, { since }) : this.#search(isNewer, { since })
  }

  /** Reads those of these keys that no commit after this one wrote. */
  readLogged(keys: string, since: number): Generator<Batch> {
    if (this.#key.length === 0) return this.readAll()
    const alike = this.#key.map(({ name }, place) => `t.${name} is k.value ->> ${place}`)
    return this.#read(
      `join json_each($keys) k on ${alike.join(' and ')} ${isFoundBySeq(this.#table) ? 'where t.seq <= $since' : ''}`,
      { keys, since },
    )
  }

  /** Reads batches of the keys that the log lists. */
  *readLoggedKeys(): Generator<string> {
    const keys = this.#record.values(`select distinct key from ${LOG} where name = $name`, {
      name: this.name,
    })
    for (let start = 0; start < keys.length; start += BATCH_KEYS) {
      yield `[${keys.slice(start, start + BATCH_KEYS).join(',')}]`
    }
  }

  /** Reads the rows that no index finds, stretch by stretch: a search of the whole table would hold up commits. */
  *#search(condition: string, parameters: Record<string, number> = {}): Generator<Batch> {
    const { last } = this.#record.oneOrThrow<{ last: number }>(
      `select coalesce(max(rowid), 0) as last from ${this.#table.storedAs}`,
    )
    const which = `where ${condition} and t.rowid between $from and $to`
    for (let from = 1; from <= last; from += SEARCHED_ROWS) {
      yield* this.#read(which, { ...parameters, from, to: from + SEARCHED_ROWS - 1 })
    }
  }

  *#read(which: string, parameters: Record<string, string | number>): Generator<Batch> {
    const { columns, storedAs } = this.#table
    const long = columns.filter(({ type, computed }) => isJson(type) && !computed)
    const bytes = long.map(({ name }) => `coalesce(octet_length(t.${name}), 0)`)
    const [found = []] = this.#record.values(
      `select json_group_array(t.rowid), json_group_array(${bytes.join(' + ') || 0})
       from ${storedAs} t ${which}`,
      parameters,
    )
    const [ids = [], sizes = []] = found.map(list => JSON.parse(String(list)) as number[])
    // `||` would copy what stands before it, list by list.
    const sql = `select concat('{', ${columns.map(buildList).join(", ',', ")}, '}')
      from json_each($ids) i cross join ${storedAs} t on t.rowid = i.value`
    for (const batch of cut(ids, sizes)) {
      yield { rows: String(this.#record.values(sql, { ids: JSON.stringify(batch) })[0]?.[0]) }
    }
  }
}

function* cut(ids: readonly number[], sizes: readonly number[]): Generator<number[]> {
  let start = 0
  let bytes = 0
  for (let end = 1; end <= ids.length; end++) {
    bytes += sizes[end - 1] ?? 0
    if (end < ids.length && end - start < BATCH_ROWS && bytes < BATCH_BYTES) continue
    yield ids.slice(start, end)
    start = end
    bytes = 0
  }
}

const isList = (type: string) => type.endsWith('[]')
/** Tells whether the record keeps the values of a type as JSON. */
const isJson = (type: string) => type === 'json' || isList(type)

/** Builds arguments of SQL's `concat` that list the values of a column as a member of a JSON object. */
function buildList({ name, type, computed }: ColumnDeclaration): string {
  const value = computed?.sql ?? `t.${name}`
  const list = isJson(type)
    ? `'[', group_concat(ifnull(${value}, 'null'), ','), ']'`
    : `json_group_array(${value})`
  return `'"${name}":', ${list}`
}

/** Names the type with which DuckDB reads the JSON that the record makes of a value of this type. */
function readAs(type: string): unknown {
  if (type === 'timestamptz') return 'bigint'
  if (type === 'boolean') return 'utinyint'
  if (isJson(type)) return toShape(type)
  return type.endsWith('int') || type.endsWith('integer') ? type : 'varchar'
}

/** Builds SQL that makes a value of a type of what was read. */
function decode(value: string, type: string): string {
  if (type === 'timestamptz') return `make_timestamptz(${value} * 1000)`
  if (type === 'boolean') return `${value} <> 0`
  return isJson(type) ? value : `${value}::${type}`
}
