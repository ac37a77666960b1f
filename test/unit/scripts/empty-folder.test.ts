import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { mayBegin } from '../../../scripts/commands/empty-folder.ts'
import { createDataDir } from '../../support/registry/registry.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Tells whether a registry may begin in a folder with these files. */
function mayBeginWith(files: readonly string[]): boolean {
  const DATA_DIR = createDataDir()
  for (const file of files) {
    mkdirSync(dirname(`${DATA_DIR}/${file}`), { recursive: true })
    writeFileSync(`${DATA_DIR}/${file}`, 'something')
  }
  return mayBegin({ DATA_DIR })
}

test.each<[what: string, files: string[], may: boolean]>([
  ['an empty folder', [], true],
  ['a new volume', ['lost+found/0', '.snapshot/0'], true],
  ['what the other roles and an operator have put there', ['push.lock', 'accounts/key'], true],
  ['a folder of something else', ['notes.txt', 'accounts/key'], false],
  ['a folder with Redis of something else', ['redis/dump.rdb'], false],
  ['what a start that failed has left', ['start.lock', 'redis/redis.log', 'accounts/key'], true],
  ['what an interrupted first commit has left', ['lease.lock', 'seals'], true],
  [
    'what a refused restore of an older version has left',
    ['lease.lock', 'record/record.sqlite.new'],
    false,
  ],
  ['a replica', ['replica.json', 'start.lock'], false],
])('a registry may begin in %s: %j is %j', (_, files, may) => {
  expect(mayBeginWith(files)).toBe(may)
})

test('a registry may begin in the folder of the default before that is there, and in no other missing one', () => {
  const here = createDataDir()
  vi.spyOn(process, 'cwd').mockReturnValue(here)
  expect(mayBegin({ DATA_DIR: 'mistyped' })).toBe(false)
  expect(mayBegin({ DATA_DIR: 'data/var' })).toBe(true)
  mkdirSync(`${here}/data/var/demo`, { recursive: true })
  expect(mayBegin({ DATA_DIR: `${here}/data/var` }), 'with a demo in it').toBe(true)
  mkdirSync(`${here}/data/var/snapshots`)
  writeFileSync(`${here}/data/var/registry.duckdb`, '')
  expect(mayBegin({ DATA_DIR: 'data/var' }), 'with what was made of a record').toBe(false)
})
