import { describe, expect, it, test } from 'vitest'
import { DAY, HOUR, type Instant } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { addDomains } from '../../../pipeline/writer/crawl/frontier.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const domain = 'acme.example'
/** A location waits up to a tenth longer than the table says, always the same part. */
const SPREAD = 1.1

type Happening = Outcome | 'other file' | 'request' | [Outcome, Partial<Observation>]
type History = [hours: number, what: Happening][]

let version = 0

function observeHappening(what: Exclude<Happening, 'request'>, at: Instant): Observation {
  if (what === 'other file') version++
  if (what === 'ok' || what === 'other file')
    return observeFile(
      'adagents.json',
      domain,
      { authorized_agents: [], catalog_etag: `${version}` },
      at,
    )
  const [outcome, more] = Array.isArray(what) ? what : [what, {}]
  return observeOutcome(outcome, 'adagents.json', domain, at, more)
}

const request = buildSubmission('request', {
  op: 'crawl.request',
  scope: 'domain',
  crawl_request_id: '00000000-0000-7000-8000-000000000000',
  domain: domain as never,
  requested_by: 'Acme',
})

async function applyHappening(index: MemoryIndex, what: Happening, at: Instant): Promise<void> {
  await index.commit(what === 'request' ? { submissions: [request] } : [observeHappening(what, at)])
}

/** Lists the hours until the file is due again after each event; the nightly run is at 3. */
async function listHoursUntilDue(...history: History): Promise<number[]> {
  const clock = testClock('2026-11-20T03:00Z')
  const start = clock.now()
  const nextRun = (now: Instant) => start + DAY * (1 + Math.floor((now - start) / DAY))
  return withIndex(
    clock,
    async index => {
      const waits: number[] = []
      for (const [hours, what] of history) {
        clock.tick({ ms: start + hours * HOUR - clock.now() })
        await applyHappening(index, what, clock.now())
        const row = await index.db.one<{ ms: number }>(
          `select due_at - attempted_at as ms from crawl_state
           where kind = 'adagents.json'`,
        )
        waits.push(Number(row!.ms) / HOUR)
      }
      return waits
    },
    { nextRun },
  )
}

async function findHoursUntilDue(...history: History): Promise<number> {
  return (await listHoursUntilDue(...history)).at(-1)!
}

/** Repeats an event every so many hours, after what happened before. */
function repeatHappening(what: Happening, times: number, every = 1, from = 1): History {
  return Array.from({ length: times }, (_, i) => [from + i * every, what])
}

const ok: History = [[0, 'ok']]

