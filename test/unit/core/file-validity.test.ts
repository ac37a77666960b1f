import { describe, expect, it, test } from 'vitest'
import { HOUR, type Instant } from '../../../pipeline/core/clock.ts'
import { getEffect, type Outcome, outcomeNames } from '../../../pipeline/core/outcomes.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const domain = 'acme.example'
const file = {
  properties: [
    {
      property_id: 'home',
      property_type: 'website',
      name: 'Acme',
      identifiers: [{ type: 'domain', value: domain }],
    },
  ],
  authorized_agents: [
    {
      url: 'https://sales.example',
      authorized_for: 'All',
      authorization_type: 'property_ids',
      property_ids: ['home'],
    },
  ],
}

/** File that is valid on any domain: its one property is an app. */
const app = { identifiers: [{ type: 'ios_bundle', value: 'example.acme' }] }
const inline = { ...file, properties: [{ ...file.properties[0], ...app }] }

const unreachable = outcomeNames.filter(name => getEffect(name) === 'unreachable')

let requests = 0
const buildRequest = () =>
  buildSubmission(`request ${requests}`, {
    op: 'crawl.request',
    scope: 'domain',
    crawl_request_id: `00000000-0000-7000-8000-${String(requests++).padStart(12, '0')}`,
    domain: domain as never,
    requested_by: 'Acme',
  })

/** Result of a crawl, or `tick`: only time passes, or `request`: a person requests a crawl. */
type Happening = 'other file' | 'without the entry' | 'tick' | 'request' | Outcome

function observeHappening(what: Happening, at: Instant): Observation {
  if (what === 'ok') return observeFile('adagents.json', domain, file, at)
  if (what === 'other file')
    return observeFile('adagents.json', domain, { ...file, catalog_etag: '2' }, at)
  if (what === 'without the entry') {
    return observeFile('adagents.json', domain, { ...file, authorized_agents: [] }, at)
  }
  return observeOutcome(what as Outcome, 'adagents.json', domain, at)
}

async function applyHappening(index: MemoryIndex, what: Happening, at: Instant): Promise<void> {
  if (what === 'tick') await index.commit([])
  else if (what === 'request') await index.commit({ submissions: [buildRequest()] })
  else await index.commit([observeHappening(what, at)])
}

/** Returns `property status, grants` after this history. */
async function findValidityAfter(...history: [days: number, hours: number, what: Happening][]) {
  const clock = testClock('2026-11-20T03:00Z')
  const start = clock.now()
  return withIndex(clock, async index => {
    for (const [days, hours, what] of history) {
      clock.tick({ ms: start + (days * 24 + hours) * HOUR - clock.now() })
      await applyHappening(index, what, clock.now())
    }
    return readValidity(index)
  })
}

async function readValidity({ db }: MemoryIndex): Promise<string> {
  const property = await db.one<{ status: string }>('select status from properties')
  const grants = await db.all('select id from authorizations')
  return `${property?.status ?? 'none'}, ${grants.length === 0 ? 'ended' : 'granted'}`
}

