import type { Database } from './duckdb.ts'

/** Releases of the databases whose checkpoints are frozen; the next caller waits for them. */
const frozen = new WeakMap<Database, Promise<void>>()

/**
 * Writes all that is committed into the file of a database, and keeps the file unchanged until `release` is
 * called. Later commits go to the log beside it: DuckDB overwrites nothing that the last checkpoint wrote
 * before the next one, since a crash would leave it with that and the log alone. So a copy made meanwhile
 * is complete, and shows this moment. Nobody may commit until this resolves.
 */
export async function freezeCheckpoints(db: Database): Promise<{ release(): void }> {
  const before = frozen.get(db)
  let end: () => void
  frozen.set(db, new Promise<void>(resolve => (end = resolve)))
  await before
  const release = () => {
    db.checkpoints.unfreeze()
    end()
  }
  try {
    await db.checkpoints.freeze()
  } catch (error) {
    release()
    throw error
  }
  return { release }
}
