import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'

test('a data folder on a file system that has no such folders is refused at once', () => {
  expect(() => makeFolders(resolvePaths('/proc/registry/data'))).toThrow('ENOENT')
})

test('a data folder may be below a link, and there already; a link that leads nowhere is refused', () => {
  const { path, remove } = makeTemporaryFolder()
  const [volume, link] = [join(path, 'volume'), join(path, 'link')]
  mkdirSync(volume)
  symlinkSync(volume, link)
  const paths = resolvePaths(join(link, 'a', 'b'))
  makeFolders(paths)
  makeFolders(paths)
  rmSync(volume, { recursive: true })
  expect(() => makeFolders(paths)).toThrow('EEXIST')
  remove()
})
