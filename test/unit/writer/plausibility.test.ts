import { describe, expect, it, test } from 'vitest'
import { HOUR, type Instant, toIso } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { FileKind, Observation } from '../../../pipeline/model/observation.ts'
import { readContents } from '../../support/checks/table-contents.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const domain = 'acme.example'
const start = '2026-11-20T03:00Z'

/**
 * Builds a file with an agent, by which it can be told from the others, and the time at which it was
 * written.
 */
const file = (agent: string, last_updated?: string) => ({
  properties: [
    {
      property_id: 'home',
      property_type: 'website',
      name: domain,
      identifiers: [{ type: 'domain', value: domain }],
      publisher_domain: domain,
    },
  ],
  authorized_agents: [
    {
      url: `https://${agent}.example`,
      authorized_for: 'All',
      authorization_type: 'property_ids',
      property_ids: ['home'],
    },
  ],
  ...(last_updated && { last_updated }),
})
const toLocation = (name: string) => `https://${name}.example/adagents.json`
const pointer = (name: string, last_updated?: string) => ({
  authoritative_location: toLocation(name),
  ...(last_updated && { last_updated }),
})

/** File or outcome that is read; or `request`: a person requests a crawl; or `tick`: only time passes. */
type Happening = object | Outcome | 'request' | 'tick'
type Step = [hours: number, what: Happening]

const outcomes: unknown[] = [
  'unchanged',
  'absent',
  'timeout',
  'server_error',
  'not_json',
  'unusable',
]

function observeHappening(
  what: Happening,
  at: Instant,
  kind: FileKind = 'adagents.json',
): Observation {
  return outcomes.includes(what)
    ? observeOutcome(what as Outcome, kind, domain, at)
    : { ...observeFile(kind, domain, what as object, at), etag: `"${at}"` }
}

/** Observes the targets of pointers, each with an agent of its name. */
const targets = (at: Instant) =>
  ['one', 'two', 'three'].map(name =>
    observeFile('adagents.json', toLocation(name), file(name), at),
  )

async function applyHappening(index: MemoryIndex, what: Happening, at: Instant): Promise<void> {
  if (what === 'tick') await index.commit([])
  else if (what !== 'request') await index.commit([observeHappening(what, at), ...targets(at)])
  else {
    const operation = {
      op: 'crawl.request',
      scope: 'domain',
      domain: domain as never,
      requested_by: 'Acme',
      crawl_request_id: '00000000-0000-7000-8000-000000000000',
    } as const
    await index.commit({ submissions: [buildSubmission(`request ${at}`, operation)] })
  }
}

/** Runs steps, and returns who can sell after each and what is held. */
async function runStory(...steps: Step[]): Promise<string[]> {
  const clock = testClock(start)
  const begin = clock.now()
  return withIndex(clock, async index => {
    const states: string[] = []
    for (const [hours, what] of steps) {
      const at = clock.tick({ ms: begin + hours * HOUR - clock.now() })
      await applyHappening(index, what, at)
      states.push(await describeState(index))
    }
    return states
  })
}

async function describeState({ db }: MemoryIndex): Promise<string> {
  const agents = await db.all<{ agent_url: string }>(
    `select agent_url from authorizations where publisher_domain = '${domain}' order by 1`,
  )
  const held = await db.one<{ reason: string }>('select reason from held_documents')
  const names = agents.map(({ agent_url }) => new URL(agent_url).hostname.split('.')[0])
  return `${names.join() || 'nobody'}${held ? `, ${held.reason}` : ''}`
}

