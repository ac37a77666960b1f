import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Submission } from '../../../pipeline/model/submission.ts'
import { Database } from '../../../pipeline/store/database.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const READS_AND_WRITES = [
  'run',
  'write',
  'writeEach',
  'stage',
  'stageQuery',
  'all',
  'values',
  'one',
  'oneOrThrow',
  'text',
  'update',
  'append',
] as const

const clock = testClock('2026-11-20T03:00Z')
let registry: Sequencer
let statements = 0
let isDiskFull = false

beforeEach(async () => {
  registry = await openTestSequencer(clock)
  for (const name of READS_AND_WRITES) {
    const real = Database.prototype[name] as (...given: unknown[]) => Promise<never>
    vi.spyOn(Database.prototype, name).mockImplementation(function (
      this: Database,
      ...given: unknown[]
    ) {
      statements++
      return real.apply(this, given)
    })
  }
  const { insert } = Database.prototype
  vi.spyOn(Database.prototype, 'insert').mockImplementation(function (this: Database, table, rows) {
    if (rows.length > 0) statements++
    return insert.call(this, table, rows)
  })
  const { insert: insertPrivate } = Sqlite.prototype
  vi.spyOn(Sqlite.prototype, 'insert').mockImplementation(function (this: Sqlite, table, rows) {
    if (isDiskFull) throw new Error('disk full')
    insertPrivate.call(this, table, rows)
  })
  await commit(buildOrganizationWrite('Org'))
  await commit(buildProofWrite('Org', 'org.example'))
})

afterEach(() => vi.restoreAllMocks())

const commit = (...submissions: Submission[]) => registry.commit({ observations: [], submissions })

/** Measures the statements of a commit in the index, and returns its answers. */
async function measureCost(...submissions: Submission[]) {
  statements = 0
  const { answers } = await commit(...submissions)
  const [answer] = answers.values()
  return { statements, done: answer && 'done' in answer ? answer.done : answer }
}

describe('a commit of one save', () => {
  it('shows the entry, new and changed', async () => {
    const first = await measureCost(buildBrandSave('Org', 'a.org.example', 'One'))
    expect(first.done).toMatchObject({ revision_number: 1, domain: 'a.org.example' })
    const second = await measureCost(buildBrandSave('Org', 'a.org.example', 'Two'))
    expect(second.done).toMatchObject({ revision_number: 2 })
    expect(await registry.quietly(() => verify(registry))).toEqual([])
  })

  it('takes as many statements as a commit of fifty', async () => {
    const first = await measureCost(buildBrandSave('Org', 'a.org.example', 'One'))
    const names = Array.from({ length: 50 }, (_, n) => `${n}.org.example`)
    const fifty = await measureCost(...names.map(name => buildBrandSave('Org', name, 'One')))
    const again = await measureCost(...names.map(name => buildBrandSave('Org', name, 'Two')))
    expect(first.statements).toBeGreaterThan(5)
    expect([fifty.statements, again.statements].every(n => n <= first.statements + 2)).toBe(true)
    expect(await registry.quietly(() => verify(registry))).toEqual([])
  })

  it('is in neither store when the accounts could not store it, and counts once when repeated', async () => {
    const save = buildBrandSave('Org', 'a.org.example', 'One')
    const { seq } = registry
    isDiskFull = true
    await expect(commit(save)).rejects.toThrow('disk full')
    isDiskFull = false
    expect(registry.seq).toBe(seq)
    expect(await registry.index.all('select 1 from revisions')).toEqual([])
    expect((await measureCost(save)).done).toMatchObject({ revision_number: 1 })
    expect(await registry.quietly(() => verify(registry))).toEqual([])
  })

  it('gets the same answer when it is delivered again, in any commit', async () => {
    const save = buildBrandSave('Org', 'a.org.example', 'One')
    const { done } = await measureCost(save)
    await commit(buildBrandSave('Org', 'a.org.example', 'Two'))
    expect((await measureCost(save)).done).toEqual(done)
    expect((await measureCost(save)).done).toEqual(done)
  })
})
