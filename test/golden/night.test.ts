import { describe, expect, it } from 'vitest'
import type { KnownVerdicts } from '../../pipeline/accounts/agents/verdicts.ts'
import type { Instant } from '../../pipeline/core/clock.ts'
import { toIso } from '../../pipeline/core/clock.ts'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import type { AgentVerdict, ShownBadge } from '../../pipeline/model/agent-verdict.ts'
import type { Observation, Source } from '../../pipeline/model/observation.ts'
import { listBrokenKeys } from '../support/checks/declared-keys.ts'
import { expectGolden } from '../support/checks/golden.ts'
import { type Contents, type Row, readContents } from '../support/checks/table-contents.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import { buildSubmission } from '../support/fixtures/submissions.ts'
import { type MemoryIndex, withIndex } from '../support/registry/memory-index.ts'
import { testClock } from '../support/worlds/clock.ts'
import {
  buildSimplePublisher,
  harbourPublisher,
  harbourPublisherWithoutTags,
  harbourPublisherWithoutTides,
  harbourWebsite,
  isleAdsTxt,
  lanternHouse,
  reefPublisherWithDeepDives,
  reefPublisherWithoutAlmanac,
  shoreFiles,
} from '../support/worlds/shore-files.ts'

type Found = object | string | Outcome | undefined

interface Step {
  title: string
  after: { days?: number; hours?: number }
  /**
   * Files that differ from the night before; undefined ones are not fetched. Without any file, only time
   * passes.
   */
  brands?: Record<string, Found>
  publishers?: Record<string, Found>
  /** Contents of ads.txt, which is read if a publisher has no adagents.json. */
  adsTxt?: Record<string, Found>
  /** Verdicts of agents; an undefined one withdraws the verdict. */
  verdicts?: Record<string, Partial<AgentVerdict> | undefined>
}

const html = '<!doctype html><title>Parked</title>'
const quietly = (files: object): Record<string, Outcome> =>
  Object.fromEntries(Object.keys(files).map(name => [name, 'unchanged']))
const calm = {
  brands: quietly(shoreFiles['brand.json']),
  publishers: { ...quietly(shoreFiles['adagents.json']), 'isle.example': 'absent' as const },
  adsTxt: { 'isle.example': 'unchanged' as const },
}
const otherHome = {
  ...harbourWebsite,
  name: 'Harbour News',
  identifiers: [...harbourWebsite.identifiers],
}

const TESTED = 'https://ids.example/mcp'
const FAILING = 'https://ebb.example/mcp'
const mediaBuyBadge: ShownBadge = {
  role: 'media-buy',
  adcp_version: '3.0',
  verified_specialisms: ['sales-non-guaranteed'],
}
const signalsBadge: ShownBadge = {
  role: 'signals',
  adcp_version: '3.0',
  verified_specialisms: ['signal-owned'],
}

const steps: Step[] = [
  {
    title: 'night 1: everything is new',
    after: {},
    brands: shoreFiles['brand.json'],
    publishers: { ...shoreFiles['adagents.json'], 'isle.example': 'absent' },
    adsTxt: { 'isle.example': isleAdsTxt },
    verdicts: {
      [TESTED]: {
        status: 'passing',
        headline: '9 of 9 storyboards pass',
        tracks: { core: 'pass', products: 'pass' },
        storyboards_passing: 9,
        storyboards_total: 9,
        badges: [mediaBuyBadge, signalsBadge],
      },
      [FAILING]: { status: 'failing', storyboards_total: 4 },
    },
  },
  {
    title: 'night 2: an agent is removed; a page instead of a file; silence; candle is let go',
    after: { days: 1 },
    ...calm,
    brands: { ...calm.brands, 'lantern.example': { ...lanternHouse, brand_refs: [] } },
    publishers: {
      ...calm.publishers,
      'harbour.example': harbourPublisherWithoutTags,
      'gull.example': html,
      'reef.example': reefPublisherWithoutAlmanac,
      'storm.example': 'server_error',
    },
    verdicts: {
      [TESTED]: { status: 'degraded', tracks: { core: 'partial' }, badges: [mediaBuyBadge] },
      [FAILING]: { status: 'failing', headline: 'No change that is an event' },
    },
  },
  {
    title: 'night 3: a property is gone; a 404; a page again; the manager fails',
    after: { days: 1 },
    ...calm,
    publishers: {
      ...calm.publishers,
      'harbour.example': harbourPublisherWithoutTides,
      'buoy.example': 'absent',
      'gull.example': html,
      'storm.example': 'timeout',
      'quay.example': 'denied',
    },
  },
  {
    title: 'two hours later: the 404 is confirmed',
    after: { hours: 2 },
    verdicts: {
      [TESTED]: { status: 'opted_out', badges: [] },
      [FAILING]: { status: 'passing', badges: [mediaBuyBadge] },
    },
    publishers: { 'buoy.example': 'absent' },
  },
  {
    title: 'night 4: the property is back under another name; the manager drops pier',
    after: { hours: 22 },
    ...calm,
    publishers: {
      ...calm.publishers,
      'harbour.example': {
        ...harbourPublisher,
        properties: [otherHome, harbourPublisher.properties[1]],
      },
      'reef.example': reefPublisherWithDeepDives,
      'quay.example': {
        ...shoreFiles['adagents.json']['quay.example'],
        revoked_publisher_domains: [
          { publisher_domain: 'pier.example', revoked_at: '2026-11-22T00:00:00Z', reason: 'other' },
        ],
      },
      'buoy.example': 'absent',
      'gull.example': shoreFiles['adagents.json']['gull.example'],
      'storm.example': 'dns_failed',
    },
  },
  {
    title: 'a week after night 1: storm ends, nobody else',
    after: { days: 4 },
    verdicts: { [FAILING]: undefined },
  },
  {
    title:
      'the night after: buoy and storm are back; isle has a file; pier is not disowned anymore',
    after: { days: 1 },
    ...calm,
    publishers: {
      ...calm.publishers,
      'quay.example': shoreFiles['adagents.json']['quay.example'],
      'buoy.example': shoreFiles['adagents.json']['buoy.example'],
      'isle.example': buildSimplePublisher('isle.example'),
      'storm.example': 'unchanged',
    },
  },
  { title: 'a week after pier was revoked: it is back by itself', after: { days: 2 } },
]

