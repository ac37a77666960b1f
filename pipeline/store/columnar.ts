import { existsSync, rmSync } from 'node:fs'
import { buildDecode, isText } from './columnar-types.ts'
import { isDeclared } from './definitions.ts'
import { type Cell, Database } from './duckdb.ts'
import { createTables } from './schema.ts'
import type { Sqlite } from './sqlite.ts'
import { listTables, readTableFile, type TableFile } from './table-files.ts'

/** Tables that serve the writer alone: no snapshot has them. */
const UNPUBLISHED = ['changes', 'house_claims', 'wakes']

/** Rows that are handed over at a time; commits go on in between. */
const BATCH_ROWS = 10_000

/** Table of the record that lists what was written without a newer commit number: tables, and keys as JSON. */
export const LOG = 'unpublished'

/** Lists the tables of the columnar index. */
export function listColumnarTables(): TableFile[] {
  return listTables('tables')
    .filter(name => !UNPUBLISHED.includes(name))
    .map(name => readTableFile('tables', name))
}

const hasSeq = ({ columns }: TableFile) => columns.some(({ name }) => name === 'seq')

/** Tells whether what is written to a table is found by the number of its commit, but for what the log lists. */
function isFoundBySeq(table: TableFile): boolean {
  return table.key !== undefined && hasSeq(table)
}

/** Builds the SQL that has the record list what a publication would not find by the number of a commit. */
export function buildLog(): string {
  const triggers = listColumnarTables().flatMap(table => {
    const { name, storedAs, key, notedBy } = table
    const values = (row: string) =>
      key === undefined
        ? "''"
        : `json_array(${key
            .split(', ')
            .map(column => `${row}.${column}`)
            .join(', ')})`
    const note = (row: string) =>
      `begin insert into ${LOG} (name, key) values ('${name}', ${values(row)}); end`
    const create = (on: string, row: string, of = '', when = '') =>
      `create trigger if not exists ${name}_${on} after ${on} ${of} on ${storedAs} ${when} ${note(row)}`
    const of = notedBy === undefined ? '' : `of ${notedBy}`
    const update = create('update', 'old', of, 'when new.seq = old.seq')
    if (isFoundBySeq(table)) return [create('delete', 'old'), update]
    return [create('insert', 'new'), create('update', 'new'), create('delete', 'old')]
  })
  return [
    `create table if not exists ${LOG} (id integer primary key, name text not null, key text not null)`,
    ...triggers,
  ].join(';\n')
}

/** State that the columnar index shows: the commit, and the last row of the log that is no longer needed. */
export interface Shown {
  seq: number
  logged: number
}

/**
 * Brings the columnar index of the file up to the record as it is now: in bulk, table by table, with the rows that
 * changed since its last commit, or all of them where it has none. The record may be written meanwhile.
 */
export async function updateColumnar(file: string, record: Sqlite): Promise<Shown> {
  const logged = record.oneOrThrow<{ id: number }>(
    `select coalesce(max(id), 0) as id from ${LOG}`,
  ).id
  const { seq } = record.oneOrThrow<{ seq: number }>('select seq from meta')
  const { db, since } = await openColumnar(file, seq)
  try {
    await updateRows(db, record, since)
  } finally {
    db.close()
  }
  return { seq, logged }
}

/** Brings all tables up from the commit `since`, or from nothing where that is below 0. */
export function updateRows(db: Database, record: Sqlite, since: number): Promise<void> {
  return db.transaction(async () => {
    for (const table of listColumnarTables()) await updateTable(db, record, table, since)
  })
}

/** Opens the columnar index with the commit that it shows; one that cannot be continued is made again. */
async function openColumnar(file: string, seq: number): Promise<{ db: Database; since: number }> {
  if (existsSync(file)) {
    const db = await Database.open(file, { memoryLimit: '512MB' }).catch(() => undefined)
    const found = await db?.one<{ seq: number }>('select seq from meta').catch(() => undefined)
    if (db && found && found.seq <= seq && (await isDeclared(db))) return { db, since: found.seq }
    db?.close()
  }
  for (const old of [file, `${file}.wal`]) rmSync(old, { force: true })
  const db = await Database.open(file, { memoryLimit: '512MB' })
  await createTables(db)
  return { db, since: -1 }
}

