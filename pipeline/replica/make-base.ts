import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BaseMark, writeBase } from '../serving/base.ts'

/** Size of a serving store up to which this process makes its base; a child process makes a larger one. */
const IN_PROCESS_BYTES_MAX = 16 * 1024 * 1024
const BASE_PROGRAM = import.meta.url.endsWith('.ts') ? './base-program.ts' : './base-program.js'

/** Builds a base of a serving store at a path, as of one commit. Commits continue meanwhile. */
export async function makeBase(servingFile: string, target: string): Promise<BaseMark> {
  if (statSync(servingFile).size <= IN_PROCESS_BYTES_MAX) return writeBase(servingFile, target)
  const program = fileURLToPath(new URL(BASE_PROGRAM, import.meta.url))
  const execArgv = program.endsWith('.ts') ? ['--import', 'tsx'] : []
  const child = fork(program, [servingFile, target], {
    execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', mark => resolve(mark as BaseMark))
    child.once('error', reject)
    child.once('exit', (status, signal) =>
      reject(new Error(`the base was not made: ${signal ?? `status ${status}`}`)),
    )
  })
}
