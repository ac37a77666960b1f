import { beforeAll, describe, expect, test } from 'vitest'
import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { verify } from '../../pipeline/maintenance/verify-stores.ts'
import { ServingStore } from '../../pipeline/serving/lmdb.ts'
import { readCheckpoint } from '../../pipeline/store/checkpoint.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import type { Committed } from '../../pipeline/writer/commit-in-parts.ts'
import type { Sequencer, Step } from '../../pipeline/writer/sequencer.ts'
import { type Contents, readContents } from '../support/checks/table-contents.ts'
import { buildBaseBatch, buildNextBatch, saves } from '../support/fixtures/batches.ts'
import { type Fault, WriterProcess } from '../support/processes/script-process.ts'
import { createDataDir, makeDataDir, openSequencer } from '../support/registry/registry.ts'
import { testClock } from '../support/worlds/clock.ts'

const night = (days: number) => testClock('2026-11-20T03:00Z').tick({ days })

/** Reads everything but commit numbers, which a redelivery may raise, and random ids. */
async function readStores({
  index,
  accounts,
}: Sequencer): Promise<Contents & Record<string, object>> {
  const orgs = accounts.db.all('select org_id, name from organizations')
  const contacts = accounts.db.all(
    'select contact_id, domain, contact from property_contacts order by contact_id',
  )
  const editors = accounts.db.all('select kind, principal_id, org_id from editors')
  const known = accounts.db.all<{ editor_id: string }>('select editor_id from editors')
  const named = await index.all<{ editor_id: string }>('select distinct editor_id from revisions')
  expect(known).toEqual(expect.arrayContaining(named))
  return { ...(await readContents(index, ['seq', 'editor_id'])), orgs, contacts, editors }
}

/** Lists the revision numbers that the saves got, in their order. */
function listRevisionNumbers({ answers }: Pick<Committed, 'answers'>): unknown[] {
  return saves.map(({ submission_id }) => {
    const answer = answers.get(submission_id)!
    return 'done' in answer ? answer.done.revision_number : answer.refused
  })
}

/** Opens what a crash left, as a restart does. */
async function restart<Result>(dir: string, work: (registry: Sequencer) => Promise<Result>) {
  const registry = await openSequencer({ dataDir: dir, clock: testClock(night(1)) })
  try {
    return await work(registry)
  } finally {
    await registry.close()
  }
}

let undisturbed: Contents

beforeAll(async () => {
  const clock = testClock(night(0))
  const { dir, remove } = makeDataDir()
  const registry = await openSequencer({ clock, dataDir: dir })
  await registry.commit(buildBaseBatch(clock.now()))
  clock.tick({ days: 1 })
  await registry.commit(buildNextBatch(clock.now()))
  undisturbed = await readStores(registry)
  await registry.close()
  remove()
})

describe('a writer that dies during a commit', () => {
  test.each<[Step, 'is lost' | 'persists', { seq: number; published: number }]>([
    ['accounts', 'is lost', { seq: 1, published: 1 }],
    ['accounts', 'persists', { seq: 1, published: 1 }],
    ['index', 'is lost', { seq: 1, published: 1 }],
    ['index', 'persists', { seq: 2, published: 1 }],
    ['serving', 'is lost', { seq: 2, published: 1 }],
    ['serving', 'persists', { seq: 2, published: 1 }],
    ['events', 'is lost', { seq: 2, published: 1 }],
    ['events', 'persists', { seq: 2, published: 1 }],
    ['snapshot', 'is lost', { seq: 2, published: 1 }],
    ['snapshot', 'persists', { seq: 2, published: 1 }],
    ['checkpoint', 'is lost', { seq: 2, published: 1 }],
    ['checkpoint', 'persists', { seq: 2, published: 2 }],
  ])('neither loses nor repeats anything when the step %s %s', async (step, how, expected) => {
    const dir = createDataDir()
    const fault: Fault = { step, moment: how === 'is lost' ? 'before' : 'after' }
    expect(await new WriterProcess('fault', dir, fault).ended).toBe('SIGKILL')
    await restart(dir, async registry => {
      expect(await verify(registry)).toEqual([])
      expect(registry.seq).toBe(expected.seq)
      expect(readCheckpoint(registry.paths)?.seq).toBe(expected.published)
      const again = await registry.commit(buildNextBatch(night(1)))
      expect(listRevisionNumbers(again)).toEqual([1, 1, 2, 2, 1])
      expect(await readStores(registry)).toEqual(undisturbed)
      await registry.publish()
      expect(await verify(registry)).toEqual([])
    })
  })
})

test('what was saved is shown as before when every store is made again', async () => {
  const clock = testClock(night(0))
  const dir = createDataDir()
  const registry = await openSequencer({ clock, dataDir: dir })
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
  const shown = () => {
    const store = ServingStore.open(resolvePaths(dir).servingFile, { readOnly: true })
    const keys = ['brand', 'property'] as const
    const values = keys.map(space => store.get(space, 'told.example')!.subarray(6).toString())
    return store.close().then(() => values)
  }
  await registry.close()
  const before = await shown()
  expect(before[1]).toContain('1@told.example')
  expect(await rebuild(dir)).toEqual({ unprojected: [] })
  expect(await shown()).toEqual(before)
  await restart(dir, async again => expect(await verify(again)).toEqual([]))
})
