import { describe, expect, it, test } from 'vitest'
import { HOUR, type Instant } from '../../../pipeline/core/clock.ts'
import { missingOutcomes, type Outcome, outcomeNames } from '../../../pipeline/core/outcomes.ts'
import type { Observation, Source } from '../../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const publisher = 'harbour.example'
const manager = 'quay.example'
const files = 'https://files.example/adagents.json'
const adsTxt = `managerdomain=${manager}`

const site = (domain: string, more: object = {}) => ({
  property_type: 'website',
  name: domain,
  property_id: 'home',
  tags: ['news'],
  identifiers: [{ type: 'domain', value: domain }],
  publisher_domain: domain,
  ...more,
})
const app = (publisher_domain?: string) => ({
  property_type: 'mobile_app',
  name: 'App',
  property_id: 'app',
  tags: ['apps'],
  identifiers: [{ type: 'ios_bundle', value: 'example.app' }],
  ...(publisher_domain && { publisher_domain }),
})
const entry = (authorization_type: string, more: object) => ({
  url: 'https://sales.example',
  authorized_for: 'All',
  authorization_type,
  ...more,
})
const all = (...publisher_domains: string[]) =>
  entry('publisher_properties', {
    publisher_properties: [{ publisher_domains, selection_type: 'all' }],
  })
const buildFile = (properties: object[], ...authorized_agents: object[]) => ({
  properties,
  authorized_agents,
})
/** The manager's file: its own site and the publisher's. */
const managing = buildFile([site(manager), site(publisher)], all(manager, publisher))
const ownFile = buildFile([site(publisher)], all(publisher))

type Found = object | string | Outcome
type Web = Record<string, Found>

const kinds: Record<string, Source['kind']> = { ads: 'ads.txt', other: 'adagents.json' }

function observeWeb(web: Web, at: Instant): Observation[] {
  return Object.entries(web).map(([place, found]) => {
    const [name, location] = place.includes(' ') ? place.split(' ') : ['other', place]
    const kind = kinds[name!]!
    return (outcomeNames as unknown[]).includes(found)
      ? observeOutcome(found as Outcome, kind, location!, at)
      : observeFile(kind, location!, found, at)
  })
}

async function describeState({ db }: MemoryIndex): Promise<string> {
  const row = await db.one<{ how: string; valid: boolean; manager: string | null }>(
    `select discovery_method as how, valid, manager_domain as manager from publishers
     where domain = '${publisher}'`,
  )
  if (row === undefined) return 'unknown'
  const counts = await db.one<{ active: number; grants: number }>(
    `select (select count(*) from properties
       where publisher_domain = '${publisher}' and status = 'active') as active,
       (select count(*) from authorizations where publisher_domain = '${publisher}') as grants`,
  )
  const by = row.manager === null ? '' : ` by ${row.manager}`
  return `${row.valid ? row.how : 'invalid'}${by}: ${counts!.active}, ${counts!.grants}`
}

/** Runs steps, hours after the first, and describes the publisher after each. */
async function runStory(...steps: [hours: number, web: Web | 'tick'][]): Promise<string[]> {
  const clock = testClock('2026-11-20T03:00Z')
  const start = clock.now()
  return withIndex(clock, async index => {
    const states: string[] = []
    for (const [hours, web] of steps) {
      const at = clock.tick({ ms: start + hours * HOUR - clock.now() })
      await index.commit(web === 'tick' ? [] : observeWeb(web, at))
      states.push(await describeState(index))
    }
    return states
  })
}

const managed = `ads_txt_managerdomain by ${manager}: 1, 1`
const lost = `invalid by ${manager}: 0, 0`
/** Everything of the first night, the publisher's own file answering this way. */
const night = (own: Found, more: Web = {}): Web => ({
  [publisher]: own,
  [`ads ${publisher}`]: adsTxt,
  [manager]: managing,
  ...more,
})

