import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from './agent.ts'
import { listUnrunClaims } from './claims.ts'
import type { Outcome, Run } from './runner.ts'
import { type Row, rows } from './storyboards.ts'

/** Runs the protocol's own storyboards against the reference agent, each against one that is new. */

const root = join(import.meta.dirname, '../..')
const readme = join(import.meta.dirname, 'README.md')
const START = '2026-04-01T00:00:00Z'
/** The credential that the runner's test kit brings. */
const TOKEN = 'demo-acme-outdoor-v1'
const MARK = '<!-- results -->'

type Result = Row & Outcome

async function runRow(row: Row): Promise<Result> {
  const { tenant, name, others = [], signedTasks = [], probe_task, skipVectors = [] } = row
  const behindMs = Date.now() - Date.parse(START)
  const clock = { now: () => Date.now() - behindMs }
  const agent = await startAgent({ clock, token: TOKEN, signedTasks })
  const outcome = join(tmpdir(), `conformance-${process.pid}.json`)
  try {
    return {
      ...row,
      ...(await runRunner({
        storyboard: name,
        agents: [tenant, ...others].map(name => [name, `${agent.url}/${name}/mcp`]),
        token: TOKEN,
        probe_task,
        skipVectors,
        outcome,
      })),
    }
  } finally {
    rmSync(outcome, { force: true })
    await agent.close()
  }
}

function runRunner(run: Run): Promise<Outcome> {
  const [preload, runner] = ['fake-date.cjs', 'runner.ts'].map(file =>
    join(import.meta.dirname, file),
  ) as [string, string]
  const child = spawn(
    process.execPath,
    ['-r', preload, '--import', 'tsx', runner, JSON.stringify(run)],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CONFORMANCE_START: START, ADCP_SKIP_VERSION_CHECK: '1' },
    },
  )
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(readOutcome(run.outcome)))
  })
}

function readOutcome(file: string): Outcome {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: 0, notes: ['failed: the runner told no outcome'] }
  }
}

const isGood = ({ passed, failed }: Result) => passed > 0 && failed === 0

function writeTable(results: readonly Result[]): string {
  const rows = results.map(
    ({ tenant, name, passed, failed, skipped }) =>
      `| ${tenant} | ${name} | ${passed} | ${failed} | ${skipped} |`,
  )
  return [
    '| tenant | storyboard | passed | failed | skipped |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

const unrun = listUnrunClaims()
for (const claim of unrun)
  console.log(`FAIL ${claim}: its capabilities select it, and no row runs it`)

const [only] = process.argv.slice(2).filter(word => !word.startsWith('--'))
const results: Result[] = []
for (const row of rows) {
  const { tenant, name } = row
  if (only !== undefined && only !== tenant && only !== name) continue
  const result = await runRow(row)
  results.push(result)
  const { passed, failed, skipped, notes } = result
  const verdict = isGood(result) ? 'ok  ' : 'FAIL'
  console.log(
    `${verdict} ${tenant} ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  )
  for (const note of notes) console.log(`     ${note}`)
}
if (process.argv.includes('--write')) {
  const [before] = readFileSync(readme, 'utf8').split(MARK)
  writeFileSync(readme, `${before}${MARK}\n\n${writeTable(results)}\n`)
}
process.exitCode = unrun.length === 0 && results.length > 0 && results.every(isGood) ? 0 : 1