describe('the state after attempts to read a file', () => {
  test.each<[string, string, Parameters<typeof findValidityAfter>]>([
    ['200 and valid', 'active, granted', [[0, 0, 'ok']]],
    [
      'another valid one',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'other file'],
      ],
    ],
    [
      '304',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'unchanged'],
        [7, 23, 'tick'],
      ],
    ],
    [
      'no entry anymore',
      'active, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'without the entry'],
      ],
    ],
    [
      'one 404',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
      ],
    ],
    [
      'a 404, another soon',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 0.9, 'absent'],
      ],
    ],
    [
      'two 404 in 2 hours',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 2, 'absent'],
      ],
    ],
    [
      'three 404 in 2 hours',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 0.5, 'absent'],
        [1, 2, 'absent'],
      ],
    ],
    [
      'a timeout between two 404',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 1, 'timeout'],
        [1, 2, 'absent'],
      ],
    ],
    [
      'a timeout between two 404 in an hour',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 0.5, 'timeout'],
        [1, 0.9, 'absent'],
      ],
    ],
    [
      'a page between two 404',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 1, 'not_json'],
        [1, 2, 'absent'],
      ],
    ],
    [
      'the file between two 404',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 1, 'unchanged'],
        [1, 2, 'absent'],
      ],
    ],
    [
      'a 404, then a timeout',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 2, 'timeout'],
      ],
    ],
    [
      'a 404, then 304',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 2, 'unchanged'],
      ],
    ],
    [
      'two 404, then the file again',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'absent'],
        [1, 2, 'absent'],
        [2, 0, 'ok'],
      ],
    ],
    [
      'a 404 that was asked for',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'request'],
        [1, 0, 'absent'],
      ],
    ],
    [
      'a 404 after silence that was asked for',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'request'],
        [1, 0, 'timeout'],
        [1, 0.1, 'absent'],
      ],
    ],
    [
      'a 404 after a file that was asked for',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'request'],
        [1, 0, 'unchanged'],
        [2, 0, 'absent'],
      ],
    ],
    [
      'JSON that says nothing',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [0, 2, 'unusable'],
      ],
    ],
    [
      'that for a day',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [0, 2, 'unusable'],
        [1, 0, 'tick'],
      ],
    ],
    [
      'that for less',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [0, 2, 'unusable'],
        [0, 23.9, 'tick'],
      ],
    ],
    [
      'that after a day of silence',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [2, 0, 'unusable'],
      ],
    ],
    [
      'a web page',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
      ],
    ],
    [
      'two web pages',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
        [2, 0, 'not_json'],
      ],
    ],
    [
      'two web pages in seconds, though somebody requests crawls',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'request'],
        [1, 0, 'not_json'],
        [1, 0.002, 'request'],
        [1, 0.002, 'not_json'],
      ],
    ],
    [
      'web pages of several kinds for less than an hour',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
        [1, 0.5, 'too_large'],
        [1, 0.9, 'not_json'],
      ],
    ],
    [
      'three web pages in an hour',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
        [1, 0.5, 'not_json'],
        [1, 1, 'not_json'],
      ],
    ],
    [
      'a web page on either side of the file',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
        [1, 1, 'unchanged'],
        [1, 2, 'not_json'],
      ],
    ],
    [
      'one too large, twice',
      'stale, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'too_large'],
        [2, 0, 'too_large'],
      ],
    ],
    [
      'web pages for a week',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
        [2, 0, 'not_json'],
        [7, 0, 'tick'],
      ],
    ],
    [
      'a 500 between two web pages',
      'active, granted',
      [
        [0, 0, 'ok'],
        [1, 0, 'not_json'],
        [2, 0, 'server_error'],
        [3, 0, 'not_json'],
      ],
    ],
    [
      'silence for less than a week',
      'active, granted',
      [
        [0, 0, 'ok'],
        [6, 23.9, 'tick'],
      ],
    ],
    [
      'silence for a week',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [7, 0, 'tick'],
      ],
    ],
    [
      'silence, then an attempt',
      'stale, ended',
      [
        [0, 0, 'ok'],
        [8, 0, 'timeout'],
      ],
    ],
    [
      'silence, then the file',
      'active, granted',
      [
        [0, 0, 'ok'],
        [7, 0, 'tick'],
        [8, 0, 'ok'],
      ],
    ],
    [
      'no file ever',
      'none, ended',
      [
        [0, 0, 'absent'],
        [1, 0, 'absent'],
        [8, 0, 'tick'],
      ],
    ],
  ])('%s: %s', async (_, expected, history) => {
    expect(await findValidityAfter(...history)).toBe(expected)
  })

  it('lasts a week while a server fails, in whatever way', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      const commit = (seen: (location: string, outcome: Outcome) => Observation) =>
        index.commit(unreachable.map(outcome => seen(`${outcome}.example`, outcome)))
      await commit(location => observeFile('adagents.json', location, inline, clock.now()))
      for (let day = 1; day <= 7; day++) {
        const rows = await index.db.one('select count(*) as n from authorizations')
        expect(rows).toEqual({ n: unreachable.length })
        const at = clock.tick({ days: 1 })
        await commit((location, outcome) => observeOutcome(outcome, 'adagents.json', location, at))
      }
      expect(await index.db.all('select * from authorizations')).toEqual([])
    })
  })
})

/** Returns the state of the file after observations an hour apart, the first with validators. */
async function findStateAfter(...seen: [Outcome, Partial<Observation>?][]) {
  const clock = testClock('2026-11-20T03:00Z')
  return withIndex(clock, async index => {
    const validators = { etag: '"1"', last_modified: 'Fri, 20 Nov 2026 00:00:00 GMT' }
    await index.commit([{ ...observeHappening('ok', clock.now()), ...validators }])
    for (const [outcome, more] of seen) {
      const at = clock.tick({ hours: 1 })
      await index.commit([observeOutcome(outcome, 'adagents.json', domain, at, more)])
    }
    return (await index.db.one<Record<string, unknown>>('select * from crawl_state'))!
  })
}

describe('the validators of a file', () => {
  it('are kept by a 304 without any, and replaced by a 304 with others', async () => {
    expect(await findStateAfter(['unchanged'])).toMatchObject({ etag: '"1"' })
    expect(await findStateAfter(['unchanged', { etag: '"2"' }])).toMatchObject({
      etag: '"2"',
      last_modified: 'Fri, 20 Nov 2026 00:00:00 GMT',
    })
  })

  it('survive attempts without an answer', async () => {
    expect(await findStateAfter(['timeout'], ['server_error'])).toMatchObject({ etag: '"1"' })
  })

  it('are dropped after another answer, so that a 304 never confirms it', async () => {
    expect(await findStateAfter(['not_json'])).toMatchObject({ etag: null, last_modified: null })
  })
})