describe('a file becomes due', () => {
  test.each<[string, number, History]>([
    ['six hours after it was new', 6, ok],
    ['six hours after it has changed', 6, [...ok, ...repeatHappening('other file', 4)]],
    ['twelve hours after it was the same', 12, [...ok, [6, 'unchanged']]],
    ['an hour after a failure', 1, [...ok, [24, 'timeout']]],
    ['two hours after the second', 2, [...ok, [24, 'timeout'], [25, 'dns_failed']]],
    ['sixteen hours after the fifth', 16, [...ok, ...repeatHappening('timeout', 5, 0.1)]],
    ['an hour after the first page', 1, [...ok, [24, 'not_json']]],
    ['soon after the first 404, to believe it', 61 / 60, [...ok, [24, 'absent']]],
    [
      'not sooner because its server named a sooner time',
      1,
      [...ok, [24, ['throttled', { retry_after_s: 60 }]]],
    ],
    ['a day after a first 404 where none ever was', 24, [[0, 'absent']]],
    ['two days after the second', 48, repeatHappening('absent', 2, 24)],
    ['four days after the third', 96, repeatHappening('absent', 3, 24)],
    ['sixteen days after the fifth', 16 * 24, repeatHappening('absent', 5, 24)],
    ['a month after many', 30 * 24, repeatHappening('absent', 12, 24)],
    ['a day after a first page where none ever was', 24, [[0, 'not_json']]],
    ['an hour after silence where none ever was', 1, [[0, 'dns_failed']]],
    ['two weeks and more after much silence', 512, repeatHappening('dns_failed', 10)],
    ['a month after more', 720, repeatHappening('dns_failed', 20)],
    [
      'where silence came between two 404, after the second',
      48,
      [...repeatHappening('absent', 1), ...repeatHappening('timeout', 3, 1, 5), [24, 'absent']],
    ],
  ])('%s', async (_, hours, history) => {
    const waited = await findHoursUntilDue(...history)
    expect(waited).toBeGreaterThanOrEqual(hours)
    expect(waited).toBeLessThan(hours * SPREAD)
  })

  test.each<[string, number, History]>([
    ['that stayed the same', 24, [...ok, [6, 'unchanged'], [18, 'unchanged'], [24, 'unchanged']]],
    ['that changed shortly before', 4, [...ok, [20, 'other file']]],
    ['that fails for long', 24, [...ok, ...repeatHappening('timeout', 8, 3, 3)]],
    ['that is gone', 24, [...ok, [24, 'absent'], [48, 'absent']]],
    ['that shows a page for long', 24, [...ok, ...repeatHappening('not_json', 8, 3, 3)]],
  ])('at the nightly run, if it is one %s', async (_, hours, history) => {
    expect(await findHoursUntilDue(...history)).toBe(hours)
  })

  test.each<[string, number, History]>([
    ['when its server allows it', 7, [[0, ['throttled', { retry_after_s: 7 * 3_600 }]]]],
    [
      'when its server allows it, after the nightly run',
      20,
      [...ok, [10, ['server_error', { retry_after_s: 20 * 3_600 }]]],
    ],
  ])('%s', async (_, hours, history) => {
    expect(await findHoursUntilDue(...history)).toBe(hours)
  })

  it('less and less often once it was absent for a week, also where it existed before', async () => {
    const waits = await listHoursUntilDue(...ok, ...repeatHappening('absent', 14, 24, 24))
    expect(Math.max(...waits.slice(2, 8))).toBeLessThanOrEqual(24 * SPREAD)
    expect(waits[10]).toBeGreaterThanOrEqual(4 * 24)
    expect(waits[14]).toBeGreaterThanOrEqual(30 * 24)
  })

  it('soon and four times more when a person requested it and nobody answered', async () => {
    const tries = repeatHappening('timeout', 5, 0.1, 24)
    const waits = (await listHoursUntilDue(...ok, [24, 'request'], ...tries)).slice(2)
    for (const [i, minutes] of [1, 5, 30, 120].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(minutes / 60)
      expect(waits[i]).toBeLessThan((minutes / 60) * SPREAD)
    }
    expect(waits[4]).toBeGreaterThan(10)
  })
})

describe('a name that was only mentioned', () => {
  it('is tried once, then after a day, a week and a month', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      const mention = [{ domain: 'named.example', why: 'mentioned' as const }]
      await addDomains(index.db, mention, { now: clock.now(), seq: 0, max: 10 })
      const named = "from crawl_state where kind = 'brand.json'"
      const waits: number[] = []
      for (const outcome of ['absent', 'timeout', 'absent', 'absent'] as const) {
        await index.commit([observeOutcome(outcome, 'brand.json', 'named.example', clock.now())])
        const row = await index.db.one<{ ms: number }>(
          `select due_at - attempted_at as ms ${named}`,
        )
        waits.push(Math.floor(Number(row!.ms) / DAY))
        clock.tick({ ms: Number(row!.ms) })
      }
      expect(waits.map(days => [1, 7, 30].findLast(step => step <= days))).toEqual([1, 7, 7, 30])
    })
  })
})

describe('files that were fetched at the same time', () => {
  it('become due at different times, those of one domain together', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      const names = Array.from({ length: 200 }, (_, i) => `d${i}.example`)
      const kinds = ['brand.json', 'adagents.json'] as const
      await index.commit(
        names.flatMap(name => kinds.map(kind => observeOutcome('absent', kind, name, clock.now()))),
      )
      const row = await index.db.one<Record<string, number>>(
        `select count(distinct due_at) as moments, count(*) as files,
           max(due_at) - min(due_at) > 7200000 as "is_wide [boolean]",
           count(distinct location || due_at) as places from crawl_state`,
      )
      expect(row!.moments).toBeGreaterThan(150)
      expect(row).toMatchObject({ files: 400, is_wide: true, places: 200 })
    })
  })
})
