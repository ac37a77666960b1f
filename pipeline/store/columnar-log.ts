import { listTables, readTableFile, type TableFile } from './table-files.ts'

/** Tables that serve the writer alone: no snapshot has them. */
const UNPUBLISHED = ['changes', 'house_claims', 'wakes']

/** Table of the record that lists what was written without a newer commit number: tables, and keys as JSON. */
export const LOG = 'unpublished'

let known: readonly TableFile[] | undefined

/** Lists the tables of the columnar index. */
export function listColumnarTables(): readonly TableFile[] {
  known ??= listTables('tables')
    .filter(name => !UNPUBLISHED.includes(name))
    .map(name => readTableFile('tables', name))
  return known
}

/** Tells whether what is written to a table is found by the number of its commit, but for what the log lists. */
export function isFoundBySeq({ key, columns }: TableFile): boolean {
  return key !== undefined && columns.some(({ name }) => name === 'seq')
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
