import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

// Imports the index of a folder and ends by SIGKILL at the n-th call that may change a file; prints how many there were.
const [, , dataDir = '', last = '0'] = process.argv
let steps = 0

function count<Owner extends object>(owner: Owner, name: keyof Owner): void {
  const original = owner[name] as (...values: unknown[]) => unknown
  const counted = function (this: unknown, ...values: unknown[]) {
    steps += 1
    if (steps === Number(last)) process.kill(process.pid, 'SIGKILL')
    return original.apply(this, values)
  }
  owner[name] = counted as Owner[keyof Owner]
}

for (const name of ['linkSync', 'renameSync', 'rmSync', 'fsyncSync'] as const) count(fs, name)
syncBuiltinESMExports()
count(DatabaseSync.prototype, 'exec')
count(StatementSync.prototype, 'run')
const { importIndex } = await import('../../../pipeline/store/columnar/import-index.ts')
const { resolvePaths } = await import('../../../pipeline/store/paths.ts')
await importIndex(resolvePaths(dataDir))
process.stdout.write(String(steps))
