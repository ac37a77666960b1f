import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { requireBuild } from './build.mjs'
import { root, run } from './run.mjs'

const steps = [
  ['types', 'node_modules/typescript/bin/tsc', '--noEmit'],
  ['browser', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'api/pages/browser'],
  ['style', 'node_modules/@biomejs/biome/bin/biome', 'check', '--colors=off'],
  ['lock', 'scripts/lock.mjs', '--check'],
]

/**
 * Runs all steps, also after one has failed, and prints a line for each. `npm test` checks the
 * layers.
 */
export function check() {
  const results = steps.map(step => runStep(...step))
  if (results[0] && existsSync(join(root, 'scripts/generate.ts'))) {
    requireBuild()
    results.push(runStep('generated', 'dist/scripts/generate.js', '--check'))
  }
  if (results.includes(false)) process.exit(1)
}

function runStep(name, ...args) {
  const begun = performance.now()
  const { ok, output } = run(process.execPath, args)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  if (!ok) console.log(output)
  console.log(`${name.padEnd(10)} ${ok ? 'ok' : 'FAILED'} ${seconds} s`)
  return ok
}
