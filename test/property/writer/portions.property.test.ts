import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { readContents } from '../../support/checks/table-contents.ts'
import { limitTime } from '../../support/checks/time-limit.ts'
import { Replica, readReplicaState } from '../../support/clients/replica.ts'
import { type MemoryIndex, openMemoryIndex } from '../../support/registry/memory-index.ts'
import { type Night, nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'
import { worldStart } from '../../support/worlds/world-files.ts'

/** Columns that differ in portions: the time and commit of a row, and minted names. */
const incidental = [
  'seq',
  'created_at',
  'changed_at',
  'granted_at',
  'discovered_at',
  'claimed_at',
  'due_at',
  'first_seen_at',
  'attempted_at',
  'merged_at',
  'property_rid',
  'property_rids',
  'collection_rid',
  'turns_at',
  'files',
]
const tables = [
  'publishers',
  'properties',
  'authorizations',
  'collections',
  'claims',
  'agents',
] as const

async function runNights(
  path: readonly Night[],
  portionRows: number | undefined,
  hear: (events: readonly FeedEvent[]) => void = () => undefined,
) {
  const clock = testClock(worldStart)
  const index = await openMemoryIndex(clock, portionRows === undefined ? {} : { portionRows })
  try {
    const commit: MemoryIndex['commit'] = async batch => {
      const events = await index.commit(batch)
      hear(events)
      return events
    }
    const runner = new NightRunner({ ...index, commit }, clock)
    for (const night of path) await runner.run(night)
    const contents = await readContents(index.db, incidental)
    const rows = Object.fromEntries(
      tables.map(table => [table, contents[table].map(row => JSON.stringify(row)).sort()]),
    )
    return { rows, held: await readReplicaState(index.db) }
  } finally {
    index.close()
  }
}

describe('any nights that are applied in portions of any size', () => {
  it('end in the same state as all at once, and the feed reports it', async () => {
    const check = limitTime(40, async (path: Night[], size: number) => {
      const replica = new Replica()
      const portions = await runNights(path, size, events => replica.apply(events))
      expect(replica.state).toEqual(portions.held)
      expect(portions.rows).toEqual((await runNights(path, undefined)).rows)
    })
    await fc.assert(fc.asyncProperty(nights, fc.integer({ min: 1, max: 6 }), check), {
      numRuns: 25,
    })
  })
})
