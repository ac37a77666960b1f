import { spawnSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { silentLog } from '../../../pipeline/core/log.ts'
import { Lease } from '../../../pipeline/store/lease.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { createDataDir } from '../../support/registry/registry.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Tells whether another process gets the lock on a file. */
function canOthersLock(file: string): boolean {
  const program = `
    const { DatabaseSync } = require('node:sqlite')
    new DatabaseSync(${JSON.stringify(file)}).exec('begin exclusive')`
  return spawnSync(process.execPath, ['-e', program]).status === 0
}

test('a lease to which nobody refers anymore keeps other processes out until it is released', async () => {
  const file = join(createDataDir(), 'start.lock')
  const isTaken = async () => (await Lease.take(file)) !== undefined
  expect(await isTaken()).toBe(true)
  for (let round = 0; round < 5; round++) {
    collectGarbage()
    await setTimeout(20)
  }
  expect(canOthersLock(file)).toBe(false)
  expect(await isTaken()).toBe(false)
})

test('a lease is free again once it is released, and its file stays empty', async () => {
  const file = join(createDataDir(), 'start.lock')
  const lease = await Lease.take(file)
  expect(await Lease.isHeld(file)).toBe(true)
  lease?.release()
  expect(canOthersLock(file)).toBe(true)
  expect(await Lease.isHeld(file)).toBe(false)
  expect(statSync(file).size).toBe(0)
  expect(existsSync(`${file}-journal`)).toBe(false)
})

test('a damaged file is set aside where that is asked for, and refused elsewhere', async () => {
  const paths = resolvePaths(createDataDir())
  writeFileSync(
    paths.lease,
    'no database at all, but long enough to be read as the head of one'.repeat(20),
  )
  await expect(Lease.take(paths.lease)).rejects.toThrow('not a database')
  const lease = await Lease.take(paths.lease, { paths, log: silentLog })
  expect(lease).toBeDefined()
  expect(existsSync(`${paths.damaged}/lease.lock`)).toBe(true)
  expect(canOthersLock(paths.lease)).toBe(false)
  lease?.release()
})
