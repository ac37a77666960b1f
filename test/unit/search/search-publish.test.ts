import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Reader } from '../../../pipeline/read/reader.ts'
import { readSearchCheckpoint } from '../../../pipeline/search/checkpoint.ts'
import { SearchPublisher } from '../../../pipeline/search/publish.ts'
import { Seals } from '../../../pipeline/store/seals.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { cleanUp, openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const clock = testClock('2026-11-20T03:00Z')

async function openPublished() {
  const registry = await openTestSequencer(clock)
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.publish()
  await registry.searchable()
  return registry
}

async function openReader(dir: string): Promise<Reader> {
  const reader = new Reader(dir, clock)
  cleanUp(() => reader.close())
  await reader.refresh()
  return reader
}

test('a large search file is built by a child process, with the same content', async () => {
  const registry = await openPublished()
  const { paths } = registry
  const here = await openReader(paths.dir)
  const { file, seq } = readSearchCheckpoint(paths)!
  const text = 'example'
  const expected = (await here.search!.search(['properties'], text, 50)).properties
  expect(expected.length).toBeGreaterThan(0)

  writeFileSync(paths.searchCheckpoint, JSON.stringify({ format: 0 }))
  const publisher = new SearchPublisher(paths, 0, Seals.open(paths))
  await publisher.publish()
  expect(readSearchCheckpoint(paths)).toMatchObject({ file, seq })
  const there = await openReader(paths.dir)
  expect((await there.search!.search(['properties'], text, 50)).properties).toEqual(expected)
})

test('an unfinished search file is ignored and built again', async () => {
  const registry = await openPublished()
  const { paths } = registry
  const { file } = readSearchCheckpoint(paths)!
  writeFileSync(`${paths.search}/${file}.new`, 'half of it')
  writeFileSync(paths.searchCheckpoint, JSON.stringify({ format: 0 }))
  expect((await openReader(paths.dir)).search).toBeUndefined()
  await registry.searchable()
  expect((await openReader(paths.dir)).search?.seq).toBe(registry.seq)
})

test('old search files are deleted, the one before the current is kept', async () => {
  const registry = await openPublished()
  for (let night = 0; night < 3; night++) {
    clock.tick({ days: 1 })
    await registry.commit(
      night % 2 === 0 ? buildNextBatch(clock.now()) : buildBaseBatch(clock.now()),
    )
    await registry.publish()
    await registry.searchable()
  }
  const { file, seq } = readSearchCheckpoint(registry.paths)!
  const files = readdirSync(registry.paths.search).filter(name => name.endsWith('.search'))
  expect(files.length).toBeLessThanOrEqual(2)
  expect(files).toContain(file)
  expect(seq).toBe(registry.seq)
  expect(existsSync(`${registry.paths.search}/${file}`)).toBe(true)
})
