#!/usr/bin/env node
import { readFileSync } from 'node:fs'
// An older Node refuses a file that imports a name which it does not have.
import * as modules from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../pipeline/core/project-root.ts'
import { refuseOldNode } from './command-line/old-node.ts'

const { engines } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
refuseOldNode(engines.node, 'the registry')

// Processes and threads that this one starts use it too. Where it cannot be written, nothing is kept.
process.env.NODE_COMPILE_CACHE ||= join(import.meta.dirname, '../.compiled')
modules.enableCompileCache(process.env.NODE_COMPILE_CACHE)
// Only what is imported after that is kept.
const { buildProgram } = await import('./command-line/program.ts')
const { describeError } = await import('./command-line/describe-error.ts')

buildProgram()
  .parseAsync()
  .catch(error => {
    process.stderr.write(`${describeError(error)}\n`)
    process.exitCode = 1
  })
