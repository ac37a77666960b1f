import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rebuild } from '../../../pipeline/maintenance/rebuild.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { HEAD_LENGTH } from '../../../pipeline/serving/document-value.ts'
import type { Entry, SpaceName } from '../../../pipeline/serving/lmdb.ts'
import { buildScopeOfSlice } from '../../../pipeline/serving/projections/change-scope.ts'
import { projectInSlices } from '../../../pipeline/serving/projections/project-slices.ts'
import { isDataFault } from '../../../pipeline/store/bisect.ts'
import { listEventFiles } from '../../../pipeline/store/event-log.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { buildOrganizationWrite, buildSubmission } from '../../support/fixtures/submissions.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const broken = 'broken.example'
const others = ['a.example', 'b.example', 'c.example']
const clock = testClock('2026-11-20T03:00Z')

/** Files of these domains: the n-th of each. */
function listFiles(domains: readonly string[], n: number) {
  const at = clock.tick({ minutes: 1 })
  return domains.flatMap(domain => {
    const identifiers = [{ type: 'domain', value: domain }]
    const property = { property_type: 'website', name: `Site ${n}`, identifiers, tags: ['t'] }
    const byTag = { authorization_type: 'property_tags', property_tags: ['t'] }
    const agent = { url: 'https://agent.example', authorized_for: 'All', ...byTag }
    return observeFile(
      'adagents.json',
      domain,
      { authorized_agents: [agent], properties: [property] },
      at,
    )
  })
}

function loadBrands(domains: readonly string[], n: number) {
  const at = clock.tick({ minutes: 1 })
  return domains.map(domain => {
    const properties = [{ type: 'website', identifier: domain, primary: true }]
    const names = [{ en: `Brand ${n}` }]
    return observeFile(
      'brand.json',
      domain,
      { id: 'b', names, keller_type: 'master', properties },
      at,
    )
  })
}

function findShown({ serving }: Sequencer, space: SpaceName, domain: string): string | undefined {
  return serving.get(space, domain)?.toString('utf8', HEAD_LENGTH)
}

function listQuarantined({ index }: Sequencer): Promise<object[]> {
  return index.all('select kind, location, reason from quarantine order by 1, 2, 3')
}

/** Gives the one publisher these placements, past the rules; an answer cannot be made of one that is null. */
function setPlacements({ index }: Sequencer, placements: readonly unknown[]): Promise<number> {
  const catalog = JSON.stringify({ formats: [], placements })
  return index.run(`update publishers set catalog = '${catalog}' where domain = '${broken}'`)
}

const observed = (observations: ReturnType<typeof listFiles>) => ({ observations, submissions: [] })

/** Opens a registry with a row of one publisher that cannot be projected. */
async function openBroken() {
  const { log, said } = createRecordingLog()
  const open = async (dataDir: string) => openSequencer({ dataDir, clock, log })
  const registry = await open(createDataDir())
  await registry.commit(observed(listFiles([broken, ...others], 1)))
  await setPlacements(registry, [null])
  const listWarnings = () => said.filter(line => line.includes('not projected'))
  const reopen = async (before: Sequencer) => {
    await before.close()
    return open(before.paths.dir)
  }
  return { registry, told: listWarnings, reopen, open }
}

