import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectionSources } from '../../../pipeline/search/search-entries.ts'
import { listNestedLoops } from '../../support/checks/nested-loops.ts'
import { withIndex } from '../../support/registry/memory-index.ts'
import { nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'
import { worldStart } from '../../support/worlds/world-files.ts'

describe('the joins of a commit', () => {
  it('never compare each row with each other one', async () => {
    const found = await listNestedLoops(async () => {
      for (const path of fc.sample(nights, { numRuns: 4, seed: 7 })) {
        const clock = testClock(worldStart)
        await withIndex(clock, async index => {
          const runner = new NightRunner(index, clock)
          for (const night of path) await runner.run(night)
        })
      }
    })
    expect(found).toEqual([])
  })

  it('are found where they do', async () => {
    const statement =
      'select 1 from (values (1), (2)) a(x) left join (values (1)) b(y) on a.x = $n and b.y = a.x'
    const found = await withIndex(testClock(worldStart), ({ db }) =>
      listNestedLoops(() => db.all(statement, { n: 1 })),
    )
    expect(found).toEqual([statement])
  })
})

describe('the entries of the search', () => {
  it.each(Object.entries(collectionSources))('%s are joined by equalities', (_, { sql }) =>
    withIndex(testClock(worldStart), async ({ db }) => {
      const plan = await db.all<{ explain_value: string }>(`explain ${sql}`)
      expect(plan.map(row => row.explain_value).join()).not.toMatch(/NL_JOIN|NESTED_LOOP/)
    }),
  )
})
