import { existsSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { countThings, formatCount } from '../../core/counts.ts'
import { hashFile, listSnapshots, readCheckpoint } from '../../store/checkpoint.ts'
import { Database } from '../../store/columnar/duckdb.ts'
import { LOG, listColumnarTables } from '../../store/columnar-log.ts'
import type { Stores } from './stores.ts'

const TRIES = 3
/** Time in which a publication that has begun to replace files is over. */
const PUBLISHED_MS = 500

/**
 * Checks that the current snapshot is unchanged, is what readers open, is not ahead of the index, and has as many rows
 * where it is of the same commit. One that was replaced meanwhile is no fault: the next one is checked.
 */
export async function checkSnapshot(stores: Stores): Promise<string[]> {
  for (let left = TRIES; ; left--) {
    const before = readCheckpoint(stores.paths)?.snapshot
    const faults = await listFaults(stores)
    if (faults.length === 0 || left === 1) return faults
    await setTimeout(PUBLISHED_MS)
    if (readCheckpoint(stores.paths)?.snapshot === before) return faults
  }
}

async function listFaults({ index, paths }: Stores): Promise<string[]> {
  const checkpoint = readCheckpoint(paths)
  if (checkpoint === undefined)
    return listSnapshots(paths).length === 0
      ? []
      : ['snapshot: checkpoint.json is missing or cannot be read']
  const file = `${paths.snapshots}/${checkpoint.snapshot}`
  if (!existsSync(file)) return [`snapshot: ${checkpoint.snapshot} is missing`]
  if ((await hashFile(file)) !== checkpoint.sha256) {
    return [`snapshot: ${checkpoint.snapshot} (registry.duckdb) was changed after it was published`]
  }
  const faults: string[] = []
  if (!existsSync(paths.registry) || statSync(paths.registry).ino !== statSync(file).ino) {
    faults.push('snapshot: registry.duckdb is not the current snapshot')
  }
  const snapshot = await Database.open(file, { readOnly: true, memoryLimit: '128MB', threads: 1 })
  const [in_snapshot, in_index] = [await readMeta(snapshot), await readMeta(index)]
  if (in_snapshot.seq === in_index.seq) faults.push(...(await compareCounts(snapshot, index)))
  snapshot.close()
  if (in_snapshot.seq !== checkpoint.seq) {
    faults.push(`snapshot: is of commit ${in_snapshot.seq}, the checkpoint of ${checkpoint.seq}`)
  }
  if (in_snapshot.seq > in_index.seq) faults.push('snapshot: is ahead of the index')
  return faults
}

/** Compares the numbers of rows, unless some were written since the commit. */
async function compareCounts(snapshot: Database, index: Stores['index']): Promise<string[]> {
  if ((await index.one(`select 1 from ${LOG} limit 1`)) !== undefined) return []
  const faults: string[] = []
  for (const { name, storedAs } of listColumnarTables()) {
    const count = (table: string) => `select count(*) as n from ${table}`
    const published = await snapshot.oneOrThrow<{ n: number }>(count(name))
    const stored = await index.oneOrThrow<{ n: number }>(count(storedAs))
    if (published.n !== stored.n)
      faults.push(
        `snapshot: ${name} has ${countThings(published.n, 'row')}, and the index ${formatCount(stored.n)}`,
      )
  }
  return faults
}

async function readMeta(db: Pick<Stores['index'], 'oneOrThrow'>): Promise<{ seq: number }> {
  return db.oneOrThrow<{ seq: number }>('select seq from meta')
}
