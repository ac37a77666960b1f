import { expect, test } from 'vitest'
import { AgentIndex } from '../../../pipeline/read/queries/agent-index.ts'
import { Snapshot } from '../../../pipeline/read/snapshot.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { createTables } from '../../../pipeline/store/schema.ts'
import { cleanUp } from '../../support/registry.ts'

const MOST = 10

async function emptySnapshot(before?: Snapshot): Promise<Snapshot> {
  const db = await Database.open(':memory:')
  await createTables(db, 'tables')
  const snapshot = await Snapshot.of(db, MOST, before)
  cleanUp(() => snapshot.close())
  return snapshot
}

test('the first snapshot is shown while its agents are read, a later one once they are', async () => {
  const first = await emptySnapshot()
  expect(first.agents).toBeInstanceOf(Promise)
  const agents = await first.agents
  expect(first.agents).toBe(agents)
  const second = await emptySnapshot(first)
  expect(second.agents).toBeInstanceOf(AgentIndex)
})

test('a snapshot whose agents cannot be read is shown, and so is the one after it', async () => {
  const db = await Database.open(':memory:')
  await createTables(db, 'tables')
  await db.run('drop table agents')
  const broken = await Snapshot.of(db, MOST)
  cleanUp(() => broken.close())
  await expect(broken.agents).rejects.toThrow('agents')
  const next = await emptySnapshot(broken)
  expect(next.agents).toBeInstanceOf(AgentIndex)
})
