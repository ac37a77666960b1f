import { describe, expect, it } from 'vitest'
import { DAY, HOUR, type Instant } from '../../../pipeline/core/clock.ts'
import { findNextTime } from '../../../pipeline/core/schedule.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { type DueTarget, loadDueTargets } from '../../../pipeline/writer/crawl/due-files.ts'
import { addDomains } from '../../../pipeline/writer/crawl/frontier.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const nightly = (now: Instant) => findNextTime('0 3 * * *', now)
const STEP = 3 * HOUR
const DAYS = 30

type Site = (target: DueTarget, at: Instant) => Observation

const buildFile = ({ location }: DueTarget, version: number, at: Instant) =>
  observeFile('adagents.json', location, { authorized_agents: [], catalog_etag: `${version}` }, at)

/** Builds a site whose file changes every so many hours, and which is silent for part of the time. */
function buildSite(every: number, isSilent: (hour: number) => boolean): Site {
  return (target, at) => {
    const hour = at / HOUR
    if (isSilent(hour)) return observeOutcome('timeout', 'adagents.json', target.location, at)
    return buildFile(target, Math.floor(hour / every), at)
  }
}

const never = () => false
const sites: Record<string, Site> = {
  'still.example': buildSite(1e9, never),
  'weekly.example': buildSite(7 * 24, never),
  'daily.example': buildSite(24, never),
  'busy.example': buildSite(3, never),
  'flaky.example': buildSite(48, hour => Math.floor(hour / 5) % 3 === 0),
  'nights-off.example': buildSite(100, hour => hour % 24 < 8),
}

async function start(index: MemoryIndex, clock: TestClock, names: readonly string[]) {
  const added = names.map(domain => ({ domain, why: 'given' as const }))
  await addDomains(index.db, added, { now: clock.now(), seq: 0, max: 1e6 })
  await index.db.run("delete from crawl_state where kind = 'brand.json'")
}

/** Fetches everything that is due every three hours, and passes it to `after` in each round. */
async function runCrawls(
  index: MemoryIndex,
  clock: TestClock,
  answer: Site,
  after: (targets: readonly DueTarget[]) => Promise<void> | void,
): Promise<void> {
  for (let at = 0; at <= DAYS * DAY; at += STEP) {
    const targets = await loadDueTargets(index.db, clock.now(), 100_000)
    if (targets.length > 0) await index.commit(targets.map(target => answer(target, clock.now())))
    await after(targets)
    clock.tick({ ms: STEP })
  }
}

describe('a month with capacity to spare', () => {
  it('checks every file that answered within a week at least daily', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    const asked: Record<string, number> = {}
    await withIndex(
      clock,
      async index => {
        await start(index, clock, Object.keys(sites))
        let oldest = 0
        await runCrawls(
          index,
          clock,
          (target, at) => sites[target.location]!(target, at),
          async targets => {
            for (const { location } of targets) asked[location] = (asked[location] ?? 0) + 1
            const row = await index.db.one<{ ms: number }>(
              `select max(ms($now) - attempted_at) as ms
               from crawl_state where succeeded_at > ms($now) - 604800000`,
              { now: new Date(clock.now()).toISOString() },
            )
            oldest = Math.max(oldest, row!.ms)
          },
        )
        // Seen right after each round: what was not due then is at most one step older before the next.
        expect(oldest + STEP).toBeLessThanOrEqual(DAY)
      },
      { nextRun: nightly },
    )
    expect(asked['still.example']).toBeLessThan(DAYS + 4)
    expect(asked['weekly.example']).toBeLessThan(DAYS + 15)
    expect(asked['daily.example']).toBeGreaterThan(DAYS * 1.5)
    expect(asked['busy.example']).toBeGreaterThan(DAYS * 2.5)
    expect(asked['busy.example']).toBeLessThanOrEqual(DAYS * 4 + 1)
  })

  it('checks a frontier without files less and less often', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    const perDay = Array<number>(DAYS + 1).fill(0)
    await withIndex(
      clock,
      async index => {
        const names = Array.from({ length: 400 }, (_, i) => `d${i}.example`)
        await start(index, clock, names)
        const begin = clock.now()
        await runCrawls(
          index,
          clock,
          ({ location }, at) => observeOutcome('absent', 'adagents.json', location, at),
          targets => {
            perDay[Math.floor((clock.now() - begin) / DAY)]! += targets.length
          },
        )
        const total = (from: number, to: number) =>
          perDay.slice(from, to).reduce((sum, count) => sum + count, 0)
        // Asked on the days 0, 1, 3, 7 and 15, a little later each time by the spread.
        expect(total(0, 1)).toBe(400)
        expect(total(1, 3)).toBe(400)
        expect(total(3, 6)).toBe(400)
        expect(total(6, 10)).toBe(400)
        expect(total(10, 20)).toBe(400)
        expect(total(20, 31)).toBe(0)
      },
      { nextRun: nightly },
    )
  })
})
