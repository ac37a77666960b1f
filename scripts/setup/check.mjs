import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { root, run } from './run.mjs'

const steps = [
  ['types', 'node_modules/typescript/bin/tsc', '--noEmit'],
  ['style', 'node_modules/@biomejs/biome/bin/biome', 'check', '--colors=off'],
  ['lock', 'scripts/lock.mjs', '--check'],
]

/** One line a step, all steps whatever the others say. The layers are checked by `npm test`. */
export function check() {
  const held = steps.map(step => holds(...step))
  if (held[0] && existsSync(join(root, 'scripts/generate.ts'))) {
    build()
    held.push(holds('generated', 'dist/scripts/generate.js', '--check'))
  }
  if (held.includes(false)) process.exit(1)
}

function holds(name, ...args) {
  const begun = performance.now()
  const { ok, output } = run(process.execPath, args)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  if (!ok) console.log(output)
  console.log(`${name.padEnd(10)} ${ok ? 'ok' : 'FAILED'} ${seconds} s`)
  return ok
}
