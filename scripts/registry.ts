#!/usr/bin/env node
import { readFileSync } from 'node:fs'
// An older Node refuses a file that imports a name which it does not have.
import * as modules from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../pipeline/core/project-root.ts'

refuseOldNode()

// Processes and threads that this one starts use it too. Where it cannot be written, nothing is kept.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../.compiled')
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

function refuseOldNode(): void {
  const { engines } = JSON.parse(readFileSync(`${projectRoot}/package.json`, 'utf8'))
  const wanted: string = engines.node.replace('>=', '')
  if (isAtLeast(process.versions.node, wanted)) return
  process.stderr.write(
    `the registry needs Node ${wanted} or newer; this is ${process.versions.node}\n`,
  )
  process.exit(1)
}

/** Compares versions number by number: `localeCompare` would load the rules of a language first, for 17 ms. */
function isAtLeast(version: string, wanted: string): boolean {
  const [is = [], least = []] = [version, wanted].map(text => text.split('.').map(Number))
  const differing = least.findIndex((number, i) => number !== is[i])
  return differing < 0 || Number(is[differing]) > Number(least[differing])
}
