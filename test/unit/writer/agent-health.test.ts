import { beforeEach, expect, test } from 'vitest'
import { HEALTH_CHANGES_MAX } from '../../../pipeline/serving/agent-health-record.ts'
import { dropOldAgentHealth } from '../../../pipeline/writer/crawl/agent-health.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { openForEach } from '../../support/runner/open-for-all.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildShop } from '../../support/worlds/nights.ts'

const AGENT = 'https://sales.example/mcp'
const clock = testClock('2026-11-20T03:00:00Z')
const index = openForEach(() => openMemoryIndex(clock))

beforeEach(async () => {
  await index.commit([
    observeFile('adagents.json', 'a.example', buildShop('a.example'), clock.now()),
  ])
})

const probe = (outcome: Parameters<typeof observeOutcome>[0]) =>
  index.commit([observeOutcome(outcome, 'agent', AGENT, clock.tick({ hours: 1 }))])

const readOutcomes = async () => {
  const rows = await index.db.all<{ outcome: string; since: string }>(
    'select outcome, since from agent_health order by seq',
  )
  return rows.map(({ outcome, since }) => `${since.slice(11, 16)} ${outcome}`)
}

test('a change of the result of probes is recorded with its time, and nothing while it lasts', async () => {
  for (const outcome of ['unchanged', 'ok', 'timeout', 'timeout', 'dns_failed', 'ok'] as const)
    await probe(outcome)
  expect(await readOutcomes()).toEqual([
    '04:00 ok',
    '06:00 timeout',
    '08:00 dns_failed',
    '09:00 ok',
  ])
})

test('a probe that is reported a second time changes nothing', async () => {
  const observation = observeOutcome('timeout', 'agent', AGENT, clock.tick({ hours: 1 }))
  await index.commit([observation])
  await probe('ok')
  await index.commit([observation])
  expect(await readOutcomes()).toHaveLength(2)
})

test('files are not recorded', async () => {
  await index.commit([observeOutcome('timeout', 'brand.json', 'a.example', clock.now())])
  expect(await readOutcomes()).toEqual([])
})

test('the latest changes of each agent are kept', async () => {
  for (let n = 0; n <= HEALTH_CHANGES_MAX; n++) await probe(n % 2 === 0 ? 'ok' : 'timeout')
  expect(await readOutcomes()).toHaveLength(HEALTH_CHANGES_MAX + 1)
  const [, second] = await readOutcomes()
  await dropOldAgentHealth(index.db)
  expect(await readOutcomes()).toHaveLength(HEALTH_CHANGES_MAX)
  expect((await readOutcomes())[0]).toBe(second)
})
