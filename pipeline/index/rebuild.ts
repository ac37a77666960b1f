import { existsSync, renameSync, rmSync } from 'node:fs'
import { Accounts } from './accounts.ts'
import { Database } from './duckdb.ts'
import { syncPath } from './durable.ts'
import { EventFile } from './event-file.ts'
import { Lease } from './lease.ts'
import { makeFolders, type Paths, pathsOf } from './paths.ts'
import { entriesOf } from './projection.ts'
import { scopeOfSlice, sliceCount } from './scope.ts'
import { ServingStore } from './serving.ts'
import { createTables } from './tables.ts'

const EVENT_PAGE = 50_000

/**
 * Makes the serving store and the event files again from the index, beside the old ones, and puts
 * them in their place at the end. False while another process writes.
 */
export async function rebuild(dataDir: string): Promise<boolean> {
  const paths = pathsOf(dataDir)
  makeFolders(paths)
  const lease = await Lease.take(paths.lease)
  if (lease === undefined) return false
  try {
    await rebuildStores(paths)
  } finally {
    lease.release()
  }
  return true
}

/** The same for who holds the lease; `before` may change the index first. */
export async function rebuildStores(
  paths: Paths,
  before: (index: Database, accounts: Accounts) => Promise<void> = async () => undefined,
): Promise<void> {
  const index = await Database.open(paths.index)
  const accounts = await Accounts.open(paths.accounts)
  try {
    await createTables(index, 'tables')
    await before(index, accounts)
    await rebuildServing(paths, index, accounts)
    await rebuildEvents(paths, index)
    rmSync(paths.checkpoint, { force: true })
  } finally {
    index.close()
    accounts.close()
  }
}

async function rebuildServing(paths: Paths, index: Database, accounts: Accounts): Promise<void> {
  const fresh = `${paths.serving}.new`
  rmSync(fresh, { recursive: true, force: true })
  const store = ServingStore.open(`${fresh}/serving.mdb`)
  const count = await sliceCount(index)
  const last = await index.one<{ seq: number; at: number }>(
    'select seq, coalesce(epoch_ms(committed_at), 0)::double as at from meta',
  )
  for (let slice = 0; slice < count; slice++) {
    const scope = scopeOfSlice(slice, count, last?.at ?? 0)
    store.write((await entriesOf(index, accounts, scope)).entries, 0)
  }
  store.write([], last?.seq ?? 0)
  await store.close()
  putInPlace(fresh, paths.serving, paths.dir)
}

async function rebuildEvents(paths: Paths, index: Database): Promise<void> {
  const fresh = `${paths.events}.new`
  rmSync(fresh, { recursive: true, force: true })
  const file = new EventFile({ ...paths, events: fresh, eventsOf: day => `${fresh}/${day}.ndjson` })
  for (;;) {
    const page = await index.all<Parameters<EventFile['append']>[0][number]>(
      `select event_id, event_type, entity_type, entity_id, payload, actor, created_at
       from events where $last is null or event_id > $last::uuid order by event_id limit ${EVENT_PAGE}`,
      { last: file.last ?? null },
    )
    if (page.length === 0) break
    file.append(page)
  }
  putInPlace(fresh, paths.events, paths.dir)
}

function putInPlace(fresh: string, place: string, folder: string): void {
  const old = `${place}.old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(place)) renameSync(place, old)
  renameSync(fresh, place)
  syncPath(folder)
  rmSync(old, { recursive: true, force: true })
}
