import { writeFileSync } from 'node:fs'
import { StaticJwksResolver } from '@adcp/sdk/signing'
import {
  getComplianceStoryboardById,
  resolveBundleOrStoryboard,
  runStoryboard,
} from '@adcp/sdk/testing'
import { correctStoryboard, nameProbed, readTestKit, type Storyboard } from './amend.ts'
import { findWebhookKeys } from './webhook-keys.ts'

/**
 * Runs one storyboard or bundle with the public client's runner, as a library: its command lacks test
 * kits, keys of webhooks and keys of requests. A process of its own, since it needs another date.
 */
export interface Run {
  storyboard: string
  /** Addresses by tenant: that of the first is tested, the others take the tasks of their protocols. */
  agents: [tenant: string, url: string][]
  token: string
  /** Task that a stranger is refused. */
  probe_task: string | undefined
  /** Vectors of request signing that the agent's policy or the transport leaves no room for. */
  skipVectors: readonly string[]
  /** File that the outcome is written to. */
  outcome: string
}

export interface Outcome {
  passed: number
  failed: number
  skipped: number
  /** Steps that failed or were skipped, with the runner's reason. */
  notes: string[]
}

type Options = NonNullable<Parameters<typeof runStoryboard>[2]>
type StoryboardResult = Awaited<ReturnType<typeof runStoryboard>>
async function run({ storyboard: name, agents, probe_task, ...rest }: Run): Promise<Outcome> {
  const [[tenant, url]] = agents as [[string, string]]
  const options = await buildOptions(url, rest)
  if (probe_task !== undefined) options.test_kit = readTestKit()
  const results: StoryboardResult[] = []
  for (const listed of listStoryboards(name)) {
    const storyboard = probe_task === undefined ? listed : nameProbed(listed, probe_task)
    if (agents.length === 1) results.push(await runStoryboard(url, storyboard, options))
    else results.push(...(await runRouted(storyboard, { agents, tenant, options })))
  }
  return {
    passed: sum(results.map(({ passed_count }) => passed_count)),
    failed: sum(results.map(({ failed_count }) => failed_count)),
    skipped: sum(results.map(({ skipped_count }) => skipped_count)),
    notes: results.flatMap(listNotes),
  }
}

/** Lists the storyboards of a name, and before each those that it requires. */
function listStoryboards(name: string): Storyboard[] {
  return resolveBundleOrStoryboard(name)
    .flatMap(storyboard => [
      ...(storyboard.requires_scenarios ?? []).flatMap(id => getComplianceStoryboardById(id) ?? []),
      storyboard,
    ])
    .map(correctStoryboard)
}

interface Routing {
  agents: Run['agents']
  /** Takes what belongs to no protocol. */
  tenant: string
  options: Options
}

/** The brand of plans in these storyboards: what is bought for another one is denied. */
const BRAND = { domain: 'acmeoutdoor.example' }

/** Runs a storyboard over several agents. The runner cannot seed these, so that is done before. */
async function runRouted(
  storyboard: Storyboard,
  { agents, tenant, options }: Routing,
): Promise<StoryboardResult[]> {
  const urls = new Map(agents)
  const own = { ...options, brand: BRAND }
  const seeds = { ...storyboard, required_tools: [], phases: [] }
  const seeded = await runStoryboard(urls.get(tenant)!, seeds, own)
  const routed = await runStoryboard('', storyboard, {
    ...own,
    agents: Object.fromEntries(agents.map(([name, url]) => [name, { url }])),
    default_agent: tenant,
    context: { governance_agent_url: urls.get('governance') },
    skip_controller_seeding: true,
  })
  return [{ ...seeded, phases: [], skipped_count: 0 }, routed]
}

/** Lists steps that failed or were skipped, with the runner's reason. */
function listNotes({ phases }: StoryboardResult): string[] {
  return phases
    .flatMap(({ steps }) => steps)
    .filter(({ passed, skipped }) => !passed || skipped)
    .map(({ step_id, skipped, skip_reason, error, validations }) => {
      const wrong = validations.find(({ passed }) => !passed)
      const faults = [wrong?.description, JSON.stringify(wrong?.actual), error?.split('\n')[0]]
      const reason = skip_reason ?? faults.filter(Boolean).join('; ')
      return `${skipped ? 'skipped' : 'failed'}: ${step_id}: ${reason}`
    })
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0)
}

async function buildOptions(
  url: string,
  { token, skipVectors }: Pick<Run, 'token' | 'skipVectors'>,
): Promise<Options> {
  return {
    protocol: 'mcp',
    allow_http: true,
    auth: { type: 'bearer', token },
    webhook_receiver: { mode: 'loopback_mock' },
    contracts: ['webhook_receiver_runner'],
    webhook_signing: { jwks: new StaticJwksResolver(await findWebhookKeys(url)) },
    request_signing: { transport: 'mcp', skipRateAbuse: true, skipVectors: [...skipVectors] },
  }
}

const task: Run = JSON.parse(process.argv[2]!)
const outcome = await run(task)
writeFileSync(task.outcome, JSON.stringify(outcome))
process.exit(0)
