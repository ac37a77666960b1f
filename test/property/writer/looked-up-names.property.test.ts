import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Operation } from '../../../pipeline/model/submission.ts'
import { observeBrandFile } from '../../support/fixtures/documents.ts'
import { observeOutcome } from '../../support/fixtures/observations.ts'
import { buildObservation } from '../../support/registry/app.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const OPEN = 9
const names = fc.nat(19).map(n => `n${n}.example`)
const callers = fc.constantFrom('ann', 'bob', 'eve')
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      caller: callers,
      lookedUp: fc.array(names, { minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ found: names }) },
  { weight: 1, arbitrary: fc.record({ given: names }) },
  { weight: 2, arbitrary: fc.record({ missing: names }) },
)

test('looked-up names share their part of the frontier, whatever is looked up, found and given', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const index = await openMemoryIndex(clock, { frontierMax: 10 })
  const { db, accounts } = index
  const add = (operation: object) =>
    index.commit({
      submissions: [
        {
          submission_id: randomUUID(),
          operation: Operation.parse({ op: 'domains.add', again: false, ...operation }),
        },
      ],
    })
  const list = async () =>
    new Set(
      (await db.all<{ domain: string }>('select domain from frontier')).map(row => row.domain),
    )
  const listItems = () =>
    new Map(
      accounts
        .all<{ key: string; caller: string }>(
          "select key, caller from stranger_items where kind = 'name'",
        )
        .map(row => [row.key, row.caller]),
    )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async steps => {
      await index.clear()
      const owned = new Set<string>()
      // Found before anybody looked it up: it may count as nobody's as soon as it is there.
      const foundBefore = new Set<string>()
      for (const step of steps) {
        clock.tick(3_600_001)
        const [before, itemsBefore] = [await list(), listItems()]
        if ('lookedUp' in step) {
          const domains = [...new Set(step.lookedUp)]
          await add({ why: 'demanded', domains, callers: domains.map(() => step.caller) })
        } else if ('found' in step) {
          await index.commit([buildObservation(observeBrandFile(step.found, 'Found'), clock)])
          if (before.has(step.found)) owned.add(step.found)
          else foundBefore.add(step.found)
        } else if ('missing' in step) {
          const kinds = ['brand.json', 'adagents.json'] as const
          await index.commit(
            kinds.map(kind => observeOutcome('absent', kind, step.missing, clock.now())),
          )
        } else {
          await add({ domains: [step.given] })
          if (before.size < 10 || before.has(step.given)) owned.add(step.given)
        }
        const [after, items] = [await list(), listItems()]
        expect([...owned].filter(name => !after.has(name))).toEqual([])
        expect(after.size).toBeLessThanOrEqual(
          Math.max(OPEN, before.size, 'given' in step ? 10 : 0),
        )
        // Items are counted for names of the frontier only, and each name that nobody else wants has one.
        expect([...items.keys()].filter(name => !after.has(name))).toEqual([])
        const isNobodys = (name: string) => owned.has(name) || foundBefore.has(name)
        expect([...after].filter(name => !isNobodys(name) && !items.has(name))).toEqual([])
        const count = (caller?: string) => [...items.values()].filter(own => own === caller).length
        const lost = [...before].filter(name => !after.has(name)).map(name => itemsBefore.get(name))
        for (const caller of new Set(lost)) {
          for (const other of ['ann', 'bob', 'eve']) {
            expect(count(other)).toBeLessThanOrEqual(count(caller) + 2)
          }
        }
        expect(
          accounts.all('select kind, caller, items from stranger_shares order by kind, caller'),
        ).toEqual(
          accounts.all(
            'select kind, caller, count(*) as items from stranger_items group by kind, caller order by kind, caller',
          ),
        )
      }
    }),
    { numRuns: 12 },
  )
  index.close()
})