describe('a domain whose ads.txt names a manager', () => {
  test.each(missingOutcomes)('has the manager’s answer when its own file is %s', async own => {
    expect(await runStory([0, night(own)])).toEqual([managed])
  })

  test.each(outcomeNames.filter(name => !(missingOutcomes as readonly string[]).includes(name)))(
    'is not when the file never answered anything but %s',
    async own => {
      expect(await runStory([0, night(own)])).toEqual(['unknown'])
    },
  )

  it('waits until the manager’s file was read, which is fetched next', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      const web = { [publisher]: 'absent', [`ads ${publisher}`]: adsTxt }
      await index.commit(observeWeb(web, clock.now()))
      expect(await describeState(index)).toBe('unknown')
      expect(
        await index.db.all(`select location from crawl_state where attempted_at is null`),
      ).toEqual([{ location: manager }])
      await index.commit(observeWeb({ [manager]: managing }, clock.now()))
      expect(await describeState(index)).toBe(managed)
    })
  })

  it('is resolved whichever of the three answers comes last', async () => {
    const parts = Object.entries(night('absent'))
    for (const order of [
      [0, 1, 2],
      [1, 0, 2],
      [1, 2, 0],
      [2, 1, 0],
    ]) {
      const steps = order.map((part, hour): [number, Web] => [
        hour,
        Object.fromEntries([parts[part]!]),
      ])
      expect((await runStory(...steps)).at(-1)).toBe(managed)
    }
  })

  it('is marked as such in the feed and in every grant', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      const events = await index.commit(observeWeb(night('absent'), clock.now()))
      const theirs = events.filter(({ payload }) => 'discovery_method' in payload)
      expect(
        theirs
          .filter(
            ({ payload }) => (payload as Record<string, unknown>).publisher_domain === publisher,
          )
          .map(({ event_type, payload }) => [event_type, payload]),
      ).toEqual(
        ['publisher.adagents_discovered', 'authorization.granted'].map(type => [
          type,
          expect.objectContaining({
            discovery_method: 'ads_txt_managerdomain',
            manager_domain: manager,
          }),
        ]),
      )
    })
  })

  test.each<[string, string]>([
    ['itself', `managerdomain=${publisher}`],
    ['nobody for agents', `${adsTxt} # noagents`],
    ['nobody', 'exchange.example, 1, DIRECT'],
  ])('has no file when it names %s', async (_, text) => {
    expect(await runStory([0, night('absent', { [`ads ${publisher}`]: text })])).toEqual([
      'unknown',
    ])
  })

  test.each<[string, string, object]>([
    ['a selector that names it', managed, managing],
    [
      'a property of its own that an id reaches',
      managed,
      buildFile([site(publisher)], entry('property_ids', { property_ids: ['home'] })),
    ],
    [
      'a property of its own that a tag reaches',
      managed,
      buildFile([site(publisher)], entry('property_tags', { property_tags: ['news'] })),
    ],
    [
      'an inline property that names it',
      managed,
      buildFile([], entry('inline_properties', { properties: [site(publisher)] })),
    ],
    [
      'a collection of its own',
      `ads_txt_managerdomain by ${manager}: 1, 0`,
      buildFile(
        [site(publisher)],
        entry('signal_ids', {
          signal_ids: ['boats'],
          collections: [{ publisher_domain: publisher, collection_ids: ['c'] }],
        }),
      ),
    ],
    ['others only', 'unknown', buildFile([site(manager)], all(manager, 'pier.example'))],
    [
      'a property of its own that no entry reaches',
      'unknown',
      buildFile([site(publisher)], entry('property_ids', { property_ids: ['other'] })),
    ],
    [
      'a tag that no property carries',
      'unknown',
      buildFile([site(publisher)], entry('property_tags', { property_tags: ['sport'] })),
    ],
    [
      'a property that names nobody',
      'unknown',
      buildFile([app()], entry('property_ids', { property_ids: ['app'] })),
    ],
    [
      'an inline property that names nobody',
      'unknown',
      buildFile([], entry('inline_properties', { properties: [app()] })),
    ],
    [
      'it in an entry of no known type',
      'unknown',
      buildFile([site(publisher)], { ...all(publisher), authorization_type: 'everything' }),
    ],
    [
      'it, and revokes it',
      'unknown',
      {
        ...managing,
        revoked_publisher_domains: [
          { publisher_domain: publisher, revoked_at: '2026-11-19T00:00:00Z' },
        ],
      },
    ],
    [
      'what belongs to nobody too, which stays the manager’s',
      managed,
      buildFile(
        [app(), app(manager), site(publisher)],
        all(publisher, manager),
        entry('property_ids', { property_ids: ['app'] }),
      ),
    ],
  ])('is what the manager says when its file names %s', async (_, expected, file) => {
    expect(await runStory([0, night('absent', { [manager]: file })])).toEqual([expected])
  })

  test.each<[string, string, Web]>([
    [
      'is followed once',
      managed,
      { [manager]: { authoritative_location: files }, [files]: managing },
    ],
    [
      'is not followed twice',
      'unknown',
      {
        [manager]: { authoritative_location: 'https://pier.example/.well-known/adagents.json' },
        'pier.example': { authoritative_location: files },
        [files]: managing,
      },
    ],
    [
      'back to the publisher leads nowhere',
      'unknown',
      { [manager]: { authoritative_location: `https://${publisher}/.well-known/adagents.json` } },
    ],
    [
      'to itself leads nowhere',
      'unknown',
      { [manager]: { authoritative_location: `https://${manager}/.well-known/adagents.json` } },
    ],
    [
      'that fails leads nowhere',
      'unknown',
      { [manager]: { authoritative_location: files }, [files]: 'absent' },
    ],
  ])('follows the manager’s own pointer: %s', async (_, expected, web) => {
    expect(await runStory([0, night('absent', web)])).toEqual([expected])
  })

  it('has no file when the manager has none, even if the manager’s ads.txt names another', async () => {
    const web = { [manager]: 'absent', [`ads ${manager}`]: 'managerdomain=pier.example' }
    const other = buildFile([site(publisher), site(manager)], all(publisher, manager))
    const states = await runStory([0, night('absent', { ...web, 'pier.example': other })])
    expect(states).toEqual(['unknown'])
  })

  test.each<[string, string, string]>([
    [
      'a top-level domain of another script',
      'managerdomain=менеджер.рф',
      'xn--d1ababe6ai2a.xn--p1ai',
    ],
    ['a name with umlauts', 'managerdomain=BÜCHER.example', 'xn--bcher-kva.example'],
    ['a trailing dot', 'managerdomain=quay.example.', manager],
  ])('is found with %s', async (_, text, host) => {
    const written = text.replace('managerdomain=', '')
    const own = site('ПРИМЕР.рф', { identifiers: [{ type: 'domain', value: 'пример.рф.' }] })
    const file = buildFile([{ ...own, publisher_domain: 'Пример.РФ.' }], all('пример.рф', written))
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      const domain = 'xn--e1afmkfd.xn--p1ai'
      const web = { [domain]: 'absent', [`ads ${domain}`]: text, [host]: file }
      await index.commit(observeWeb(web, clock.now()))
      expect(
        await index.db.all(
          `select domain, manager_domain, property_count, agent_count from publishers
           where domain = '${domain}'`,
        ),
      ).toEqual([{ domain, manager_domain: host, property_count: 1, agent_count: 1 }])
    })
  })
})

