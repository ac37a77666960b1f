import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createTenure,
  noteRestored,
  readTenure,
  writeTenure,
} from '../../../../jobs/fleet/tenure.ts'
import { resolvePaths } from '../../../../pipeline/store/paths.ts'
import { createDataDir } from '../../../support/registry/registry.ts'

function createPaths() {
  const paths = resolvePaths(join(createDataDir(), 'registry'))
  mkdirSync(paths.dir)
  return paths
}

test('a folder keeps its id and its number', () => {
  const paths = createPaths()
  const { id, fence } = readTenure(paths)
  expect(fence).toBe(0)
  writeTenure(paths, { id, fence: 4 })
  expect(readTenure(paths)).toEqual({ id, fence: 4 })
  expect(readTenure(paths)).toEqual({ id, fence: 4 })
})

test('a copy of a folder is another one, so that not both go on as one', () => {
  const [original, copy] = [createPaths(), createPaths()]
  writeTenure(original, createTenure(4))
  const { id } = readTenure(original)
  cpSync(original.dir, copy.dir, { recursive: true, preserveTimestamps: true })
  const copied = readTenure(copy)
  expect(copied.fence).toBe(4)
  expect(copied.id).not.toBe(id)
  expect(readTenure(copy)).toEqual(copied)
  expect(readTenure(original).id).toBe(id)
})

test('a restore is noted until the folder writes again, and is not copied with it', () => {
  const [original, copy] = [createPaths(), createPaths()]
  writeTenure(original, createTenure(4))
  const { id } = readTenure(original)
  noteRestored(original)
  expect(readTenure(original)).toEqual({ id, fence: 4, isRestored: true })
  cpSync(original.dir, copy.dir, { recursive: true, preserveTimestamps: true })
  expect(readTenure(copy).isRestored).toBeUndefined()
  writeTenure(original, { id, fence: 5 })
  expect(readTenure(original).isRestored).toBeUndefined()
})

test('an unreadable file is that of a folder that has never written', () => {
  const paths = createPaths()
  writeTenure(paths, createTenure(4))
  writeFileSync(paths.tenure, readFileSync(paths.tenure, 'utf8').slice(0, 20))
  expect(readTenure(paths).fence).toBe(0)
})