/** Columns that a better parser would change, and commit numbers. */
const incidental = ['seq', 'hash', 'faults', 'fault_count']

const outcomes = ['unchanged', 'server_error', 'absent', 'timeout', 'denied', 'dns_failed']

function observeStep(step: Step, at: Instant): Observation[] {
  const of = (kind: Source['kind'], files: Record<string, Found> = {}) =>
    Object.entries(files).map(([location, found]) =>
      outcomes.includes(found as string)
        ? observeOutcome(found as Outcome, kind, location, at)
        : observeFile(kind, location, found!, at),
    )
  return [
    ...of('brand.json', step.brands),
    ...of('adagents.json', step.publishers),
    ...of('ads.txt', step.adsTxt),
  ]
}

function judge(verdicts: NonNullable<Step['verdicts']>, at: Instant): KnownVerdicts {
  const unjudged: Omit<AgentVerdict, 'agent_url' | 'last_checked_at'> = {
    status: 'unknown',
    lifecycle_stage: 'production',
    headline: null,
    tracks: {},
    storyboards_passing: 0,
    storyboards_total: 0,
    storyboards: [],
    streak_days: 0,
    badges: [],
  }
  return {
    agents: Object.keys(verdicts),
    verdicts: Object.entries(verdicts).flatMap(([agent_url, verdict]) =>
      verdict ? [{ ...unjudged, agent_url, last_checked_at: toIso(at), ...verdict }] : [],
    ),
    histories: new Map([
      [TESTED, { generation: 1, losses: { 'signals 3.0': 'role_not_declared' } }],
    ]),
  }
}

const hosts = [
  ...Object.keys(shoreFiles['brand.json']),
  ...Object.keys(shoreFiles['adagents.json']),
  'isle.example',
]
const addedDomains = buildSubmission('given', {
  op: 'domains.add',
  domains: hosts.filter(host => !host.includes('://')) as never,
  again: false,
})

async function runSteps(index: MemoryIndex, clock: ReturnType<typeof testClock>) {
  const nights: { title: string; at: string; contents: Contents; events: number }[] = []
  await index.commit({ submissions: [addedDomains] })
  for (const step of steps) {
    const at = clock.tick(step.after)
    const events = await index.commit({
      observations: observeStep(step, at),
      ...(step.verdicts && { verdicts: judge(step.verdicts, at) }),
    })
    const published = await index.publish()
    expect([step.title, await listBrokenKeys(published)]).toEqual([step.title, []])
    published.close()
    const contents = await readContents(index.db, incidental)
    nights.push({ title: step.title, at: toIso(at), contents, events: events.length })
  }
  return nights
}

/** Formats a row as a line of JSON, without empty values. */
function formatLine(row: Row): string {
  const said = Object.entries(row).filter(([, value]) => value !== null)
  return JSON.stringify(Object.fromEntries(said))
}

function formatTables(contents: Contents): string {
  const { events: _, ...tables } = contents
  return Object.entries(tables)
    .map(([name, rows]) => `## ${name}\n${rows.map(formatLine).join('\n')}\n`)
    .join('\n')
}

function formatEvent({ event_type, entity_id, payload }: Row): string {
  return `${event_type} ${entity_id}\n    ${formatLine(payload as Row)}`
}

describe('a small internet over four nights and a week', () => {
  it('produces the reviewed events and tables', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    const nights = await withIndex(clock, index => runSteps(index, clock))
    const feed = nights.map(({ title, at, contents, events }) => {
      const lines = contents.events.slice(contents.events.length - events).map(formatEvent)
      return `# ${title}\n# ${at}, ${events} events\n${lines.join('\n')}\n`
    })
    expectGolden('night/events.txt', feed.join('\n'))
    expectGolden('night/tables-night-1.txt', formatTables(nights[0]!.contents))
    expectGolden('night/tables-in-the-end.txt', formatTables(nights.at(-1)!.contents))
  })
})