describe('over the nights, a managed publisher', () => {
  it('follows the file of its manager', async () => {
    const none = buildFile([site(manager)], all(manager))
    const states = await runStory(
      [0, night('absent')],
      [24, { [manager]: none }],
      [48, { [manager]: managing }],
    )
    expect(states).toEqual([managed, lost, managed])
  })

  const revoking = {
    revoked_publisher_domains: [
      { publisher_domain: publisher, revoked_at: '2026-11-20T00:00:00Z' },
    ],
  }

  test.each<[string, object]>([
    ['names it', { ...managing, ...revoking }],
    ['names it no more', { ...buildFile([site(manager)], all(manager)), ...revoking }],
  ])('is revoked by a manager that %s, for a week from then', async (_, file) => {
    const states = await runStory(
      [0, night('absent')],
      [24, { [manager]: file }],
      [48, { [manager]: managing, [publisher]: 'absent', [`ads ${publisher}`]: 'unchanged' }],
      [24 * 8 - 0.1, 'tick'],
      [24 * 8, 'tick'],
    )
    expect(states).toEqual([managed, lost, lost, lost, managed])
    const clock = testClock('2026-11-20T03:00Z')
    await withIndex(clock, async index => {
      await index.commit(observeWeb(night('absent'), clock.now()))
      await index.commit(observeWeb({ [manager]: file }, clock.tick({ days: 1 })))
      const reason = `select stale_reason from properties where publisher_domain = '${publisher}'`
      expect(await index.db.one(reason)).toEqual({ stale_reason: 'revoked' })
    })
  })

  it('keeps its own file’s grants until that is gone for good, whatever a manager revokes', async () => {
    const file = { ...managing, ...revoking }
    const states = await runStory(
      [0, { [publisher]: ownFile }],
      [24, night('absent', { [manager]: file })],
      [26, { [publisher]: 'absent' }],
    )
    expect(states).toEqual(['direct: 1, 1', 'invalid: 0, 1', 'invalid: 0, 0'])
  })

  const onward = 'https://pier.example/.well-known/adagents.json'
  test.each<[string, Web, string[]]>([
    [
      'while nobody answers there',
      { [manager]: { authoritative_location: files }, [files]: 'timeout' },
      [managed, managed],
    ],
    [
      'for a day, stale, while that points on,',
      {
        [manager]: { authoritative_location: onward },
        'pier.example': { authoritative_location: files },
      },
      [`invalid by ${manager}: 0, 1`, lost],
    ],
  ])('keeps %s of its manager’s file from before that pointed elsewhere', async (_, web, after) => {
    const states = await runStory(
      [0, night('absent')],
      [24, { ...web, [publisher]: 'absent' }],
      [47.9, 'tick'],
      [48, 'tick'],
    )
    expect(states).toEqual([managed, after[0], ...after])
  })

  it('follows its ads.txt', async () => {
    const ads = `ads ${publisher}`
    const states = await runStory(
      [0, night('absent')],
      [24, { [ads]: 'nothing' }],
      [48, { [ads]: adsTxt }],
    )
    expect(states).toEqual([managed, lost, managed])
  })

  it('loses the manager with its ads.txt, as with any file', async () => {
    const ads = `ads ${publisher}`
    const states = await runStory(
      [0, night('absent')],
      [24, { [ads]: 'absent' }],
      [26, { [ads]: 'absent' }],
    )
    expect(states).toEqual([managed, `invalid by ${manager}: 0, 1`, lost])
  })

  it('uses its own file as soon as it has one, and only until that is gone', async () => {
    const states = await runStory(
      [0, night('absent')],
      [24, { [publisher]: ownFile }],
      [48, { [publisher]: 'absent' }],
    )
    expect(states).toEqual([managed, 'direct: 1, 1', managed])
  })

  it('keeps its own file during a failure, and falls back to the manager in the end', async () => {
    const quiet = { [`ads ${publisher}`]: 'unchanged', [manager]: 'unchanged' }
    const states = await runStory(
      [0, night(ownFile)],
      [24, { [publisher]: 'store_denied', ...quiet }],
      [6 * 24, { [publisher]: 'store_denied', ...quiet }],
      [7 * 24, { [publisher]: 'store_denied', ...quiet }],
    )
    expect(states).toEqual(['direct: 1, 1', 'direct: 1, 1', 'direct: 1, 1', managed])
  })

  test.each<[Outcome, number, string]>([
    ['timeout', 7 * 24, managed],
    ['server_error', 7 * 24, managed],
    ['denied', 7 * 24, managed],
    ['bad_redirect', 7 * 24, managed],
    ['not_json', 7 * 24, managed],
    ['unusable', 24, `invalid by ${manager}: 0, 1`],
  ])(
    'continues for a while when its own file begins to answer %s',
    async (own, hours, meanwhile) => {
      const quiet = { [`ads ${publisher}`]: 'unchanged', [manager]: 'unchanged' }
      const nights = Array.from({ length: hours / 24 - 1 }, (_, i): [number, Web] => [
        24 * (i + 1),
        { [publisher]: own, ...quiet },
      ])
      const states = await runStory(
        [0, night('absent')],
        [1, { [publisher]: own, ...quiet }],
        ...nights,
        [hours - 0.1, 'tick'],
        [hours, 'tick'],
      )
      expect(states).toEqual([managed, ...nights.map(() => meanwhile), meanwhile, meanwhile, lost])
    },
  )

  it('is managed again once its own file is absent again', async () => {
    const states = await runStory(
      [0, night('absent')],
      [24, { [publisher]: 'timeout' }],
      [48, { [publisher]: 'absent' }],
      [24 * 6, { [`ads ${publisher}`]: 'unchanged', [manager]: 'unchanged' }],
      [24 * 8, 'tick'],
    )
    expect(states).toEqual([managed, managed, managed, managed, managed])
  })
})
