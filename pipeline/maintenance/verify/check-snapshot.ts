import { existsSync, statSync } from 'node:fs'
import { hashFile, listSnapshots, readCheckpoint } from '../../store/checkpoint.ts'
import { Database } from '../../store/duckdb.ts'
import type { Stores } from './stores.ts'

/** Checks that the current snapshot is unchanged, is what readers open, and is not ahead of the index. */
export async function checkSnapshot({ index, paths }: Stores): Promise<string[]> {
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
  snapshot.close()
  if (in_snapshot.seq !== checkpoint.seq) {
    faults.push(`snapshot: is of commit ${in_snapshot.seq}, the checkpoint of ${checkpoint.seq}`)
  }
  if (in_snapshot.seq > in_index.seq) faults.push('snapshot: is ahead of the index')
  return faults
}

async function readMeta(db: Pick<Stores['index'], 'oneOrThrow'>): Promise<{ seq: number }> {
  return db.oneOrThrow<{ seq: number }>('select seq from meta')
}
