import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { updateRows } from '../../../pipeline/store/columnar/columnar.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { toShape } from '../../../pipeline/store/columnar/duckdb-values.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { USE_PUBLISHED } from '../../../pipeline/store/columnar/stored-schema.ts'
import type { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { makeTemporaryFolder } from '../processes/command.ts'

let emptyIndex: Promise<Buffer> | undefined

/**
 * Makes the columnar index of a record, as analysts read it. It begins as a copy of an empty one, since to create the
 * tables takes four times as long as to fill them, and its file has no name once it is open.
 */
export async function publishToMemory(record: Sqlite): Promise<Database> {
  emptyIndex ??= makeEmptyIndex()
  const columnar = await withFile(async file => {
    writeFileSync(file, await emptyIndex!)
    const db = await Database.open(file, { memoryLimit: '256MB', threads: 1 })
    await db.run('pragma disable_checkpoint_on_shutdown')
    await updateRows(db, record, -1)
    return db
  })
  await columnar.run(USE_PUBLISHED)
  return columnar
}

function makeEmptyIndex(): Promise<Buffer> {
  return withFile(async file => {
    const db = await Database.open(file, { threads: 1 })
    await createTables(db)
    db.close()
    return readFileSync(file)
  })
}

/** Runs work with the path of a file, which is deleted afterwards. */
async function withFile<Result>(work: (file: string) => Promise<Result>): Promise<Result> {
  const folder = makeTemporaryFolder()
  try {
    return await work(join(folder.path, 'memory.duckdb'))
  } finally {
    folder.remove()
  }
}

/** Inserts rows of JSON values into a table of DuckDB, each keyed by column name; absent keys become null. */
export async function insertRows(db: Database, table: string, rows: readonly object[]) {
  const types = [...(await db.describe(table))].map(([name, type]) => [name, toShape(type)])
  const shape = JSON.stringify([Object.fromEntries(types)]).replaceAll("'", "''")
  await db.run(
    `insert into ${table} by name
     select unnest(from_json($rows::varchar, '${shape}'), recursive := true)`,
    { rows: JSON.stringify(rows) },
  )
}
