import { renameSync, rmSync } from 'node:fs'
import { Database } from '../duckdb.ts'
import { shelfSources } from './entries.ts'
import { lockOf, PartsWriter } from './file.ts'
import { SEARCH_FORMAT, type SearchContents, type ShelfName } from './search-index.ts'
import type { ShelfContents } from './shelf.ts'
import { ShelfBuilder } from './shelf-builder.ts'

/** Makes the search file of a snapshot. It stands complete under its name, or not at all. */
export async function buildSearch(snapshot: string, target: string): Promise<void> {
  const db = await Database.open(snapshot, { readOnly: true, memoryLimit: '256MB', threads: 1 })
  const fresh = `${target}.new`
  const file = new PartsWriter(fresh)
  try {
    const shelves = {
      brands: await buildShelf(db, file, 'brands'),
      publishers: await buildShelf(db, file, 'publishers'),
      properties: await buildShelf(db, file, 'properties'),
    }
    await file.end({ format: SEARCH_FORMAT, shelves } satisfies SearchContents)
  } finally {
    await file.close()
    db.close()
  }
  // The lock of a file of this name is nothing to go by for another one.
  rmSync(lockOf(target), { force: true })
  renameSync(fresh, target)
}

async function buildShelf(
  db: Database,
  file: PartsWriter,
  name: ShelfName,
): Promise<ShelfContents> {
  const { sql, entryOf } = shelfSources[name]
  const shelf = new ShelfBuilder(file)
  for await (const rows of db.stream<Record<string, unknown>>(sql)) {
    for (const row of rows) shelf.add(entryOf(row))
  }
  return shelf.finish()
}
