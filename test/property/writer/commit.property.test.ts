import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { type Contents, readContents, sortRows } from '../../support/checks/table-contents.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'
import { listVillageDomains, observeVillageNight } from '../../support/worlds/village-internet.ts'

const size = 40
const start = '2026-11-20T03:00Z'
/** Columns that the order of the files may change: when and why a source is due. */
const incidental = ['seq', 'priority', 'since', 'why']
/** An agent that loses one grant and gains another has changed when these come one by one. */
const times = ['changed_at', 'discovered_at', 'granted_at']

const addedDomains = buildSubmission('given', {
  op: 'domains.add',
  domains: listVillageDomains(size) as never,
  again: false,
})

/** Builds an index from nights of the village, committed the way `deliver` does. */
async function buildIndex(
  nights: readonly number[],
  deliver: (index: MemoryIndex, seen: Observation[]) => Promise<void>,
  without: readonly string[] = incidental,
): Promise<Contents> {
  const clock = testClock(start)
  return withIndex(clock, async index => {
    await index.commit({ submissions: [addedDomains] })
    for (const night of nights) {
      await deliver(index, observeNight(night, clock))
      clock.tick({ days: 1 })
    }
    return readContents(index.db, without)
  })
}

function observeNight(night: number, clock: TestClock): Observation[] {
  return observeVillageNight(night, { count: size, size }, clock.now())
}

const atOnce = async (index: MemoryIndex, seen: Observation[]): Promise<void> => {
  await index.commit(seen)
}

const nights = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 })

/** Omits the events, which say how the rows came about. */
function omitEvents({ events: _, ...tables }: Contents) {
  return tables
}

/**
 * Omits sources without an attempt: an agent that was named, dropped and named again waits since the
 * last time only if the index saw each step.
 */
function omitUntried(contents: Contents) {
  const { crawl_state, ...others } = omitEvents(contents)
  return { ...others, crawl_state: crawl_state.filter(row => row.attempted_at !== null) }
}

describe('a night that is committed', () => {
  it('twice is committed once', async () => {
    await fc.assert(
      fc.asyncProperty(nights, async path => {
        const once = await buildIndex(path, atOnce)
        const twice = await buildIndex(path, async (index, seen) => {
          await index.commit(seen)
          expect(await index.commit(seen)).toEqual([])
        })
        expect(twice).toEqual(once)
      }),
      { numRuns: 5 },
    )
  })

  it('again after a later one changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(nights, async path => {
        const late: Observation[] = []
        const once = await buildIndex(path, atOnce)
        const again = await buildIndex(path, async (index, seen) => {
          await index.commit(seen)
          late.push(...seen)
          expect(await index.commit(late)).toEqual([])
        })
        expect(again).toEqual(once)
      }),
      { numRuns: 4 },
    )
  })

  it('with its files in another order is the same night', async () => {
    await fc.assert(
      fc.asyncProperty(nights, fc.infiniteStream(fc.nat()), async (path, random) => {
        const inOrder = await buildIndex(path, atOnce)
        const shuffled = await buildIndex(path, async (index, seen) => {
          const turns = new Map(
            seen.map(observation => [observation, random.next().value as number]),
          )
          await index.commit([...seen].sort((a, b) => turns.get(a)! - turns.get(b)!))
        })
        expect(omitEvents(shuffled)).toEqual(omitEvents(inOrder))
        expect(sortRows(shuffled.events)).toEqual(sortRows(inOrder.events))
      }),
      { numRuns: 8 },
    )
  })

  it('in batches of any size is the same night', async () => {
    await fc.assert(
      fc.asyncProperty(nights, fc.integer({ min: 5, max: size }), async (path, batch) => {
        const whole = await buildIndex(path, atOnce, [...incidental, ...times])
        const inBatches = async (index: MemoryIndex, seen: Observation[]) => {
          for (let i = 0; i < seen.length; i += batch) {
            await index.commit(seen.slice(i, i + batch))
          }
        }
        const parts = await buildIndex(path, inBatches, [...incidental, ...times])
        expect(omitUntried(parts)).toEqual(omitUntried(whole))
      }),
      { numRuns: 6 },
    )
  })
})