describe('a file with an older date than the current one', () => {
  const [monday, tuesday] = ['2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z']

  test.each<[string, string[], Step[]]>([
    [
      'is not adopted',
      ['new', 'new, older', 'new, older'],
      [
        [0, file('new', tuesday)],
        [24, file('old', monday)],
        [48, file('old', monday)],
      ],
    ],
    [
      'is not adopted when a person asks either',
      ['new', 'new', 'new, older'],
      [
        [0, file('new', tuesday)],
        [24, 'request'],
        [24, file('old', monday)],
      ],
    ],
    [
      'is forgotten when the new one is back',
      ['new', 'new, older', 'new'],
      [
        [0, file('new', tuesday)],
        [24, file('old', monday)],
        [48, 'unchanged'],
      ],
    ],
    [
      'is forgotten when a newer one comes',
      ['new', 'new, older', 'newer'],
      [
        [0, file('new', tuesday)],
        [24, file('old', monday)],
        [48, file('newer', '2026-11-22T00:00:00Z')],
      ],
    ],
    [
      'is forgotten when there is no file at all',
      ['new', 'new, older', 'new'],
      [
        [0, file('new', tuesday)],
        [24, file('old', monday)],
        [48, 'absent'],
      ],
    ],
    [
      'is as good as silence: after a week nobody can sell',
      ['new', 'new, older', 'nobody, older'],
      [
        [0, file('new', tuesday)],
        [6 * 24, file('old', monday)],
        [7 * 24, 'tick'],
      ],
    ],
    [
      'is believed once nothing stands that it could undo',
      ['new', 'new, older', 'nobody, older', 'old'],
      [
        [0, file('new', tuesday)],
        [6 * 24, file('old', monday)],
        [7 * 24, 'tick'],
        [8 * 24, file('old', monday)],
      ],
    ],
    [
      'by a minute is not older',
      ['new', 'old'],
      [
        [0, file('new', tuesday)],
        [24, file('old', '2026-11-16T23:59:00Z')],
      ],
    ],
    [
      'by more than a minute is',
      ['new', 'new, older'],
      [
        [0, file('new', tuesday)],
        [24, file('old', '2026-11-16T23:58:59Z')],
      ],
    ],
    [
      'than a time that lay ahead is not older than when that was read',
      ['new', 'fixed', 'fixed, older'],
      [
        [0, file('new', '2099-01-01T00:00:00Z')],
        [24, file('fixed', '2026-11-20T12:00:00Z')],
        [48, file('old', monday)],
      ],
    ],
    [
      'than one that does not say is adopted',
      ['new', 'old'],
      [
        [0, file('new')],
        [24, file('old', monday)],
      ],
    ],
    [
      'than one that says is adopted when it does not say',
      ['new', 'old'],
      [
        [0, file('new', tuesday)],
        [24, file('old')],
      ],
    ],
    [
      'and leads elsewhere is still older a day later',
      ['one', 'one, older', 'one, older'],
      [
        [0, pointer('one', tuesday)],
        [24, pointer('two', monday)],
        [49, pointer('two', monday)],
      ],
    ],
  ])('%s', async (_, expected, steps) => {
    expect(await runStory(...steps)).toEqual(expected)
  })

  it('is never one with the same bytes', async () => {
    const same = file('new', '2020-01-01T00:00:00Z')
    expect(await runStory([0, same], [24, same])).toEqual(['new', 'new'])
  })

  it('counts as a failed answer, and its faults give the reason', async () => {
    const clock = testClock(start)
    await withIndex(clock, async index => {
      await applyHappening(index, file('new', tuesday), clock.now())
      clock.tick({ days: 1 })
      await applyHappening(index, file('old', monday), clock.now())
      const state = await index.db.one(
        `select outcome, failures, etag, d.hash = s.hash as "is_kept [boolean]" from crawl_state s
         join documents d using (kind, location) where location = '${domain}'`,
      )
      expect(state).toEqual({
        outcome: 'held',
        failures: 1,
        is_kept: true,
        etag: `"${Date.parse(start)}"`,
      })
      expect(await index.db.one('select faults from held_documents')).toEqual({
        faults: [
          {
            field: 'last_updated',
            code: 'held_back',
            severity: 'error',
            message: `is ${monday}, older than ${tuesday} of the previous file, which still counts`,
          },
          ...observeFile('adagents.json', domain, file('old', monday), clock.now()).faults!,
        ],
      })
    })
  })

  it('may be a brand.json too', async () => {
    const brand = (name: string, last_updated: string) => ({
      id: 'acme',
      names: [{ en: name }],
      last_updated,
      properties: [{ type: 'website', identifier: domain }],
    })
    const clock = testClock(start)
    await withIndex(clock, async index => {
      await index.commit([observeHappening(brand('New', tuesday), clock.now(), 'brand.json')])
      clock.tick({ days: 1 })
      await index.commit([observeHappening(brand('Old', monday), clock.now(), 'brand.json')])
      expect(await index.db.all('select brand_name from brands')).toEqual([{ brand_name: 'New' }])
    })
  })
})