describe('a publisher that cannot be projected', () => {
  const refused = {
    kind: 'publishers',
    location: broken,
    reason: expect.stringMatching(/^not_projected: /),
  }

  it('keeps its old answer and is quarantined, while everything else continues', async () => {
    const { registry, told: listWarnings, reopen } = await openBroken()
    const before = findShown(registry, 'inventory', broken)
    await registry.commit(observed(loadBrands([broken, ...others], 2)))
    expect(findShown(registry, 'inventory', broken)).toBe(before)
    for (const domain of [broken, ...others]) {
      expect(findShown(registry, 'brand', domain)).toContain('Brand 2')
    }
    expect(await listQuarantined(registry)).toEqual([refused])
    await registry.commit(observed(loadBrands([broken, ...others], 3)))
    await registry.commit({ observations: [], submissions: [buildOrganizationWrite('Acme')] })
    expect(listWarnings()).toHaveLength(1)
    const again = await reopen(registry)
    cleanUp(() => again.close())
    expect(findShown(again, 'inventory', broken)).toBe(before)
    expect(await verify(again)).toEqual([
      expect.stringMatching(
        `serving: publishers ${broken} is quarantined, its old answer is served`,
      ),
    ])
    await again.backUp(`${createDataDir()}/backup`)
    const operation = Operation.parse({
      op: 'domain.takedown',
      domain: 'a.example',
      reason: 'asked',
    })
    await again.commit({ observations: [], submissions: [buildSubmission('takedown', operation)] })
    expect(findShown(again, 'inventory', 'a.example')).toBeUndefined()
    expect(findShown(again, 'inventory', 'b.example')).toContain('Site 1')
    expect(listWarnings()).toHaveLength(1)
  })

  it('recovers with its next answer that can be projected', async () => {
    const { registry } = await openBroken()
    cleanUp(() => registry.close())
    await registry.commit(observed(loadBrands([broken], 2)))
    await setPlacements(registry, [])
    await registry.commit(observed(listFiles([broken, 'a.example'], 2)))
    expect(await listQuarantined(registry)).toEqual([])
    expect(findShown(registry, 'inventory', broken)).toContain('Site 2')
    expect(await verify(registry)).toEqual([])
  })

  it('recovers at the next start, once it can be projected', async () => {
    const { registry, reopen } = await openBroken()
    await registry.commit(observed(loadBrands([broken], 2)))
    await setPlacements(registry, [])
    const again = await reopen(registry)
    cleanUp(() => again.close())
    expect(await listQuarantined(again)).toEqual([])
    expect(await verify(again)).toEqual([])
  })

  it('has no answer after a rebuild, which names it', async () => {
    const { registry, open } = await openBroken()
    await registry.commit(observed(loadBrands([broken], 2)))
    await registry.close()
    const { dir } = registry.paths
    expect(await rebuild(dir)).toMatchObject({ unprojected: [{ subject: broken }] })
    const again = await open(dir)
    cleanUp(() => again.close())
    expect(findShown(again, 'inventory', broken)).toBeUndefined()
    expect(findShown(again, 'inventory', 'a.example')).toContain('Site 1')
    await setPlacements(again, [])
    await again.commit(observed(listFiles([broken], 2)))
    expect(await verify(again)).toEqual([])
  })
})

describe('an event that cannot be read', () => {
  /** Changes a row so that it holds a number that JSON lacks. */
  const damage = ({ index }: Sequencer) =>
    index.run(
      `update events set payload = '{"a":NaN}' where seq = 2 and entity_id = '${broken}'
         and event_type = 'publisher.adagents_discovered'`,
    )
  const left = { kind: 'events', reason: expect.stringMatching(/^not_projected: /) }
  const damagedId = ({ index }: Sequencer) =>
    index.one<{ id: string }>(`select location as id from quarantine`).then(row => row!.id)
  const idsIn = ({ paths, seq }: Sequencer) => {
    expect(seq).toBeGreaterThan(0)
    return listEventFiles(paths).flatMap(name =>
      readFileSync(`${paths.events}/${name}`, 'utf8')
        .split('\n')
        .flatMap(line => (line === '' ? [] : JSON.parse(line).event_id)),
    )
  }

  /** Opens a registry with an event that is damaged between its commit and its projection. */
  async function damagedRegistry() {
    const { log, said } = createRecordingLog()
    const dataDir = createDataDir()
    const harm: { now?: () => unknown } = {}
    const onStep = (step: string, moment: string) => {
      if (step === 'index' && moment === 'after') harm.now?.()
    }
    const registry = await openSequencer({ dataDir, clock, log, onStep })
    await registry.commit(observed(listFiles(['a.example'], 1)))
    harm.now = () => damage(registry)
    await registry.commit(observed(listFiles([broken, 'b.example'], 1)))
    delete harm.now
    return { registry, dataDir, open: () => openSequencer({ dataDir, clock, log }), said }
  }

  it('is quarantined and missing in the feed, which goes on', async () => {
    const { registry, said } = await damagedRegistry()
    cleanUp(() => registry.close())
    expect(await listQuarantined(registry)).toEqual([expect.objectContaining(left)])
    const id = await damagedId(registry)
    expect(said.filter(line => line.includes('not projected') && line.includes(id))).toHaveLength(1)
    expect(findShown(registry, 'inventory', 'b.example')).toContain('Site 1')
    await registry.commit(observed(listFiles(others, 2)))
    const all = await registry.index.all<{ id: string }>(
      'select event_id as id from events order by event_id',
    )
    const expected = all.map(row => row.id).filter(other => other !== id)
    expect(expected.length).toBe(all.length - 1)
    expect(idsIn(registry)).toEqual(expected)
    expect(await verify(registry)).toEqual([
      expect.stringMatching(`serving: events ${id} is quarantined, the feed lacks it`),
    ])
  })

  it('ends neither a start, nor a take-down, nor a rebuild, which tries it again', async () => {
    const { registry, open, dataDir } = await damagedRegistry()
    const id = await damagedId(registry)
    await registry.close()
    const again = await open()
    const operation = Operation.parse({ op: 'domain.takedown', domain: 'b.example', reason: 'r' })
    await again.commit({ observations: [], submissions: [buildSubmission('takedown', operation)] })
    expect(await verify(again)).toHaveLength(1)
    await again.close()
    expect(await rebuild(dataDir)).toMatchObject({ unprojected: [{ subject: id }] })
    const third = await open()
    await third.index.run(`update events set payload = '{}' where event_id = '${id}'`)
    await third.close()
    expect(await rebuild(dataDir)).toMatchObject({ unprojected: [] })
    const fourth = await open()
    cleanUp(() => fourth.close())
    expect(await listQuarantined(fourth)).toEqual([])
    expect(idsIn(fourth)).toContain(id)
    expect(await verify(fourth)).toEqual([])
  })

  it('goes with its domain, and its quarantine with it', async () => {
    const { registry } = await damagedRegistry()
    cleanUp(() => registry.close())
    const operation = Operation.parse({ op: 'domain.takedown', domain: broken, reason: 'asked' })
    await registry.commit({
      observations: [],
      submissions: [buildSubmission('takedown', operation)],
    })
    expect(await listQuarantined(registry)).toEqual([])
    expect(await verify(registry)).toEqual([])
  })
})

