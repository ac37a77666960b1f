#!/usr/bin/env node
// An older Node refuses a file that imports a name which it does not have.
import * as modules from 'node:module'
import { join } from 'node:path'
import { refuseOldNode } from './command-line/old-node.ts'

refuseOldNode(process.env.VALIDATOR_NODE ?? '', 'the validator')

// Beside the program: who can write there could change the program, too. Where it cannot be written, nothing is kept.
process.umask(process.umask() | 0o022)
modules.enableCompileCache(process.env.NODE_COMPILE_CACHE || join(import.meta.dirname, '.compiled'))
// Only what is imported after that is kept.
const { buildValidator } = await import('./command-line/validator-program.ts')

buildValidator()
  .parseAsync()
  .catch(error => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  })
