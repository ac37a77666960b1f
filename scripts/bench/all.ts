import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { toTypedPath } from '../commands/typed-path.ts'
import { builtFolder, root } from './support/child.ts'
import { note } from './support/report.ts'

/**
 * Runs every bench, one after the other. With `--check` it exits with 1 if any bound is missed; `--record FILE`
 * appends the figures of each bench as a line of JSON. Other options are passed on.
 */
const benches = ['points', 'reads', 'feed', 'pages', 'saves', 'commit', 'night']

const args = process.argv.slice(2)
const at = args.indexOf('--record')
const [, record] = at < 0 ? [] : args.splice(at, 2)

const missed: string[] = []
for (const bench of benches) {
  note(`bench ${bench} …`)
  const result = await runBench(bench)
  if (record !== undefined) {
    appendFileSync(
      toTypedPath(record),
      `${JSON.stringify({ at: new Date().toISOString(), ...result })}\n`,
    )
  }
  missed.push(...result.missed.map(sentence => `${bench}: ${sentence}`))
}
console.log(missed.length === 0 ? 'All bounds are met.' : `Missed:\n${missed.join('\n')}`)
if (args.includes('--check') && missed.length > 0) process.exitCode = 1

/** Runs one bench and shows what it prints; returns its last line, which is its result. */
async function runBench(bench: string): Promise<{ missed: string[] }> {
  const file = `${builtFolder}/scripts/bench/${bench}.js`
  const child = spawn(process.execPath, ['--expose-gc', file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = ''
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line)
    last = line
  }
  return JSON.parse(last)
}
