import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { isLoopback } from '../../pipeline/core/loopback.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import type { AgentRun, StepResult } from '../../pipeline/model/storyboards/storyboard-result.ts'
import { skipReasons } from '../../pipeline/model/storyboards/storyboard-result.ts'
import type { RunnableStoryboard } from '../../pipeline/storyboards/catalog.ts'
import { runSuite } from '../../pipeline/storyboards/run-suite.ts'
import { readSettings } from './environment.ts'
import { openLoopbackInbox } from './loopback-inbox.ts'

/** Exit status for an agent that was tested and failed a step; one that was not reached ends with 1. */
const FAILED = 2

interface Options {
  token?: string
  format: 'text' | 'json' | 'junit'
}

interface TestedStoryboard {
  id: string
  status: AgentRun['status']
  seconds: number
  steps: StepResult[]
}

/** Runs every storyboard that applies to an agent, without a registry, and prints what it does in each. */
export async function testAgent(url: string, { token, format }: Options): Promise<void> {
  const config = readSettings()
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, silentLog))
  const tested: TestedStoryboard[] = []
  const onRun = ({ id }: RunnableStoryboard, { status, phases, duration_ms }: AgentRun) => {
    const steps = phases.flatMap(phase => phase.steps)
    const storyboard = { id, status, seconds: duration_ms / 1_000, steps }
    tested.push(storyboard)
    if (format === 'text') process.stdout.write(describeLines(storyboard))
  }
  // Whoever types the address vouches for it: it may be on this machine, or in a private network.
  const target = {
    url,
    isOperators: true as const,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const deps = {
    fetcher,
    limits: config.LIMITS,
    protocolName: config.PROTOCOL_NAME,
    clock: systemClock,
    signal: new AbortController().signal,
    ...(isLoopback(new URL(url).hostname) && { openInbox: openLoopbackInbox }),
  }
  const { outcome } = await runSuite(target, deps, onRun)
  await fetcher.close()
  if (outcome !== 'tested') return fail(outcome)
  if (format === 'json') process.stdout.write(`${JSON.stringify(tested, null, 2)}\n`)
  if (format === 'junit') process.stdout.write(buildJunit(tested))
  const failed = tested.flatMap(({ steps }) => steps.filter(({ passed }) => passed === false))
  if (format === 'text') process.stdout.write(describeTotal(tested, failed.length))
  if (failed.length > 0) process.exitCode = FAILED
}

function fail(outcome: 'auth_required' | 'unreachable'): void {
  const why = outcome === 'unreachable' ? 'cannot be reached' : 'wants a credential: --token'
  process.stderr.write(`the agent ${why}\n`)
  process.exitCode = 1
}

function describeLines({ id, status, steps }: TestedStoryboard): string {
  const notRun = steps.filter(({ passed }) => passed === null).length
  const more = notRun > 0 ? `, ${notRun} of ${steps.length} steps not run` : ''
  const failed = steps.filter(({ passed }) => passed === false)
  const lines = failed.map(step => `    ${step.step}: ${describeFailure(step)}`)
  return `${[`${status.padEnd(11)} ${id}${more}`, ...lines].join('\n')}\n`
}

function describeTotal(tested: readonly TestedStoryboard[], failed: number): string {
  const steps = tested.flatMap(storyboard => storyboard.steps)
  const passed = steps.filter(step => step.passed).length
  const notRun = steps.length - passed - failed
  return `${tested.length} storyboards: ${passed} steps passed, ${failed} failed, ${notRun} not run\n`
}

/** Describes what was wrong with a step, in one line. */
function describeFailure({ error, validations }: StepResult): string {
  const wrong = validations
    .filter(({ passed }) => !passed)
    .map(({ check, path, expected, actual }) => {
      const place = path === undefined ? '' : ` at ${path}`
      return `${check}${place}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`
    })
  return [error, ...wrong].filter(text => text !== undefined).join('; ')
}

/** Builds a report in the format of JUnit, which build servers read. */
function buildJunit(tested: readonly TestedStoryboard[]): string {
  const suites = tested.map(({ id, seconds, steps }) => {
    const cases = steps.map(step => {
      const name = `<testcase classname="${escapeXml(id)}" name="${escapeXml(step.step)}"`
      if (step.passed) return `    ${name} time="${step.duration_ms / 1_000}"/>`
      const inner =
        step.passed === false
          ? `<failure message="${escapeXml(describeFailure(step))}"/>`
          : `<skipped message="${escapeXml(skipReasons[step.skip_reason ?? 'not_applicable'])}"/>`
      return `    ${name}>${inner}</testcase>`
    })
    const open = `  <testsuite name="${escapeXml(id)}" tests="${steps.length}" time="${seconds}">`
    return [open, ...cases, '  </testsuite>'].join('\n')
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

const xmlNames: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Escapes a text for XML, which has no control characters. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, sign => xmlNames[sign] ?? sign).replace(/\p{Cc}/gu, ' ')
}