async function updateTable(
  db: Database,
  record: Sqlite,
  table: TableFile,
  since: number,
): Promise<void> {
  const { name, storedAs, key } = table
  const columns = record.columns(storedAs)
  const all = `select ${columns.map(column => column.name).join(', ')} from ${storedAs} t`
  const rows = (sql: string) => record.iterateValues(sql, { name, since })
  if (since < 0) return addRows(db, name, columns, rows(all))
  const logs = `select key from ${LOG} where name = $name`
  if (name === 'meta' || key === undefined) {
    if (name !== 'meta' && record.one(`${logs} limit 1`, { name }) === undefined) return
    await db.write('delete from', name)
    return addRows(db, name, columns, rows(all))
  }
  const isChanged =
    record.one(`${logs} limit 1`, { name }) !== undefined ||
    (isFoundBySeq(table) &&
      record.one(`select 1 from ${storedAs} where seq > $since limit 1`, { since }) !== undefined)
  if (!isChanged) return
  const keys = key.split(', ')
  const logged = `(${key}) in (select ${keys.map((_, n) => `key ->> '$[${n}]'`).join(', ')} from (${logs}))`
  const changed = isFoundBySeq(table)
    ? `${all} where seq > $since union ${all} where ${logged}`
    : `${all} where ${logged}`
  await stageKeys(
    db,
    keys,
    record,
    [
      `select ${keys.map((_, n) => `key ->> '$[${n}]'`).join(', ')} from ${LOG} where name = $name`,
      ...(isFoundBySeq(table) ? [`select ${key} from ${storedAs} where seq > $since`] : []),
    ],
    { name, since },
  )
  await db.write(
    'delete from',
    name,
    `t using columnar_keys k where ${toKeyCondition(keys, columns)}`,
  )
  await addRows(db, name, columns, rows(changed))
}

/** Compares keys as texts; times as the milliseconds that the record has. */
function toKeyCondition(
  keys: readonly string[],
  columns: readonly { name: string; type: string }[],
): string {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  return keys
    .map(column => {
      const own =
        types.get(column) === 'instant' ? `epoch_ms(t.${column})::varchar` : `t.${column}::varchar`
      return `coalesce(${own}, '') = k.${column}`
    })
    .join(' and ')
}

async function stageKeys(
  db: Database,
  keys: readonly string[],
  record: Sqlite,
  queries: readonly string[],
  parameters: Record<string, string | number>,
): Promise<void> {
  await db.runTemporary(
    `create or replace temp table columnar_keys (${keys.map(column => `${column} varchar`).join(', ')})`,
  )
  function* list(): Generator<Cell[]> {
    const known = new Set<string>()
    for (const query of queries) {
      for (const values of record.iterateValues(query, parameters)) {
        const cells = values.map(value => (value === null ? '' : String(value)))
        const text = cells.join('\u001f')
        if (known.has(text)) continue
        known.add(text)
        yield cells
      }
    }
  }
  await db.append('columnar_keys', list())
}

/** Adds rows of the record to a table, batch by batch. */
async function addRows(
  db: Database,
  table: string,
  columns: readonly { name: string; type: string }[],
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  const types = await db.describe(table)
  const declared = columns.map(({ name, type }) => `${name} ${isText(type) ? 'varchar' : 'double'}`)
  const decoded = columns.map(({ name }) => buildDecode(name, types.get(name) ?? 'VARCHAR'))
  const names = columns.map(({ name }) => name).join(', ')
  let batch: (readonly Cell[])[] = []
  const add = async () => {
    await db.runTemporary(`create or replace temp table columnar_rows (${declared.join(', ')})`)
    await db.append('columnar_rows', batch)
    await db.write(
      'insert into',
      table,
      `(${names}) select ${decoded.join(', ')} from columnar_rows`,
    )
    batch = []
  }
  for (const row of rows) {
    batch.push(row)
    if (batch.length >= BATCH_ROWS) await add()
  }
  if (batch.length > 0) await add()
}
