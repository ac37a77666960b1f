import { expect, test } from 'vitest'
import {
  type KnownFacts,
  REMEMBERED_MAX,
  type StoredWatch,
} from '../../../../pipeline/model/watch.ts'
import { nothingTakenDown } from '../../../../pipeline/writer/takedown/takedown-list.ts'
import { findChanges } from '../../../../pipeline/writer/watching/find-changes.ts'
import { START } from '../../../support/worlds/clock.ts'

const domain = 'acme.example'

function look(agents: readonly string[], known: KnownFacts | null) {
  const watch: StoredWatch = {
    watch_id: 'w',
    user_id: 'ann',
    kind: 'domain',
    subject: domain,
    pace: 'at_once',
    email: 'ann@a.example',
    created_at: '2026-01-01T00:00:00.000Z',
    reported_seq: 1,
    known,
  }
  const claims = agents.map(agent => ({ domain, agent }))
  const rows = {
    events: [],
    seq: 2,
    files: [],
    claims,
    entries: [],
    hosted: [],
    grants: new Map(),
  }
  const [found] = findChanges([watch], rows, { takenDown: nothingTakenDown, now: START })
  return { changes: found!.changes, known: found!.progress.known }
}

const makeAgents = (count: number) =>
  Array.from({ length: count }, (_, i) => `https://agent-${i}.example/${'path/'.repeat(100)}`)

test('claims of more agents than can be remembered are not reported again and again', () => {
  const agents = makeAgents(REMEMBERED_MAX + 100)
  const first = look(agents, null)
  expect(first.changes).toEqual([])
  const second = look(agents, first.known)
  expect(second.changes).toEqual([])
  expect(second.known.claimants).toHaveLength(REMEMBERED_MAX)
  expect(JSON.stringify(second.known).length).toBeLessThan(20 * REMEMBERED_MAX)
})

test('a new claim is reported once, also while many that ended are remembered', () => {
  const [left, ...agents] = makeAgents(REMEMBERED_MAX)
  const { known } = look([left!, ...agents], null)
  const fresh = 'https://fresh.example/mcp'
  const second = look([...agents, fresh], known)
  expect(second.changes).toMatchObject([{ what: 'claimed', agent: fresh }])
  expect(look([...agents, fresh], second.known).changes).toEqual([])
  const gone = look([], known)
  const third = look([fresh], gone.known)
  expect(third.changes).toHaveLength(1)
  expect(look([fresh, agents[5]!], third.known).changes).toEqual([])
})
