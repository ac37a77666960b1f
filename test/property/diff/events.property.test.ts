import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentVerdict } from '../../../pipeline/model/agent-verdict.ts'
import { badgeRoles } from '../../../pipeline/model/badge.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import type { Observation, Source } from '../../../pipeline/model/observation.ts'
import { limitTime } from '../../support/checks/time-limit.ts'
import { listContradictions, Replica, readReplicaState } from '../../support/clients/replica.ts'
import { observeOutcome } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, openMemoryIndex } from '../../support/registry/memory-index.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Night, nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'
import { worldStart } from '../../support/worlds/world-files.ts'

const clock = testClock(worldStart)
const index = openForAll(() => openMemoryIndex(clock))

/** Runs nights on an empty index; `hear` gets the events of every commit. */
async function runNights(
  path: readonly Night[],
  hear: (events: readonly FeedEvent[]) => void,
): Promise<void> {
  await index.clear()
  clock.tick({ ms: worldStart - clock.now() })
  const commit: MemoryIndex['commit'] = async batch => {
    const events = await index.commit(batch)
    hear(events)
    return events
  }
  const runner = new NightRunner({ ...index, commit }, clock)
  for (const night of path) await runner.run(night)
}

describe('the events of any nights', () => {
  it('reproduce the tables for a reader who knows nothing else, without contradictions', async () => {
    await fc.assert(
      fc.asyncProperty(
        nights,
        limitTime(30, async path => {
          const replica = new Replica()
          await runNights(path, events => {
            replica.apply(events)
            expect(listContradictions(events)).toEqual([])
          })
          expect(replica.state).toEqual(await readReplicaState(index.db))
        }),
      ),
      { numRuns: 40 },
    )
  })

  it('give a reader who knows nothing else the test results of agents, and their badges', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(judgements, { maxLength: 8 }),
        limitTime(20, async path => {
          await index.clear()
          const replica = new Replica()
          for (const verdicts of path) {
            const agents = verdicts.map(({ agent_url }) => agent_url)
            const events = await index.commit({
              verdicts: {
                agents: [...new Set([...agents, GONE])],
                verdicts,
                histories: new Map(),
              },
            })
            replica.apply(events)
            expect(listContradictions(events)).toEqual([])
            expect(replica.state).toEqual(await readReplicaState(index.db))
          }
        }),
      ),
      { numRuns: 60 },
    )
  })

  it('are none when nothing has changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        nights,
        limitTime(15, async path => {
          await runNights(path, () => {})
          await index.commit(await observeUnchanged(index, clock.tick({ minutes: 1 })))
          const at = clock.tick({ ms: 1 })
          if (await isChangeDue(index, at)) return
          expect(await index.commit(await observeUnchanged(index, at))).toEqual([])
        }),
      ),
      { numRuns: 15 },
    )
  })
})

const GONE = 'https://gone.example/mcp'

/** Verdicts after a test. One agent is in every list: if it is not drawn, its verdict is withdrawn. */
const judgements = fc.uniqueArray(
  fc.record<AgentVerdict>({
    agent_url: fc.constantFrom('https://a.example/mcp', 'https://b.example/mcp', GONE),
    status: fc.constantFrom('passing', 'degraded', 'failing', 'unknown', 'opted_out'),
    lifecycle_stage: fc.constantFrom('production', 'testing'),
    headline: fc.constantFrom(null, 'All is well'),
    tracks: fc.constantFrom({}, { core: 'pass' }),
    storyboards_passing: fc.nat({ max: 3 }),
    storyboards_total: fc.constant(3),
    storyboards: fc.constant([]),
    streak_days: fc.nat({ max: 2 }),
    last_checked_at: fc.constantFrom(null, '2026-11-20T03:00:00.000Z'),
    badges: fc.uniqueArray(
      fc.record({
        role: fc.constantFrom(...badgeRoles),
        adcp_version: fc.constantFrom('3.0', '3.1'),
        verified_specialisms: fc.constantFrom([], ['signal-owned']),
      }),
      { selector: ({ role, adcp_version }) => `${role} ${adcp_version}`, maxLength: 3 },
    ),
  }),
  { selector: ({ agent_url }) => agent_url, maxLength: 3 },
)

/** Observes every file with a document as unchanged. */
async function observeUnchanged({ db }: MemoryIndex, at: number): Promise<Observation[]> {
  const known = await db.all<Source>(
    'select kind, location from crawl_state where hash is not null',
  )
  return known.map(({ kind, location }) => observeOutcome('unchanged', kind, location, at))
}

/** Tells whether the passing of time alone changes something until then. */
async function isChangeDue({ db }: MemoryIndex, at: number): Promise<boolean> {
  const times = await db.all<{ ms: number }>(
    `select +turns_at as ms from crawl_state where turns_at is not null
     union all select +wakes_at from wakes`,
  )
  return times.some(({ ms }) => ms <= at)
}
