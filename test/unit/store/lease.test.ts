import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Lease } from '../../../pipeline/store/lease.ts'
import { createDataDir } from '../../support/registry/registry.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Tells whether another process gets DuckDB's lock on a file. */
function canOthersOpen(file: string): boolean {
  const program = `
    const { DuckDBInstance } = require('@duckdb/node-api')
    DuckDBInstance.create(${JSON.stringify(file)}).then(() => process.exit(0), () => process.exit(1))`
  return spawnSync(process.execPath, ['-e', program]).status === 0
}

test('a lease to which nobody refers any more keeps other processes out until it is released', async () => {
  const file = join(createDataDir(), 'start.duckdb')
  const isTaken = async () => (await Lease.take(file)) !== undefined
  expect(await isTaken()).toBe(true)
  for (let round = 0; round < 5; round++) {
    collectGarbage()
    await setTimeout(20)
  }
  expect(canOthersOpen(file)).toBe(false)
  expect(await isTaken()).toBe(false)
})
