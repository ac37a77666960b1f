import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import type { Step } from '../../../pipeline/writer/sequencer.ts'
import { observeOutcome } from '../../support/fixtures/observations.ts'
import { buildMerge, MergingRegistry } from '../../support/registry/merging-registry.ts'
import {
  cleanUp,
  createDataDir,
  openSequencer,
  openTestSequencer,
} from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const acme = 'acme.example'
const harbour = 'harbour.example'
const agent = 'https://sales.example'

const site = (slug: string, ...values: string[]) => ({
  property_id: slug,
  property_type: 'website',
  name: slug,
  identifiers: values.map(value => ({ type: 'domain', value })),
})
const app = (slug: string, ...values: string[]) => ({
  property_id: slug,
  property_type: 'mobile_app',
  name: slug,
  identifiers: values.map(value => ({ type: 'ios_bundle', value })),
})
const show = (id: string, ...guids: string[]) => ({
  collection_id: id,
  name: id,
  kind: 'series',
  distribution: [
    {
      publisher_domain: acme,
      identifiers: guids.map(value => ({ type: 'podcast_guid', value })),
    },
  ],
})
const file = (properties: { property_id: string }[], collections: object[] = []) => ({
  properties,
  ...(collections.length === 0 ? {} : { collections }),
  authorized_agents: [
    {
      url: agent,
      authorized_for: 'All',
      authorization_type: 'property_ids',
      property_ids: properties.map(({ property_id }) => property_id),
    },
  ],
})

/** Two publishers that declare one app, and one that declares a site under two names. */
const files = {
  [acme]: file(
    [site('home', acme), site('news', 'news.acme.example'), app('acme_app', 'com.acme')],
    [show('daily', 'guid-1'), show('evening', 'guid-2')],
  ),
  [harbour]: file(
    [site('home', harbour), app('app', 'com.acme', 'com.harbour')],
    [show('daily', 'guid-1', 'guid-3')],
  ),
}

async function openMerging(): Promise<MergingRegistry> {
  const clock = testClock('2026-11-20T03:00Z')
  const merging = new MergingRegistry(await openTestSequencer(clock), clock)
  await merging.runNight(files)
  return merging
}

/** Finds one known property of each publisher. */
async function findApps(merging: MergingRegistry): Promise<{ alias: string; canonical: string }> {
  return {
    alias: await merging.findRid('property', harbour, 'app'),
    canonical: await merging.findRid('property', acme, 'acme_app'),
  }
}

async function findStatus(merging: MergingRegistry, rid: string): Promise<unknown> {
  const [row] = await merging.rows<{ status: string }>(
    `select status from properties where property_rid = '${rid}'`,
  )
  return row?.status
}

async function checkStores(merging: MergingRegistry): Promise<void> {
  expect(await verify(merging.registry)).toEqual([])
}

/** Selects what a night must leave as it is. */
const PROPERTIES = `select property_rid, publisher_domain, property_id, property_type, name, identifiers, tags, status,
  source, created_at, changed_at from properties order by property_rid`