describe('a pointer that leads elsewhere than before', () => {
  test.each<[string, string[], Step[]]>([
    [
      'is followed a day later',
      ['one', 'one, moved', 'one, moved', 'two'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [47.9, pointer('two')],
        [48, pointer('two')],
      ],
    ],
    [
      'is followed a day later, not by time alone',
      ['one', 'one, moved', 'one, moved'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [60, 'tick'],
      ],
    ],
    [
      'is followed at once when a person asked',
      ['one', 'one', 'two'],
      [
        [0, pointer('one')],
        [24, 'request'],
        [24, pointer('two')],
      ],
    ],
    [
      'is followed when a person asks meanwhile',
      ['one', 'one, moved', 'one, moved', 'two'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [25, 'request'],
        [25, pointer('two')],
      ],
    ],
    [
      'is followed a day later whatever else of its bytes changes',
      ['one', 'one, moved', 'two'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [48, pointer('two', '2026-11-22T00:00:00Z')],
      ],
    ],
    [
      'is followed although nobody answered meanwhile',
      ['one', 'one, moved', 'one, moved', 'two'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [36, 'timeout'],
        [48, pointer('two')],
      ],
    ],
    [
      'has to wait again after the old one was back',
      ['one', 'one, moved', 'one', 'one, moved', 'two'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [36, 'unchanged'],
        [48, pointer('two')],
        [72, pointer('two')],
      ],
    ],
    [
      'has to wait again after the file was gone',
      ['one', 'one, moved', 'one', 'one, moved'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [36, 'absent'],
        [48, pointer('two')],
      ],
    ],
    [
      'has to wait a day for each place',
      ['one', 'one, moved', 'one, moved', 'one, moved', 'three'],
      [
        [0, pointer('one')],
        [24, pointer('two')],
        [40, pointer('three')],
        [50, pointer('three')],
        [64, pointer('three')],
      ],
    ],
    [
      'leads nowhere else when only its bytes differ',
      ['one', 'one'],
      [
        [0, pointer('one')],
        [24, pointer('one', '2026-11-20T00:00:00Z')],
      ],
    ],
    [
      'is not one when the file itself comes in its place',
      ['one', 'acme'],
      [
        [0, pointer('one')],
        [24, file('acme')],
      ],
    ],
    [
      'is not one when it comes in the place of a file',
      ['acme', 'one'],
      [
        [0, file('acme')],
        [24, pointer('one')],
      ],
    ],
  ])('%s', async (_, expected, steps) => {
    expect(await runStory(...steps)).toEqual(expected)
  })

  it('is fetched again when it may be accepted, with the current content to compare', async () => {
    const clock = testClock(start)
    await withIndex(clock, async index => {
      await applyHappening(index, pointer('one'), clock.now())
      const observedAt = clock.tick({ days: 1 })
      await applyHappening(index, pointer('two'), observedAt)
      expect(
        await index.db.one(
          `select due_at, etag, d.document->>'authoritative_location' as leads_to
           from crawl_state join documents d using (kind, location) where location = '${domain}'`,
        ),
      ).toEqual({
        due_at: toIso(observedAt + 24 * HOUR),
        etag: `"${Date.parse(start)}"`,
        leads_to: toLocation('one'),
      })
    })
  })
})

describe('a held pointer', () => {
  const nights: [object, Outcome | object][] = [
    [pointer('one'), pointer('two')],
    [file('new', '2026-11-17T00:00:00Z'), file('old', '2026-11-16T00:00:00Z')],
  ]

  test.each(nights)(
    'is held once when a night is delivered twice, or late',
    async (first, doubtful) => {
      const outcome = async (times: number) => {
        const clock = testClock(start)
        return withIndex(clock, async index => {
          const batches = [
            observeHappening(first, clock.now()),
            observeHappening(doubtful, clock.tick({ days: 1 })),
          ]
          const late = { ...observeHappening(doubtful, clock.now() - HOUR), after_seq: 0 }
          const others = targets(clock.now())
          for (const batch of batches) {
            for (let n = 0; n < times; n++) await index.commit([batch, ...others])
          }
          if (times > 1) await index.commit([late, batches[1]!, batches[0]!])
          const { events, ...tables } = await readContents(index.db, ['seq'])
          return { ...tables, events: events.length }
        })
      }
      expect(await outcome(3)).toEqual(await outcome(1))
    },
  )

  it('survives a restart, and all stores agree on it', async () => {
    const clock = testClock(start)
    const dataDir = createDataDir()
    const night = async (what: Happening, clock: TestClock) => {
      const registry = await openSequencer({ clock, dataDir })
      const at = clock.now()
      await registry.commit({
        observations: [observeHappening(what, at), ...targets(at)],
        submissions: [],
      })
      const wrong = await verify(registry)
      const agents = await registry.index.all<{ agent_url: string }>(
        `select agent_url from authorizations where publisher_domain = '${domain}'`,
      )
      await registry.close()
      return [...agents.map(({ agent_url }) => agent_url), ...wrong]
    }
    const states: string[][] = []
    for (const what of [pointer('one'), pointer('two'), pointer('two')]) {
      states.push(await night(what, clock))
      clock.tick({ days: 1 })
    }
    expect(states).toEqual([
      ['https://one.example'],
      ['https://one.example'],
      ['https://two.example'],
    ])
  })
})
