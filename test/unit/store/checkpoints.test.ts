import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import type { Committed } from '../../../pipeline/writer/commit-in-parts.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

it('a commit during the copy of a snapshot succeeds, and the next snapshot shows it', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  let meanwhile: Promise<Committed> | undefined
  const registry = await openSequencer({
    clock,
    dataDir: createDataDir(),
    onStep(step, moment) {
      if (step !== 'snapshot' || moment !== 'before') return
      meanwhile ??= registry.commit(buildNextBatch(clock.now()))
    },
  })
  cleanUp(() => registry.close())
  await registry.commit(buildBaseBatch(clock.now()))
  clock.tick({ days: 1 })
  const shown = async () => {
    const { seq, snapshot } = readCheckpoint(registry.paths)!
    const copy = await Database.open(`${registry.paths.snapshots}/${snapshot}`, { readOnly: true })
    const meta = await copy.one<{ seq: number }>('select seq from meta')
    copy.close()
    return [seq, meta?.seq]
  }
  await registry.publish()
  expect(await shown()).toEqual([1, 1])
  expect((await meanwhile)?.seq).toBe(2)
  await registry.publish()
  expect(await shown()).toEqual([2, 2])
  expect(await registry.quietly(() => verify(registry))).toEqual([])
})

it('nobody may write a snapshot, nor registry.duckdb, and the next one replaces it', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openSequencer({ clock, dataDir: createDataDir() })
  cleanUp(() => registry.close())
  const listWriteModes = () => {
    const { snapshots, registry: current } = registry.paths
    const files = [current, `${snapshots}/${readCheckpoint(registry.paths)?.snapshot}`]
    return files.map(file => statSync(file).mode & 0o222)
  }
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.publish()
  expect(listWriteModes()).toEqual([0, 0])
  clock.tick({ days: 1 })
  await registry.commit(buildNextBatch(clock.now()))
  await registry.publish()
  expect(listWriteModes()).toEqual([0, 0])
  expect(await registry.quietly(() => verify(registry))).toEqual([])
})

it('a version that declares other tables or views publishes the same commit again, once', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openSequencer({ clock, dataDir: createDataDir() })
  cleanUp(() => registry.close())
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.publish()
  const before = readCheckpoint(registry.paths)!
  expect(await registry.publish()).toBe(0)
  const { checkpoint } = registry.paths
  const old = { ...JSON.parse(readFileSync(checkpoint, 'utf8')), definitions: 'those of before' }
  writeFileSync(checkpoint, JSON.stringify(old))
  expect(await registry.publish()).toBeGreaterThan(0)
  const after = readCheckpoint(registry.paths)!
  expect([after.seq, after.definitions]).toEqual([before.seq, before.definitions])
  expect(after.snapshot).not.toBe(before.snapshot)
  expect(await registry.publish()).toBe(0)
  expect(await registry.quietly(() => verify(registry))).toEqual([])
})
