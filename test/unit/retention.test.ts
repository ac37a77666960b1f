import { readdirSync, utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Batch } from '../../pipeline/index/apply.ts'
import { verify } from '../../pipeline/index/verify.ts'
import { baseBatch, nextBatch } from '../support/batches.ts'
import { testClock } from '../support/clock.ts'
import { feedsOf } from '../support/feed.ts'
import { newRegistry } from '../support/registry.ts'

const start = '2026-01-10T03:00Z'

function bodiesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(name => `${folder}/${name}`)
    .filter(name => name.endsWith('.gz'))
}

function withBytes(batch: Batch): Batch {
  const observations = batch.observations.map(seen =>
    seen.hash === undefined ? seen : { ...seen, body: Buffer.from(seen.hash) },
  )
  return { ...batch, observations }
}

describe('retention', () => {
  it('takes events older than ninety days out of every store, a whole day at a time', async () => {
    const clock = testClock(start)
    const registry = await newRegistry(clock)
    await registry.commit(baseBatch(clock.now()))
    const first = (await feedsOf(registry)).index.length
    await registry.commit(nextBatch(clock.tick({ days: 50 })))
    const all = (await feedsOf(registry)).index
    clock.tick({ days: 41 })
    await registry.retain()
    const { index, files, serving } = await feedsOf(registry)
    expect(first).toBeGreaterThan(0)
    expect(index).toEqual(all.slice(first))
    expect(files).toEqual(index)
    expect(serving).toEqual(index)
    expect(await verify(registry)).toEqual([])
  })

  it('keeps the newest events, however old, so that nobody who has read them is turned away', async () => {
    const clock = testClock(start)
    const registry = await newRegistry(clock)
    await registry.commit(baseBatch(clock.now()))
    const before = await feedsOf(registry)
    clock.tick({ days: 400 })
    await registry.retain()
    expect(await feedsOf(registry)).toEqual(before)
  })

  it('deletes the bytes of a document a day after another took its place', async () => {
    const clock = testClock(start)
    const registry = await newRegistry(clock)
    await registry.commit(withBytes(baseBatch(clock.now())))
    await registry.commit(withBytes(nextBatch(clock.tick({ days: 1 }))))
    const { bodies } = registry.paths
    const kept = bodiesOf(bodies)
    await registry.retain()
    expect(bodiesOf(bodies), 'younger than a day').toEqual(kept)
    const old = new Date(clock.now() - 2 * 86_400_000)
    for (const file of kept) utimesSync(file, old, old)
    await registry.retain()
    const named = await registry.index.all<{ hash: string }>('select hash from documents')
    const left = bodiesOf(bodies).map(file => file.split('/').at(-1)!.slice(0, -3))
    expect(left.length).toBeLessThan(kept.length)
    expect(left.every(hash => named.some(row => row.hash === hash))).toBe(true)
  })
})
