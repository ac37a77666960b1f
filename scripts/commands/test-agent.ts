import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { isLoopback } from '../../pipeline/core/loopback.ts'
import { createFetcher, type Fetcher } from '../../pipeline/fetch/http.ts'
import type { AgentRun, StepGuidance } from '../../pipeline/model/storyboards/storyboard-result.ts'
import { fetchBundles } from '../../pipeline/storyboards/bundles/fetch-bundles.ts'
import { openCatalog, type RunnableStoryboard } from '../../pipeline/storyboards/catalog.ts'
import { runSuite } from '../../pipeline/storyboards/run-suite.ts'
import { PUBLIC_NAME } from '../../pipeline/storyboards/schemas.ts'
import { readSettings } from './environment.ts'
import { openLoopbackInbox } from './loopback-inbox.ts'
import { buildJunit, buildSarif, describeFailure, type TestedStoryboard } from './test-reports.ts'

/** Exit status for an agent that failed a step, or of which a run did not see the end; one that was not reached ends with 1. */
const FAILED = 2

interface Options {
  token?: string
  format: 'text' | 'json' | 'junit' | 'sarif'
}

/**
 * Runs every storyboard that applies to an agent, without a registry, and prints what it does in each. Its tasks
 * have the public names, which agents on the live web have, unless PROTOCOL_NAME is another.
 */
export async function testAgent(url: string, { token, format }: Options): Promise<void> {
  const config = readSettings({ PROTOCOL_NAME: process.env.PROTOCOL_NAME || PUBLIC_NAME })
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, silentLog))
  const areUsable = await openBundles(config, fetcher)
  if (!areUsable) return fetcher.close()
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
  if (outcome !== 'tested') return fail(silences[outcome])
  if (format === 'json') process.stdout.write(`${JSON.stringify(tested, null, 2)}\n`)
  if (format === 'junit') process.stdout.write(buildJunit(tested))
  if (format === 'sarif')
    process.stdout.write(`${JSON.stringify(buildSarif(url, tested), null, 2)}\n`)
  if (format === 'text') process.stdout.write(describeTotal(tested))
  if (tested.some(({ status }) => status === 'partial' || status === 'failing')) {
    process.exitCode = FAILED
  }
}

/** Opens the bundles that `STORYBOARDS` names. An agent that passes without one of them would seem to pass all. */
async function openBundles(config: Config, fetcher: Fetcher): Promise<boolean> {
  const deps = { fetcher, limits: config.LIMITS, clock: systemClock }
  for (const fault of await fetchBundles(config, deps)) process.stderr.write(`${fault}\n`)
  const faults = openCatalog(config)
  if (faults.length > 0) fail(faults.join('\n'))
  return faults.length === 0
}

const silences = {
  auth_required: 'The agent requires a credential: pass it with --token.',
  unreachable: 'The agent cannot be reached.',
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

function describeLines({ id, status, steps }: TestedStoryboard): string {
  const notRun = steps.filter(({ passed }) => passed === null).length
  const more = notRun > 0 ? `, ${notRun} of ${countThings(steps.length, 'step')} not run` : ''
  const failed = steps.filter(({ passed }) => passed === false)
  const lines = failed.flatMap(step => [
    `    ${step.step}: ${describeFailure(step)}`,
    ...(step.guidance ? [`      ${describeHelp(step.guidance)}`] : []),
  ])
  return `${[`${status.padEnd(11)} ${id}${more}`, ...lines].join('\n')}\n`
}

function describeHelp({ fix, reference_url }: StepGuidance): string {
  return reference_url === undefined ? fix : `${fix} See ${reference_url}`
}

function describeTotal(tested: readonly TestedStoryboard[]): string {
  const steps = tested.flatMap(storyboard => storyboard.steps)
  const passed = steps.filter(step => step.passed).length
  const failed = steps.filter(step => step.passed === false).length
  const notRun = steps.length - passed - failed
  return `${countThings(tested.length, 'storyboard')}: ${countThings(passed, 'step')} passed, ${failed} failed, ${notRun} not run\n`
}