describe('a property merged into another publisher’s', () => {
  it('is reported in one event with the canonical record, which answers for both', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    const [event, ...more] = await merging.commitForEvents(
      [],
      [buildMerge('property', alias, canonical, 'one bundle id')],
    )
    expect(event).toMatchObject({
      event_type: 'property.merged',
      entity_type: 'property',
      entity_id: alias,
      actor: 'registry:operator',
      payload: {
        alias_rid: alias,
        canonical_rid: canonical,
        evidence: 'one bundle id',
        property_rid: canonical,
        publisher_domain: acme,
        classification: 'property',
        identifiers: [
          { type: 'ios_bundle', value: 'com.acme' },
          { type: 'ios_bundle', value: 'com.harbour' },
        ],
      },
    })
    expect(more.map(({ event_type }) => event_type)).toEqual([
      'authorization.modified',
      'agent.profile_updated',
    ])
    expect(await findStatus(merging, alias)).toBe('removed')
    await checkStores(merging)
  })

  it('passes its grants on, and is no longer counted for its publisher', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    await merging.merge(buildMerge('property', alias, canonical))
    const grants = await merging.rows<{ property_rids: string[] }>(
      `select property_rids from authorizations join property_sets on set_id = property_set
       where authorizations.publisher_domain = '${harbour}'`,
    )
    const home = await merging.findRid('property', harbour, 'home')
    expect(grants).toEqual([{ property_rids: [canonical, home].sort() }])
    expect(await merging.rows('select property_count as n from agents')).toEqual([{ n: 4 }])
    const counts = 'select domain, property_count as n from publishers order by domain'
    expect(await merging.rows(counts)).toEqual([
      { domain: acme, n: 3 },
      { domain: harbour, n: 1 },
    ])
    const shown = JSON.parse(
      merging.registry.serving
        .get('publisher', harbour)!
        .toString()
        .replace(/^[^{]*/, ''),
    )
    expect(shown.properties.map((property: { id: string }) => property.id)).toEqual(['home'])
    expect(shown.authorized_agents).toMatchObject([
      { properties_authorized: 1, properties_total: 1, publisher_wide: true },
    ])
  })

  it('passes its grants on also while its publisher’s file points nowhere', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    const pointer = { authoritative_location: 'https://manager.example/adagents.json' }
    await merging.runNight({ [harbour]: pointer })
    const [event, grant] = await merging.commitForEvents(
      [],
      [buildMerge('property', alias, canonical)],
    )
    expect(event).toMatchObject({ event_type: 'property.merged' })
    expect(grant).toMatchObject({
      event_type: 'authorization.modified',
      payload: { publisher_domain: harbour, changed_fields: ['properties'] },
    })
    await checkStores(merging)
    expect(await merging.runNight({ [harbour]: pointer })).toEqual([])
    expect(await merging.runNight(files)).not.toContain('authorization.modified')
    await checkStores(merging)
  })

  it('does not return, and causes no event, while both files stay the same', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    await merging.merge(buildMerge('property', alias, canonical))
    const before = await merging.rows(PROPERTIES)
    expect(await merging.runNight(files)).toEqual([])
    expect(await merging.runNight(files)).toEqual([])
    expect(await merging.rows(PROPERTIES)).toEqual(before)
    await checkStores(merging)
  })

  it('stays merged while its publisher’s file is absent and when it returns', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    await merging.merge(buildMerge('property', alias, canonical))
    for (let night = 0; night < 3; night++) {
      const at = merging.clock.tick({ days: 1 })
      await merging.commit([observeOutcome('absent', 'adagents.json', harbour, at)])
    }
    expect(await findStatus(merging, alias)).toBe('removed')
    await checkStores(merging)
    const eventTypes = await merging.runNight({ [harbour]: files[harbour]! })
    expect(eventTypes.filter(type => type.startsWith('property.'))).toEqual([
      'property.reactivated',
    ])
    expect(await findStatus(merging, alias)).toBe('removed')
    await checkStores(merging)
  })

  it('keeps its identifiers for the canonical one when both files drop them', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    await merging.merge(buildMerge('property', alias, canonical))
    await merging.runNight({
      [acme]: file([site('home', acme), app('acme_app', 'com.acme.next', 'com.acme')]),
      [harbour]: file([site('home', harbour)]),
    })
    const [row] = await merging.rows<{ identifiers: { value: string }[] }>(
      `select identifiers from properties where property_rid = '${canonical}'`,
    )
    const values = row!.identifiers.map(({ value }) => value)
    expect(values).toEqual(['com.acme', 'com.acme.next', 'com.harbour'])
    await checkStores(merging)
  })
})

describe('two merged properties of one publisher', () => {
  it('are one with the identifiers of both, and later nights change nothing', async () => {
    const merging = await openMerging()
    const alias = await merging.findRid('property', acme, 'news')
    const canonical = await merging.findRid('property', acme, 'home')
    const eventTypes = await merging.commit([], [buildMerge('property', alias, canonical)])
    expect(eventTypes).toEqual([
      'property.merged',
      'authorization.modified',
      'agent.profile_updated',
    ])
    expect(await merging.runNight(files)).toEqual([])
    const row = `select name, status, identifiers from properties where property_rid = '${canonical}'`
    const identifiers = [acme, 'news.acme.example'].map(value => ({ type: 'domain', value }))
    expect(await merging.rows(row)).toEqual([{ name: 'home', status: 'active', identifiers }])
    await checkStores(merging)
  })

  it('stay one when their entries change identifiers, slugs and order', async () => {
    const merging = await openMerging()
    const alias = await merging.findRid('property', acme, 'news')
    const canonical = await merging.findRid('property', acme, 'home')
    await merging.merge(buildMerge('property', alias, canonical))
    const moved = [
      site('news', 'news2.acme.example', 'news.acme.example'),
      app('acme_app', 'com.acme'),
      site('homepage', acme, 'start.acme.example'),
    ]
    const eventTypes = await merging.runNight({ [acme]: file(moved) })
    expect(eventTypes).not.toContain('property.created')
    expect(await merging.runNight({ [acme]: file(moved) })).toEqual([])
    const last = [site('news', 'news2.acme.example'), site('homepage', 'start.acme.example')]
    expect(await merging.runNight({ [acme]: file(last) })).not.toContain('property.created')
    expect(await merging.findRid('property', acme, 'homepage')).toBe(canonical)
    await checkStores(merging)
  })

  it('continue under the canonical rid, with the entry of the other', async () => {
    const merging = await openMerging()
    const old = await merging.findRid('property', acme, 'home')
    const renamed = { [acme]: file([site('start', 'start.acme.example')]) }
    await merging.runNight(renamed)
    const fresh = await merging.findRid('property', acme, 'start')
    expect(fresh).not.toBe(old)
    const eventTypes = await merging.commit([], [buildMerge('property', fresh, old)])
    expect(eventTypes.slice(0, 3)).toEqual([
      'property.merged',
      'property.updated',
      'property.reactivated',
    ])
    expect(await findStatus(merging, old)).toBe('active')
    expect(await merging.runNight(renamed)).toEqual([])
    await checkStores(merging)
  })
})

