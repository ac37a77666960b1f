import { appendFileSync, copyFileSync, truncateSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import { checkBodies } from '../../../pipeline/maintenance/verify/check-bodies.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { storeBody } from '../../../pipeline/writer/crawl/replace-documents.ts'
import { createDataDir } from '../../support/registry/registry.ts'

const bodies = Array.from({ length: 30 }, (_, n) => Buffer.from(`{"body": ${n}}`))
const hashes = bodies.map(hashContent)
let paths: Paths
let file: string

beforeEach(() => {
  paths = resolvePaths(createDataDir())
  for (const [n, body] of bodies.entries()) storeBody(paths, hashes[n]!, body)
  file = paths.bodyFile(hashes[7]!)
})

test('documents as fetched are checked by their names, and missing ones are no fault', async () => {
  expect(await checkBodies({ paths })).toEqual([])
  expect(await checkBodies({ paths: resolvePaths(createDataDir()) })).toEqual([])
})

test.each([
  ['is cut off', () => truncateSync(file, 12)],
  ['is empty', () => truncateSync(file, 0)],
  ['is longer', () => appendFileSync(file, 'more')],
  ['is no archive', () => writeFileSync(file, bodies[7]!)],
  ['has the bytes of another one', () => copyFileSync(paths.bodyFile(hashes[8]!), file)],
])('one that %s is named', async (_, damage) => {
  damage()
  const name = `${hashes[7]!.slice(-2)}/${hashes[7]}.gz`
  expect(await checkBodies({ paths })).toEqual([
    expect.stringContaining(`bodies: ${name} is damaged`),
  ])
})
