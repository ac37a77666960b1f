import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { TileListing } from '../../../pipeline/replica/tile-listing.ts'
import { createDataDir } from '../../support/registry/registry.ts'

function openLog() {
  const log = join(createDataDir(), 'log')
  const write = (name: string, bytes: number) => {
    const path = join(log, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.new`, Buffer.alloc(bytes))
    renameSync(`${path}.new`, path)
  }
  const settle = (...folders: string[]) => {
    for (const folder of folders) utimesSync(join(log, folder), 1, 1)
  }
  const listing = new TileListing(log)
  return { log, write, settle, list: () => Object.fromEntries(listing.list()) }
}

test('a listing of tiles tells what was added, replaced and deleted', () => {
  const { log, write, settle, list } = openLog()
  expect(list()).toEqual({})
  write('checkpoint', 10)
  write('tile/0/000', 32)
  write('tile/entries/000', 100)
  write('tile/entries/001.p/3', 50)
  const folders = ['', 'tile', 'tile/0', 'tile/entries', 'tile/entries/001.p']
  settle(...folders)
  const all = { 'tile/0/000': 32, 'tile/entries/000': 100, 'tile/entries/001.p/3': 50 }
  expect(list()).toEqual(all)
  expect(list()).toEqual(all)
  write('tile/entries/000', 70)
  write('tile/entries/001', 60)
  rmSync(join(log, 'tile/entries/001.p'), { recursive: true })
  const later = { 'tile/0/000': 32, 'tile/entries/000': 70, 'tile/entries/001': 60 }
  expect(list()).toEqual(later)
})

test('a folder of tiles in which nothing changed is not read again', () => {
  const { log, write, settle, list } = openLog()
  write('tile/0/000', 32)
  settle('', 'tile', 'tile/0')
  expect(list()).toEqual({ 'tile/0/000': 32 })
  // Behind its back: a size that only reading the folder again would tell.
  writeFileSync(join(log, 'tile/0/000'), Buffer.alloc(64))
  expect(list()).toEqual({ 'tile/0/000': 32 })
})
