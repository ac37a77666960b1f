#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Processes and threads that this one starts use it too. Where it cannot be written, nothing is kept.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../.compiled')
enableCompileCache(process.env.NODE_COMPILE_CACHE)
// Only what is imported after that is kept.
const { buildProgram } = await import('./command-line/program.ts')

buildProgram()
  .parseAsync()
  .catch(error => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  })
