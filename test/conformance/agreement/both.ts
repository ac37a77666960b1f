import { readFileSync } from 'node:fs'
import { StaticJwksResolver } from '@adcp/sdk/signing'
import {
  getComplianceStoryboardById,
  parseStoryboard,
  runStoryboard as runTheirs,
} from '@adcp/sdk/testing'
import { buildFetcherOptions } from '../../../jobs/crawler/fetcher-options.ts'
import { DAY, systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import { findEntry, findStoryboard } from '../../../pipeline/storyboards/catalog.ts'
import { runStoryboard as runOurs } from '../../../pipeline/storyboards/run-storyboard.ts'
import { openLoopbackInbox } from '../../../scripts/commands/loopback-inbox.ts'
import { startAgent } from '../agent.ts'
import { correctStoryboard, nameProbed, readTestKit, type Storyboard } from '../amend.ts'
import { findWebhookKeys } from '../webhook-keys.ts'
import { type Fault, FaultProxy } from './proxy.ts'

/** A storyboard and the tenant of the reference agent that it is run against. */
export interface Pairing {
  tenant: string
  id: string
  probe_task?: string | undefined
}

/** Findings of a runner: the step that failed first, why, and how many passed. */
export interface Found {
  first: string | undefined
  why: string
  passed: number
}

/** Stands for what a storyboard works with, which one runner sets up in steps and the other before all steps. */
const SEEDING = 'seeding'
const TOKEN = 'demo-acme-outdoor-v1'
const config = readConfig({ PROTOCOL_NAME: 'adcp' })
const fetcher = createFetcher({
  ...buildFetcherOptions(config, systemClock, silentLog),
  limits: config.LIMITS,
})

/** Runs a storyboard with one of the runners, against an agent that is new and has a fault. */
export async function runAgainst(
  pairing: Pairing,
  run: (url: string, pairing: Pairing) => Promise<Found>,
  { fault, watched }: { fault?: Fault | undefined; watched?: readonly Fault[] } = {},
): Promise<Found & { wouldFire: ReadonlySet<Fault> }> {
  const proxy = new FaultProxy(watched)
  const origin = await proxy.listen()
  const settings = { PROTOCOL_NAME: 'adcp', AGENT_BASE_URL: origin }
  const agent = await startAgent({
    clock: systemClock,
    token: TOKEN,
    settings,
    wrap: send => proxy.wrap(send),
  })
  proxy.app = agent.app
  proxy.fault = fault
  try {
    return {
      ...(await run(`${origin}/${pairing.tenant}/mcp`, pairing)),
      wouldFire: proxy.wouldFire,
    }
  } finally {
    proxy.close()
    await agent.close()
  }
}

/** Runs a storyboard with the registry’s runner. */
export async function findOurs(url: string, { id }: Pairing): Promise<Found> {
  const target = { url, authorization: `Bearer ${TOKEN}`, isOperators: true as const }
  const { signal } = new AbortController()
  const deps = {
    fetcher,
    limits: config.LIMITS,
    protocolName: 'adcp',
    clock: systemClock,
    signal,
    openInbox: openLoopbackInbox,
  }
  const { phases, status } = await runOurs(findStoryboard(id)!, target, deps)
  const steps = phases.flatMap(phase => phase.steps)
  const failed = steps.find(({ passed }) => passed === false)
  const wrong = failed?.validations.find(({ passed }) => !passed)
  const isUnset = steps.every(({ skip_reason }) => skip_reason === 'prerequisite_failed')
  const [other] = [...(isUnset ? [SEEDING] : []), ...(status === 'unreachable' ? [status] : [])]
  return {
    first: failed?.step ?? other,
    why: JSON.stringify([failed?.error, wrong?.check, wrong?.path, wrong?.expected, wrong?.actual]),
    passed: steps.filter(({ passed }) => passed).length,
  }
}

/** Runs a storyboard with the public client’s runner. */
export async function findTheirs(url: string, { id, probe_task }: Pairing): Promise<Found> {
  const storyboard = correctStoryboard(getComplianceStoryboardById(id) ?? readOwn(id))
  const named = probe_task === undefined ? storyboard : nameProbed(storyboard, probe_task)
  const { phases } = await runTheirs(url, named, {
    protocol: 'mcp',
    allow_http: true,
    auth: { type: 'bearer', token: TOKEN },
    webhook_receiver: { mode: 'loopback_mock' },
    contracts: ['webhook_receiver_runner'],
    webhook_signing: { jwks: new StaticJwksResolver(await findWebhookKeys(url)) },
    ...(probe_task !== undefined && { test_kit: readTestKit() }),
  })
  const steps = phases.flatMap(phase => phase.steps)
  const failed = steps.find(
    ({ passed, skipped, validations }) => !skipped && (!passed || validations.some(isBroken)),
  )
  const wrong = failed?.validations.find(check => !check.passed || isBroken(check))
  return {
    first: failed?.step_id.replace(/^seed_.*/, SEEDING),
    why: JSON.stringify([
      failed?.error,
      wrong?.check,
      wrong?.path,
      wrong?.expected,
      wrong?.strict?.issues?.[0] ?? wrong?.actual,
    ]),
    passed: steps.filter(({ passed, skipped }) => passed && !skipped).length,
  }
}

/** Reads a storyboard of ours as the public runner has them: by the public names, and with dates. */
function readOwn(id: string): Storyboard {
  const text = readFileSync(findEntry(id)!.file, 'utf8')
  const dated = text.replace(/\$time:([+-]\d+)d/g, (_, days) =>
    new Date(systemClock.now() + Number(days) * DAY).toISOString(),
  )
  return parseStoryboard(dated.replace(/(?<=\b|_)proto(?=\b|_)/g, 'adcp'))
}

/** Tells whether an answer breaks its schema, of which the runner tells beside a laxer verdict of its own. */
function isBroken({ strict }: { strict?: { valid: boolean } }): boolean {
  return strict?.valid === false
}
