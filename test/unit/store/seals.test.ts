import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { isAsSealed, Seals } from '../../../pipeline/store/seals.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'

function open(dir: string) {
  const seals = Seals.open(resolvePaths(dir))
  cleanUp(() => seals.close())
  return seals
}

test('a file that is written beside commits is sealed by nobody until it is whole', () => {
  const paths = resolvePaths(createDataDir())
  const exported = `${paths.parquet}/brands.new/part-0.parquet`
  mkdirSync(`${paths.parquet}/brands.new`, { recursive: true })
  const write = (text: string) => {
    for (const file of [paths.columnar, exported]) writeFileSync(file, text)
  }
  const listChanged = () => {
    const seals = open(paths.dir)
    return [paths.columnar, exported].filter(file => seals.isChanged(file))
  }
  write('whole')
  const seals = open(paths.dir)
  seals.seal(paths.columnar, exported)
  seals.beginWriting(paths.columnar)
  seals.beginWriting(paths.parquet)
  write('half')
  seals.sealOnly([paths.columnar, exported])
  write('more of it')
  expect(listChanged()).toEqual([])
  seals.endWriting(paths.columnar)
  seals.endWriting(paths.parquet, [exported])
  expect(listChanged()).toEqual([])
  write('something else')
  expect(listChanged()).toEqual([paths.columnar, exported])
})

test('only a file that has a seal is known to be as it was left', () => {
  const paths = resolvePaths(createDataDir())
  writeFileSync(paths.columnar, 'whole')
  expect(isAsSealed(paths, paths.columnar)).toBe(false)
  open(paths.dir).note(paths.columnar)
  expect(isAsSealed(paths, paths.columnar)).toBe(true)
  writeFileSync(paths.columnar, 'changed')
  expect(isAsSealed(paths, paths.columnar)).toBe(false)
})
