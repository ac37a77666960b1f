import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { requireValue } from '../../pipeline/core/present.ts'
import { builtFolder, Child, root } from './support/child.ts'
import { computeRatios, printComparison } from './support/comparison-report.ts'
import type { Comparison } from './support/http-bench.ts'
import { formatRequest, startLoadClient, startLoadRunner } from './support/load-runner.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import { note, printResult } from './support/report.ts'
import { roundForPrint, roundSpread, type Spread } from './support/spread.ts'

/**
 * Compares calls of the reference agent over MCP, served by one process, with a tool of the bare
 * SDK that sends as many bytes. Every purchase has its own idempotency key, so none is a replay.
 */
const WARM_SECONDS_MAX = 2
const TOKEN = 'bench-token'
const PATH = '/sales/mcp'
const DAY_MS = 86_400_000
/**
 * Purchases prepared for each second of the bench, more than any machine is expected to make;
 * beyond it they repeat.
 */
const PURCHASES_A_SECOND = 1_500

const options = readOptions(1, 1)
const { pairs, seconds, connections } = options
const warmSeconds = Math.min(WARM_SECONDS_MAX, seconds)

function describeCall(name: string, given: object) {
  return {
    method: 'POST' as const,
    path: PATH,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  }
}

function buildPurchase(): object {
  const now = Date.now()
  return {
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'bench.example' }, operator: 'bench.example' },
    brand: { domain: 'bench.example' },
    start_time: new Date(now + DAY_MS).toISOString(),
    end_time: new Date(now + 8 * DAY_MS).toISOString(),
    packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 5_000 }],
  }
}

const search = { brief: 'Cooking and recipes' }
const purchases = PURCHASES_A_SECOND * (pairs * seconds + warmSeconds)

const rows = [
  { task: 'get_products', atLeast: 0.5, count: 1, build: () => search },
  { task: 'create_media_buy', atLeast: 0.3, count: purchases, build: buildPurchase },
]

const ours = await Child.start<{ url: string }>(join(builtFolder, 'scripts/registry.js'), {
  args: ['agent'],
  env: {
    DATA_DIR: options.folder,
    AGENT_PORT: '0',
    TEST_AGENT_TOKEN: TOKEN,
    LOG_LEVEL: 'error',
    LIMITS: JSON.stringify({
      agentCallsPerMinute: 1e9,
      agentCredentialCallsPerMinute: 1e9,
      agentCredentialBytes: 1e12,
    }),
  },
})
const client = await startLoadClient()

/** Calls a task once and returns the bytes of the answer; throws where the answer is an error. */
async function measureAnswer(task: string, given: object): Promise<number> {
  const { headers, body } = describeCall(task, given)
  const answer = await fetch(new URL(PATH, ours.ready.url), { method: 'POST', headers, body })
  const text = await answer.text()
  if (!answer.ok || JSON.parse(text).result?.isError) throw new Error(`${task}: ${text}`)
  return Buffer.byteLength(text)
}

/** Runs our agent against a bare tool whose text is as long as our whole answer. */
async function runComparison({ task, count, build }: (typeof rows)[number]): Promise<Comparison> {
  const answerBytes = await measureAnswer(task, build())
  const bare = await Child.start<{ url: string }>(join(root, 'scripts/bench/bare/mcp.mjs'), {
    args: [JSON.stringify({ path: PATH, bytes: answerBytes })],
  })
  const calls = Array.from({ length: count }, () => formatRequest(describeCall(task, build())))
  const echo = formatRequest(describeCall('echo', { text: 'hello' }))
  const runners = {
    ours: await startLoadRunner(client, ours, { set: 'ours', requests: calls, connections }),
    bare: await startLoadRunner(client, bare, { set: 'bare', requests: [echo], connections }),
  }
  await runners.ours(warmSeconds)
  await runners.bare(warmSeconds)
  const rounds = await runInterleaved(pairs, {
    ours: () => runners.ours(seconds),
    bare: () => runners.bare(seconds),
  })
  await bare.stop()
  return { rounds, answerBytes }
}

const ratios: { task: string; atLeast: number; ratio: Spread; cpuRatio: Spread }[] = []
for (const row of rows) {
  const { task, atLeast } = row
  note(`${task} …`)
  const found = await runComparison(row)
  const { ratio, cpuRatio } = computeRatios(found)
  ratios.push({ task, atLeast, ratio, cpuRatio })
  printComparison(task, found)
  console.log(`ours ÷ bare: ${roundForPrint(ratio.median)} (at least ${atLeast})\n`)
}
await client.stop()
await ours.stop()
options.tidy()

const [nearest] = [...ratios].sort(
  (a, b) => a.ratio.median / a.atLeast - b.ratio.median / b.atLeast,
)
printResult({
  bench: 'agent',
  pairs,
  seconds,
  ratio: roundSpread(requireValue(nearest, 'row').ratio),
  by_task: Object.fromEntries(
    ratios.map(({ task, atLeast, ratio, cpuRatio }) => [
      task,
      { ...roundSpread(ratio), cpu: roundForPrint(cpuRatio.median), at_least: atLeast },
    ]),
  ),
})