/** Returns `property status, grants` of a publisher whose file becomes a pointer to this location. */
async function findValidityBehind(pointer: string, ...answers: [hours: number, Outcome][]) {
  const clock = testClock('2026-11-20T03:00Z')
  return withIndex(clock, async index => {
    await applyHappening(index, 'ok', clock.now())
    clock.tick({ days: 1 })
    const start = clock.now()
    const pointing = { authoritative_location: pointer }
    await index.commit([observeFile('adagents.json', domain, pointing, start)])
    for (const [hours, outcome] of answers) {
      const at = clock.tick({ ms: start + hours * HOUR - clock.now() })
      await index.commit([
        observeOutcome('unchanged', 'adagents.json', domain, at),
        observeOutcome(outcome, 'adagents.json', pointer, at),
      ])
    }
    return readValidity(index)
  })
}

describe('a publisher whose file becomes a pointer', () => {
  const elsewhere = 'https://files.example/adagents.json'
  const days = (...outcomes: Outcome[]) =>
    outcomes.map((outcome, day) => [day * 24 + 1, outcome] as [number, Outcome])

  test.each<[string, string, Parameters<typeof findValidityBehind>]>([
    ['keeps what stands until somebody has looked there', 'active, granted', [elsewhere]],
    [
      'to itself has no file anymore',
      'stale, ended',
      [`https://${domain}/.well-known/adagents.json`],
    ],
    ['to no address has none either', 'stale, ended', ['http://files.example/adagents.json']],
    ['to nothing has lost it', 'stale, ended', [elsewhere, ...days('absent', 'absent')]],
    ['to one 404 may lose it', 'stale, granted', [elsewhere, ...days('absent')]],
    ['to pages may lose it', 'stale, granted', [elsewhere, ...days('not_json', 'not_json')]],
    ['to silence keeps it for now', 'active, granted', [elsewhere, ...days('timeout', 'timeout')]],
    [
      'to a week of silence has lost it',
      'stale, ended',
      [elsewhere, ...days(...Array.from({ length: 8 }, () => 'timeout' as const))],
    ],
  ])('%s: %s', async (_, expected, history) => {
    expect(await findValidityBehind(...history)).toBe(expected)
  })
})

describe('a shared file that becomes a pointer', () => {
  const quay = 'quay.example'
  const shared = {
    ...file,
    properties: [{ ...file.properties[0], publisher_domain: domain }],
  }
  const onward = { authoritative_location: 'https://else.example/adagents.json' }

  /** Returns the validity of a publisher that points there, some hours after the location was read. */
  async function findValidityUnder(location: string, hours: number, more: object = {}) {
    const clock = testClock('2026-11-20T03:00Z')
    return withIndex(clock, async index => {
      const seeing = (place: string, said: object) =>
        index.commit([observeFile('adagents.json', place, said, clock.now())])
      const address = location === quay ? `https://${quay}/.well-known/adagents.json` : location
      await seeing(domain, { authoritative_location: address })
      await seeing(location, shared)
      clock.tick({ ms: 1 })
      await seeing(location, { ...onward, ...more })
      clock.tick({ hours })
      await index.commit([])
      return readValidity(index)
    })
  }

  const places = [quay, 'https://files.example/adagents.json']

  test.each(places)(
    '%s is no answer: its properties become stale, its grants hold a day',
    async place => {
      expect(await findValidityUnder(place, 0)).toBe('stale, granted')
      expect(await findValidityUnder(place, 23)).toBe('stale, granted')
      expect(await findValidityUnder(place, 24)).toBe('stale, ended')
    },
  )

  test.each(places)('%s is no answer either when it also lists agents', async place => {
    const other = { ...shared, authorized_agents: [] }
    expect(await findValidityUnder(place, 1, other)).toBe('stale, granted')
  })

  test.each([
    ['keeps for a day what its own file said', 23, 'stale, granted'],
    ['has lost that after a day', 24, 'stale, ended'],
  ])('a publisher whose file becomes a pointer there %s', async (_, hours, expected) => {
    const clock = testClock('2026-11-20T03:00Z')
    const validities = await withIndex(clock, async index => {
      await index.commit([observeFile('adagents.json', quay, onward, clock.now())])
      await index.commit([observeFile('adagents.json', domain, file, clock.now())])
      clock.tick({ days: 2 })
      const pointing = { authoritative_location: `https://${quay}/.well-known/adagents.json` }
      await index.commit([observeFile('adagents.json', domain, pointing, clock.now())])
      clock.tick({ hours })
      await index.commit([observeOutcome('unchanged', 'adagents.json', quay, clock.now())])
      return readValidity(index)
    })
    expect(validities).toBe(expected)
  })
})
