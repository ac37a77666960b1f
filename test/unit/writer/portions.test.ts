import { cpSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { type LargeShape, largeShapes } from '../../support/fixtures/large-files.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const clock = testClock('2026-11-20T03:00Z')

/** Commits apply 300 rows of publishers each. */
const SMALL_PORTIONS = { LIMITS: JSON.stringify({ commitRows: 300 }) }
const ids = largeShapes.ids(1_000)

/** Opens a registry of small portions, and an organization with a domain. */
async function openSmallPortions(): Promise<Sequencer> {
  const registry = await openSequencer({
    dataDir: createDataDir(),
    clock,
    settings: SMALL_PORTIONS,
  })
  cleanUp(() => registry.close())
  const submissions = [buildOrganizationWrite('Acme'), buildProofWrite('Acme', 'told.example')]
  await registry.commit({ observations: [], submissions })
  return registry
}

/** Commits a file, and saves as long as that takes; returns the number of the file's commits and of saves. */
async function commitBesideSaves(registry: Sequencer, shape: LargeShape, rows: number) {
  const file = largeShapes[shape](rows, 10_000, rows)
  const before = registry.seq
  let isDone = false
  const done = registry
    .commit({
      observations: [
        observeFile('adagents.json', 'large.example', file, clock.tick({ minutes: 1 })),
      ],
      submissions: [],
    })
    .finally(() => {
      isDone = true
    })
  let saves = 0
  while (!isDone) {
    const submissions = [buildBrandSave('Acme', 'told.example', `Brand ${saves++}`)]
    await registry.commit({ observations: [], submissions })
  }
  await done
  return { commits: registry.seq - before - saves, saves }
}

function count({ index }: Sequencer, table: string): Promise<object | undefined> {
  return index.one(`select count(*) as n from ${table}`)
}

describe('a large file that is applied in portions', () => {
  it('is derived once, however many saves come in between', async () => {
    const registry = await openSmallPortions()
    const { commits, saves } = await commitBesideSaves(registry, 'ids', 1_600)
    expect(await count(registry, 'properties')).toEqual({ n: 800 })
    expect(await count(registry, 'authorizations')).toEqual({ n: 800 })
    // Its projection is a commit too; derived for each, it were 50.
    expect(commits).toBeLessThan(16)
    expect(saves).toBeGreaterThan(5)
    expect(await verify(registry)).toEqual([])
  })

  it('is shown whole also where the same file is read again in between', async () => {
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      const registry = await openSmallPortions()
      const observe = () =>
        observeFile('adagents.json', 'large.example', ids, clock.tick({ minutes: 1 }))
      const until = registry.seq + nth
      let isDone = false
      const done = registry.commit({ observations: [observe()], submissions: [] }).finally(() => {
        isDone = true
      })
      while (!isDone && registry.seq < until) await setImmediate()
      await registry.commit({ observations: [observe()], submissions: [] })
      await done
      expect(await registry.quietly(() => verify(registry))).toEqual([])
    }
  })

  it('is shown whole also after a kill at any step of its commits', async () => {
    const dataDir = createDataDir()
    const copies: string[] = []
    const onStep = (step: string, moment: string) => {
      if (moment !== 'after' || (step !== 'index' && step !== 'events')) return
      const copy = createDataDir()
      cpSync(dataDir, copy, { recursive: true })
      copies.push(copy)
    }
    const registry = await openSequencer({ dataDir, clock, settings: SMALL_PORTIONS, onStep })
    await registry.commit({
      observations: [
        observeFile('adagents.json', 'large.example', ids, clock.tick({ minutes: 1 })),
      ],
      submissions: [],
    })
    await registry.close()
    expect(copies.length).toBeGreaterThan(5)
    for (const copy of copies) {
      const again = await openSequencer({ dataDir: copy, clock, settings: SMALL_PORTIONS })
      for (let i = 0; i < 5; i++) await again.tick()
      expect(await verify(again)).toEqual([])
      await again.close()
    }
  })

  it('has its claims written slice by slice, also those of one agent', async () => {
    const registry = await openSmallPortions()
    const { commits } = await commitBesideSaves(registry, 'claims', 25_000)
    expect(commits).toBeGreaterThan(1)
    expect(await count(registry, 'claims')).toEqual({ n: 25_000 })
    const publisher_domains = Array.from({ length: 25_000 }, (_, i) => `n${i}.claimed.example`)
    const selector = { selection_type: 'all', publisher_domains }
    const agent = { url: 'https://a0.agents.example', authorized_for: 'All' }
    const scope = { authorization_type: 'publisher_properties', publisher_properties: [selector] }
    const file = { authorized_agents: [{ ...agent, ...scope }], properties: [] }
    const observation = observeFile(
      'adagents.json',
      'large.example',
      file,
      clock.tick({ minutes: 1 }),
    )
    await registry.commit({ observations: [observation], submissions: [] })
    expect(
      await registry.index.one(
        'select count(*) as n, count(distinct publisher_domain) as publishers from claims',
      ),
    ).toEqual({ n: 25_000, publishers: 25_000 })
  })

  it('shows changes made between its portions', async () => {
    const registry = await openSmallPortions()
    await registry.commit({
      observations: [],
      submissions: [buildProofWrite('Acme', 'large.example')],
    })
    const at = clock.tick({ minutes: 1 })
    const observation = observeFile('adagents.json', 'large.example', largeShapes.ids(1_600), at)
    let isDone = false
    const done = registry.commit({ observations: [observation], submissions: [] }).finally(() => {
      isDone = true
    })
    for (let n = 0; !isDone; n++) {
      const submissions = [buildBrandSave('Acme', 'large.example', `Large ${n}`)]
      await registry.commit({ observations: [], submissions })
    }
    await done
    expect(await verify(registry)).toEqual([])
  })

  it('waits for another one in progress, and is not derived meanwhile', async () => {
    const registry = await openSmallPortions()
    const at = clock.tick({ minutes: 1 })
    const name = (n: number) => `https://files.example/${n}.json`
    const observations = [1, 2, 3].flatMap(n => [
      observeFile('adagents.json', `l${n}.example`, { authoritative_location: name(n) }, at),
      { ...observeFile('adagents.json', name(n), largeShapes.ids(1_600), at), bytes: 2 ** 21 },
    ])
    const before = registry.seq
    const done = registry.commit({ observations, submissions: [] })
    const [one, three] = await Promise.all([
      registry.commit({
        observations: [],
        submissions: [buildBrandSave('Acme', 'told.example', 'Acme')],
      }),
      done,
    ])
    expect(one.seq).toBe(before + 2)
    expect(three.seq - before).toBeLessThan(45)
    expect(await count(registry, 'authorizations')).toEqual({ n: 2_400 })
    expect(await verify(registry)).toEqual([])
  })

  it('leaves small ones that come with it to one commit, however many', async () => {
    const registry = await openSmallPortions()
    const at = clock.tick({ minutes: 1 })
    const observations = Array.from({ length: 100 }, (_, n) =>
      observeFile('adagents.json', `s${n}.example`, largeShapes.ids(20), at),
    )
    const { seq } = await registry.commit({ observations, submissions: [] })
    expect(seq).toBe(2)
    expect(await count(registry, 'authorizations')).toEqual({ n: 1_000 })
    expect(await verify(registry)).toEqual([])
  })

  it('shares its commits with others where none of them fills one', async () => {
    const registry = await openSmallPortions()
    const at = clock.tick({ minutes: 1 })
    const observations = Array.from({ length: 20 }, (_, n) =>
      observeFile('adagents.json', `m${n}.example`, largeShapes.ids(100), at),
    )
    const { seq } = await registry.commit({ observations, submissions: [] })
    // 2,000 rows are 7 commits of 300; each file takes a share in a later one to be shown.
    expect(seq).toBeLessThan(20)
    expect(await count(registry, 'authorizations')).toEqual({ n: 1_000 })
    expect(await verify(registry)).toEqual([])
  })

  it('is derived again where its basis of comparison changes', async () => {
    const registry = await openSmallPortions()
    const at = clock.tick({ minutes: 1 })
    const file = largeShapes.ids(2_000)
    const observation = observeFile('adagents.json', 'large.example', file, at)
    const committing = registry.commit({ observations: [observation], submissions: [] })
    const less = observeFile('adagents.json', 'large.example', largeShapes.ids(1_000), at + 60_000)
    await Promise.all([committing, registry.commit({ observations: [less], submissions: [] })])
    const active = `properties where status = 'active'`
    expect(await count(registry, active)).toEqual({ n: 500 })
    expect(await count(registry, 'authorizations')).toEqual({ n: 500 })
    expect(await verify(registry)).toEqual([])
  })
})