describe('any record that cannot be stored', () => {
  it('only costs the answers of its subject', async () => {
    const registry = await openSequencer({ dataDir: createDataDir(), clock })
    cleanUp(() => registry.close())
    await registry.commit(buildBaseBatch(clock.now()))
    await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
    const scope = await buildScopeOfSlice(registry.index, 0, 1, 0)
    const toKey = ({ space, key }: Entry) => `${space} ${key.toString('hex')}`
    const project = async (refused?: string) => {
      const taken: Entry[] = []
      const { unprojected } = await projectInSlices(registry, scope, entries => {
        if (entries.some(entry => toKey(entry) === refused)) throw new Error('too long')
        taken.push(...entries)
      })
      return { taken, unprojected }
    }
    const all = (await project()).taken
    const bySpace = new Map(all.map(entry => [entry.space, entry]))
    expect(bySpace.size).toBeGreaterThan(12)
    for (const entry of bySpace.values()) {
      const { taken, unprojected } = await project(toKey(entry))
      expect([entry.space, unprojected]).toEqual([
        entry.space,
        [{ part: expect.any(String), subject: expect.any(String), reason: 'too long' }],
      ])
      expect(taken.length).toBeLessThan(all.length)
      expect(taken.length).toBeGreaterThan(all.length - 40)
    }
  })
})

describe('an error', () => {
  it.each([
    ['NOT NULL constraint failed: brands.domain', { errcode: 1299 }, true],
    ['string or blob too big', { errcode: 18 }, true],
    ['MDB_BAD_VALSIZE: Unsupported size of key', { code: -30_781 }, true],
    ['Cannot read properties of undefined', {}, true],
    ['database or disk is full', { errcode: 13 }, false],
    ['disk I/O error', { errcode: 4_874 }, false],
    ['database disk image is malformed', { errcode: 11 }, false],
    ['database is not open', {}, false],
    ['MDB_MAP_FULL: Environment mapsize limit reached', {}, false],
  ])('%s: is caused by the data or not', (message, details, isFault) => {
    expect(isDataFault(Object.assign(new Error(message), details))).toBe(isFault)
  })

  it('with an errno of the operating system is never caused by the data', () => {
    expect(isDataFault(Object.assign(new Error('write'), { code: 28 }))).toBe(false)
    expect(isDataFault(Object.assign(new Error('write'), { errno: -28 }))).toBe(false)
  })
})
