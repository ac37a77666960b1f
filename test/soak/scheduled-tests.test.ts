import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runIndexer } from '../../jobs/indexer/indexer.ts'
import type { Role } from '../../jobs/process-role.ts'
import { HOUR, systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
import { Reader } from '../../pipeline/read/reader.ts'
import { makeTemporaryFolder } from '../support/processes/command.ts'
import { buildGenerousLimits } from '../support/registry/generous-limits.ts'
import { buildMemberOperations } from '../support/registry/members.ts'
import { type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'
import { type ReferenceAgent, startReferenceAgent } from '../support/servers/reference-agent.ts'
import { serveReferenceAgent } from '../support/servers/storyboards.ts'
import { testClock } from '../support/worlds/clock.ts'

const FIRST = 'https://first.example/signals/mcp'
const SECOND = 'https://second.example/signals/mcp'
const OWNER = randomUUID()
const clock = testClock()
/** The loop of the indexer looks every ten seconds who is due. */
const PATIENCE = { timeout: 120_000, interval: 500 }

let agent: ReferenceAgent
let web: LiveWeb
let folder: ReturnType<typeof makeTemporaryFolder>
let indexer: Role
let reader: Reader
let calls = 0

beforeAll(async () => {
  agent = await startReferenceAgent(systemClock)
  const patient = { storyboardMs: 60_000, storyboardStepMs: 60_000 }
  web = await openLiveWeb(
    {
      'first.example': serveReferenceAgent(agent, { isOpen: true, listen: () => calls++ }),
      'second.example': serveReferenceAgent(agent, { isOpen: true }),
    },
    patient,
    { PROTOCOL_NAME: 'adcp' },
  )
  folder = makeTemporaryFolder()
  const config = readConfig({
    DATA_DIR: folder.path,
    PROTOCOL_NAME: 'adcp',
    ...buildGenerousLimits(patient),
  })
  const fail = (error: unknown) => {
    throw error
  }
  indexer = await runIndexer(config, web.redis.url, clock, silentLog, fail)
  reader = new Reader(folder.path, clock)
  await submit({ op: 'organization.create', org_id: OWNER, name: 'Owner' })
  for (const operation of buildMemberOperations({
    org: 'Owner',
    tier: 'company_standard',
    domains: ['first.example', 'second.example'],
    agents: [
      { url: FIRST, type: 'signals' },
      { url: SECOND, type: 'signals' },
    ],
  })) {
    await submit(operation)
  }
}, 120_000)

afterAll(async () => {
  await reader?.close()
  await indexer?.close()
  await web?.close()
  await agent?.close()
  folder?.remove()
})

async function submit(operation: object): Promise<Record<string, unknown>> {
  const answer = await web.writer.submit(Operation.parse(operation))
  if ('refused' in answer) throw new Error(answer.refused)
  return answer.done
}

/** Counts the scheduled runs of an agent so far, and says how it fares. */
async function readRuns(url: string): Promise<[runs: number, status: string | undefined]> {
  await reader.refresh()
  const tests = findAgentTests(reader, url)
  return [tests?.suites.length ?? 0, tests?.state?.status]
}

test('an enrolled agent is tested by itself when it is due, until its organization opts out', async () => {
  expect(await readRuns(FIRST)).toEqual([0, undefined])
  clock.tick(limits.complianceFirstMs)
  await expect.poll(() => readRuns(FIRST), PATIENCE).toEqual([1, 'passing'])
  await expect.poll(() => readRuns(SECOND), PATIENCE).toEqual([1, 'passing'])
  clock.tick(12 * HOUR)
  await expect.poll(() => readRuns(FIRST), PATIENCE).toEqual([2, 'passing'])
  await expect.poll(() => readRuns(SECOND), PATIENCE).toEqual([2, 'passing'])
  const { suites = [] } = findAgentTests(reader, FIRST) ?? {}
  const [last, first] = suites.map(({ tested_at }) => Date.parse(tested_at))
  expect(last! - first!).toBe(12 * HOUR)
  await submit({ op: 'monitoring.change', agent_url: FIRST, org_id: OWNER, opt_out: true })
  const before = calls
  clock.tick(12 * HOUR)
  await expect.poll(() => readRuns(SECOND), PATIENCE).toEqual([3, 'passing'])
  expect((await readRuns(FIRST))[0]).toBe(2)
  expect(calls).toBe(before)
}, 300_000)
