import { renameSync } from 'node:fs'
import { Database } from '../store/columnar/duckdb.ts'
import type { CollectionContents } from './collection.ts'
import { CollectionBuilder } from './collection-builder.ts'
import { PartsWriter } from './parts-writer.ts'
import { collectionSources } from './search-entries.ts'
import { type CollectionName, SEARCH_FORMAT, type SearchContents } from './search-index.ts'

/** Runs work with an open snapshot: to open one takes as long as to read a small one. */
export async function withSnapshot<Result>(
  snapshot: string,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = await Database.open(snapshot, { readOnly: true, memoryLimit: '256MB', threads: 1 })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** Builds the search file of a snapshot. It appears under its name complete, or not at all. */
export async function buildSearch(db: Database, target: string): Promise<void> {
  const fresh = `${target}.new`
  const file = new PartsWriter(fresh)
  try {
    const collections = {
      brands: await buildCollection(db, file, 'brands'),
      publishers: await buildCollection(db, file, 'publishers'),
      properties: await buildCollection(db, file, 'properties'),
      agents: await buildCollection(db, file, 'agents'),
    }
    file.end({ format: SEARCH_FORMAT, collections } satisfies SearchContents)
  } finally {
    file.close()
  }
  renameSync(fresh, target)
}

async function buildCollection(
  db: Database,
  file: PartsWriter,
  name: CollectionName,
): Promise<CollectionContents> {
  const { sql, buildEntry } = collectionSources[name]
  const collection = new CollectionBuilder(file)
  for await (const rows of db.stream<Record<string, unknown>>(sql)) {
    for (const row of rows) collection.add(buildEntry(row))
  }
  return collection.finish()
}
