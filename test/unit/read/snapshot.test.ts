import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Snapshot } from '../../../pipeline/read/snapshot.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { cleanUp } from '../../support/registry/registry.ts'

const QUERIES_MAX = 10

/** Opens an empty index as a snapshot is opened: a file, for reading. */
async function openFile(change?: string): Promise<Database> {
  const folder = makeTemporaryFolder()
  cleanUp(() => folder.remove())
  const file = join(folder.path, 'index.duckdb')
  const db = await Database.open(file)
  await createTables(db)
  if (change !== undefined) await db.run(change)
  db.close()
  return Database.open(file, { readOnly: true })
}

async function openSnapshot(db: Database, before?: Snapshot): Promise<Snapshot> {
  const snapshot = await Snapshot.open(db, QUERIES_MAX, before)
  cleanUp(() => snapshot.close())
  return snapshot
}

test('the first snapshot is shown while its agents are read, a later one once they are', async () => {
  const first = await openSnapshot(await openFile())
  expect(first.agents).toBeInstanceOf(Promise)
  const agents = await first.agents
  expect(first.agents).toBe(agents)
  const second = await openSnapshot(await openFile(), first)
  expect(second.agents).toBe(agents)
})

test('a snapshot whose agents cannot be read is shown, and so is the next one', async () => {
  const broken = await openSnapshot(await openFile('drop table agents'))
  await expect(broken.agents).rejects.toThrow('agents')
  const next = await openSnapshot(await openFile(), broken)
  expect(next.agents).toMatchObject({ urls: [] })
})
