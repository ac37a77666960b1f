import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgentApp } from '../../api/agent/app.ts'
import { AgentState } from '../../api/agent/state/store.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { storyboards } from './storyboards.ts'

/** Runs the protocol's own storyboards against the reference agent, each against one that is new. */

const root = join(import.meta.dirname, '../..')
const readme = join(import.meta.dirname, 'README.md')
const START = '2026-04-01T00:00:00Z'
/** The credential that the runner's test kit brings. */
const TOKEN = 'demo-acme-outdoor-v1'
const MARK = '<!-- results -->'

interface Result {
  tenant: string
  name: string
  passed: number
  failed: number
  skipped: number
  failures: string[]
}

async function runOne(tenant: string, name: string): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const behindMs = Date.now() - Date.parse(START)
  const state = AgentState.open(join(folder, 'state.mdb'))
  const app = buildAgentApp({
    config: readConfig({ PROTOCOL_NAME: 'adcp', TEST_AGENT_TOKEN: TOKEN }),
    clock: { now: () => Date.now() - behindMs },
    log: silentLog,
    state,
  })
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const summary = join(folder, 'summary.json')
    await runRunner(`${url}/${tenant}/mcp`, name, summary)
    return { tenant, name, ...readSummary(summary) }
  } finally {
    await app.close()
    await state.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The runner's exit status says nothing: a run with failed steps may end with 0. */
function runRunner(url: string, name: string, summary: string): Promise<void> {
  const runner = join(root, 'node_modules/@adcp/sdk/bin/adcp.js')
  const preload = join(import.meta.dirname, 'fake-date.cjs')
  const options = ['--allow-http', '--auth', TOKEN, '--summary-output', summary]
  const child = spawn(
    process.execPath,
    ['-r', preload, runner, 'storyboard', 'run', url, name, ...options],
    {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, CONFORMANCE_START: START, ADCP_SKIP_VERSION_CHECK: '1' },
    },
  )
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve())
  })
}

function readSummary(file: string): Omit<Result, 'tenant' | 'name'> {
  try {
    const { passed, failed, skipped, failures = [] } = JSON.parse(readFileSync(file, 'utf8'))
    const told = failures.map(
      (one: { step_id: string; reason?: string }) => `${one.step_id}: ${one.reason ?? ''}`,
    )
    return { passed, failed, skipped, failures: told }
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failures: ['the runner wrote no summary'] }
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

const [only] = process.argv.slice(2).filter(word => !word.startsWith('--'))
const results: Result[] = []
for (const { tenant, names } of storyboards) {
  for (const name of names) {
    if (only !== undefined && only !== tenant && only !== name) continue
    const result = await runOne(tenant, name)
    results.push(result)
    const { passed, failed, skipped, failures } = result
    const verdict = isGood(result) ? 'ok  ' : 'FAIL'
    console.log(
      `${verdict} ${tenant} ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    )
    for (const failure of failures) console.log(`     ${failure}`)
  }
}
if (process.argv.includes('--write')) {
  const [before] = readFileSync(readme, 'utf8').split(MARK)
  writeFileSync(readme, `${before}${MARK}\n\n${writeTable(results)}\n`)
}
process.exitCode = results.length > 0 && results.every(isGood) ? 0 : 1
