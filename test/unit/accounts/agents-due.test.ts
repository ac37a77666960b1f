import { expect, test } from 'vitest'
import { listAgentsDue } from '../../../pipeline/accounts/agents/agents-due.ts'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { deriveId } from '../../../pipeline/core/uuid-v7.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { buildOrganizationWrite } from '../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const AGENTS = 40
const FIRST_MS = limits.complianceFirstMs

test('agents that are enrolled together are first tested within minutes, and spread over these', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openTestSequencer(clock)
  const enrolments = Array.from({ length: AGENTS }, (_, number) => ({
    op: 'member.agent.save',
    url: `https://agent-${number}.acme.example/mcp`,
    type: 'sales',
    visibility: 'public',
  }))
  const operations = [
    { op: 'member.tier', tier: 'company_leader' },
    { op: 'member.create' },
    ...enrolments,
  ].map(operation => Operation.parse({ org: 'Acme', ...operation }))
  const submissions = [
    buildOrganizationWrite('Acme'),
    ...operations.map((operation, number) => ({
      submission_id: deriveId('submission', `due ${number}`),
      operation,
    })),
  ]
  const { answers } = await registry.commit({ observations: [], submissions })
  expect([...answers.values()].filter(answer => 'refused' in answer)).toEqual([])
  const countDue = () =>
    listAgentsDue(registry.accounts.db, {
      now: clock.now(),
      limit: AGENTS,
      besides: [],
      firstMs: FIRST_MS,
    }).length
  clock.tick(FIRST_MS / 2 - SECOND)
  expect(countDue()).toBe(0)
  clock.tick(SECOND)
  const counts = [countDue()]
  for (let part = 0; part < 10; part++) {
    clock.tick(FIRST_MS / 20)
    counts.push(countDue())
  }
  expect(counts.at(-1)).toBe(AGENTS)
  const joined = counts.slice(1).map((count, at) => count - counts[at]!)
  expect(Math.max(...joined)).toBeLessThan(AGENTS / 3)
})
