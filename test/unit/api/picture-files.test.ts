import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PictureFiles } from '../../../api/pictures/picture-files.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'

let folder: ReturnType<typeof makeTemporaryFolder>
const toName = (text: string) => createHash('sha256').update(text).digest('hex')
const picture = Buffer.alloc(1_000, 'x')
const measureFolder = () =>
  readdirSync(folder.path).reduce((sum, name) => sum + statSync(join(folder.path, name)).size, 0)

beforeEach(() => {
  folder = makeTemporaryFolder()
})
afterEach(() => folder.remove())

test('pictures of pages are found again by another process', async () => {
  await new PictureFiles(folder.path, 10_000).keep(toName('a'), picture, 'ann')
  const found = await new PictureFiles(folder.path, 10_000).find(toName('a'))
  expect(found?.equals(picture)).toBe(true)
  expect(await new PictureFiles(folder.path, 10_000).find(toName('b'))).toBeUndefined()
})

test('pictures of pages never take more than their room, and one caller displaces only what is theirs', async () => {
  const files = new PictureFiles(folder.path, 10_000)
  await files.keep(toName('of ann'), picture, 'ann')
  for (let i = 0; i < 50; i++) {
    await files.keep(toName(`${i}`), picture, 'mallory')
    expect(measureFolder()).toBeLessThanOrEqual(10_000)
  }
  expect(await files.find(toName('of ann'))).toBeDefined()
  expect(await files.find(toName('0'))).toBeUndefined()
  // A smaller limit counts for what is there already, and what was not finished is deleted.
  writeFileSync(join(folder.path, `${toName('c')}.png.1`), picture)
  expect(await new PictureFiles(folder.path, 3_000).find(toName('49'))).toBeDefined()
  expect(measureFolder()).toBeLessThanOrEqual(3_000)
})

test('a folder that is lost, or cannot be written, costs time only', async () => {
  const files = new PictureFiles(folder.path, 10_000)
  await files.keep(toName('a'), picture, 'ann')
  rmSync(folder.path, { recursive: true })
  expect(await files.find(toName('a'))).toBeUndefined()
  await files.keep(toName('b'), picture, 'ann')
  expect(await files.find(toName('b'))).toBeUndefined()
})