describe('a merge', () => {
  it('into a record that is merged later leads to the last one in one step', async () => {
    const merging = await openMerging()
    const [a, b, c] = [
      await merging.findRid('property', harbour, 'app'),
      await merging.findRid('property', acme, 'acme_app'),
      await merging.findRid('property', acme, 'news'),
    ]
    await merging.merge(buildMerge('property', a, b))
    await merging.merge(buildMerge('property', b, c))
    const aliases = 'select alias_rid, canonical_rid from aliases order by merged_at, alias_rid'
    expect(new Set(await merging.rows(aliases))).toEqual(
      new Set([a, b].map(alias_rid => ({ alias_rid, canonical_rid: c }))),
    )
    const reader = new Reader(merging.registry.paths.dir, merging.clock)
    await merging.registry.publish()
    await reader.refresh()
    cleanUp(() => reader.close())
    const found =
      'select alias_rid::varchar as rid from aliases where canonical_rid = $c::uuid order by rid'
    expect(await reader.snapshot!.db.all(found, { c })).toEqual([a, b].sort().map(rid => ({ rid })))
    expect(await merging.runNight(files)).toEqual([])
    await checkStores(merging)
  })

  it('keeps what it led to before, but for names that are taken down', async () => {
    const merging = await openMerging()
    const [home, news, app] = [
      await merging.findRid('property', acme, 'home'),
      await merging.findRid('property', harbour, 'home'),
      await merging.findRid('property', acme, 'acme_app'),
    ] as const
    await merging.merge(buildMerge('property', home, news))
    await merging.merge(buildMerge('property', news, app))
    const states = () =>
      merging.rows(
        `select alias_rid as alias, canonical_rid as canonical
         from alias_versions order by seq, alias`,
      )
    expect(await states()).toEqual(
      expect.arrayContaining([
        { alias: home, canonical: news },
        { alias: home, canonical: app },
        { alias: news, canonical: app },
      ]),
    )
    await merging.merge({
      submission_id: randomUUID(),
      operation: Operation.parse({ op: 'domain.takedown', domain: harbour }),
    })
    expect(await states()).toEqual([{ alias: home, canonical: app }])
    expect(await verify(merging.registry)).toEqual([])
  })

  it('is refused with a reason when it is impossible', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    const home = await merging.findRid('property', acme, 'home')
    const show = await merging.findRid('collection', acme, 'daily')
    const nobody = '019a0000-0000-7000-8000-000000000000'
    await merging.merge(buildMerge('property', alias, canonical))
    const events = 'select count(*) as n from events'
    const before = await merging.rows(events)
    const answers = await merging.merge(
      buildMerge('property', nobody, home),
      buildMerge('property', home, nobody),
      buildMerge('property', home, home),
      buildMerge('property', alias, canonical),
      buildMerge('property', alias, home),
      buildMerge('property', home, alias),
      buildMerge('property', show, home),
      buildMerge('collection', home, show),
    )
    expect(answers).toEqual([
      { refused: `no property has the rid ${nobody}` },
      { refused: `no property has the rid ${nobody}` },
      { refused: 'a property cannot be merged into itself' },
      { refused: `${alias} was merged into ${canonical} already` },
      { refused: `${alias} was merged into ${canonical} already` },
      { refused: `${alias} was merged into ${canonical}: name that one` },
      { refused: `no property has the rid ${show}` },
      { refused: `no collection has the rid ${home}` },
    ])
    expect(await merging.rows(events)).toEqual(before)
    await checkStores(merging)
  })

  it('is checked after earlier ones of the same commit', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    const home = await merging.findRid('property', acme, 'home')
    const answers = await merging.merge(
      buildMerge('property', alias, canonical),
      buildMerge('property', canonical, home),
      buildMerge('property', home, canonical),
      buildMerge('property', alias, home),
    )
    expect(answers.map(answer => 'done' in answer)).toEqual([true, true, false, false])
    expect(answers[3]).toEqual({ refused: `${alias} was merged into ${home} already` })
    await checkStores(merging)
  })

  it('counts once when it is delivered twice', async () => {
    const merging = await openMerging()
    const { alias, canonical } = await findApps(merging)
    const once = buildMerge('property', alias, canonical)
    expect(await merging.commit([], [once, once])).toContain('property.merged')
    expect(await merging.commit([], [once])).toEqual([])
    expect(await merging.merge(once)).toEqual([
      { done: { alias_rid: alias, canonical_rid: canonical } },
    ])
  })

  it('that failed and was then overtaken is refused with the name of the new target', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    let armed = false
    const onStep = (step: Step, moment: string) => {
      if (armed && step === 'index' && moment === 'before') throw new Error('the disk failed')
    }
    const registry = await openSequencer({ clock, dataDir: createDataDir(), onStep })
    cleanUp(() => registry.close())
    const merging = new MergingRegistry(registry, clock)
    await merging.runNight(files)
    const { alias, canonical } = await findApps(merging)
    const home = await merging.findRid('property', acme, 'home')
    const late = buildMerge('property', alias, canonical)
    armed = true
    await expect(merging.merge(late)).rejects.toThrow('the disk failed')
    armed = false
    await merging.merge(buildMerge('property', canonical, home))
    const named = { refused: `${canonical} was merged into ${home}: name that one` }
    expect(await merging.merge(late)).toMatchObject([named])
    const led = `select canonical_rid as rid from aliases where alias_rid = '${alias}'`
    expect(await merging.rows(led)).toEqual([])
    await checkStores(merging)
  })
})

describe('a merged collection', () => {
  it('into another publisher’s is reported once, answers with it and stays removed', async () => {
    const merging = await openMerging()
    const alias = await merging.findRid('collection', harbour, 'daily')
    const canonical = await merging.findRid('collection', acme, 'daily')
    const events = await merging.commitForEvents(
      [],
      [buildMerge('collection', alias, canonical, 'one guid')],
    )
    expect(events).toMatchObject([
      {
        event_type: 'collection.merged',
        entity_type: 'collection',
        entity_id: alias,
        payload: {
          alias_rid: alias,
          canonical_rid: canonical,
          evidence: 'one guid',
          collection_rid: canonical,
          publisher_domain: acme,
          status: 'active',
          identifiers: [{ value: 'guid-1' }, { value: 'guid-3' }],
        },
      },
    ])
    expect(await merging.runNight(files)).toEqual([])
    const rows = await merging.rows(
      `select collection_rid as rid, status from collections where collection_id = 'daily'`,
    )
    expect(new Set(rows)).toEqual(
      new Set([
        { rid: alias, status: 'removed' },
        { rid: canonical, status: 'active' },
      ]),
    )
    await checkStores(merging)
  })

  it('into one of the same publisher continues in it, whichever of the two is listed', async () => {
    const merging = await openMerging()
    const alias = await merging.findRid('collection', acme, 'evening')
    const canonical = await merging.findRid('collection', acme, 'daily')
    expect(await merging.commit([], [buildMerge('collection', alias, canonical)])).toEqual([
      'collection.merged',
    ])
    expect(await merging.runNight(files)).toEqual([])
    const { properties } = files[acme] as { properties: { property_id: string }[] }
    const renamed = { [acme]: file(properties, [show('evening', 'guid-2')]) }
    const eventTypes = await merging.runNight(renamed)
    expect(eventTypes.filter(type => type.startsWith('collection.'))).toEqual([
      'collection.updated',
    ])
    expect(
      await merging.rows(`select collection_rid as rid from collections
      where publisher_domain = '${acme}' and status = 'active'`),
    ).toEqual([{ rid: canonical }])
    expect(await merging.runNight(renamed)).toEqual([])
    await checkStores(merging)
  })
})
