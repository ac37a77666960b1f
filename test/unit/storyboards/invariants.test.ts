import { beforeEach, describe, expect, test } from 'vitest'
import { findStoryboard } from '../../../pipeline/storyboards/catalog.ts'
import {
  checkAnswerInvariants,
  checkRunInvariants,
} from '../../../pipeline/storyboards/invariants.ts'
import { createState, type RunState } from '../../../pipeline/storyboards/run-state.ts'

const storyboard = findStoryboard('capability_discovery')!
const [step] = storyboard.phases[0]!.steps
const CREDENTIAL = 'a-credential-of-some-length'

let state: RunState

beforeEach(() => {
  const agentUrl = 'https://agent.example/mcp'
  state = createState(storyboard, {
    tools: new Set(),
    agentUrl,
    startedAt: 0,
    protocolName: 'adcp',
  })
})

/** Lists the invariants that an answer breaks, after those before it. */
function listBroken(task: string, payload: object, more: { code?: string; args?: object } = {}) {
  const { code, args = {} } = more
  const answered = {
    step: step!,
    task,
    args: args as Record<string, unknown>,
    outcome: {
      payload: payload as Record<string, unknown>,
      ...(code !== undefined && { error: { code, body: { code, ...payload } } }),
    },
    hasCredential: (text: string) => text.includes(CREDENTIAL),
  }
  return [...checkAnswerInvariants(answered), ...checkRunInvariants(answered, state)]
    .filter(({ passed }) => !passed)
    .map(({ check }) => check)
}

describe('a status', () => {
  const buy = (status: string) => ({ media_buys: [{ media_buy_id: 'b', status }] })

  test.each([
    [['pending_creatives', 'active', 'paused', 'active', 'completed'], []],
    [['active', 'active'], []],
    [['active', 'pending_start'], ['status_monotonic']],
    [['canceled', 'active'], ['status_monotonic']],
    [['fine', 'active'], []],
  ])('that goes %j breaks %j', (statuses, broken) => {
    const found = statuses.flatMap(status => listBroken('get_media_buys', buy(status)))
    expect(found).toEqual(broken)
  })

  test('of a task is none of what was bought', () => {
    listBroken('create_media_buy', { media_buy_id: 'b', status: 'completed' })
    expect(listBroken('get_media_buys', buy('active'))).toEqual([])
  })
})

describe('an answer', () => {
  test.each([
    [{ note: CREDENTIAL }, ['no_secret_echo']],
    [{ deep: [{ Authorization: 'x' }] }, ['no_secret_echo']],
    [{ note: 'Bearer abcdefghijkl' }, ['no_secret_echo']],
    [{ note: 'the bearer of news' }, []],
  ])('%j breaks %j', (payload, broken) => {
    expect(listBroken('get_products', payload)).toEqual(broken)
  })

  test('that refuses a used key tells nothing of its first use', () => {
    const code = 'IDEMPOTENCY_CONFLICT'
    expect(listBroken('create_media_buy', { media_buy_id: 'b' }, { code })).toEqual([
      'conflict_tells_nothing',
    ])
    expect(listBroken('create_media_buy', { message: 'No' }, { code })).toEqual([])
  })
})

describe('a denied plan', () => {
  const bought = { media_buy_id: 'b', status: 'active' }

  test('has nothing bought under it', () => {
    listBroken('check_governance', { status: 'denied', plan_id: 'p' })
    expect(listBroken('create_media_buy', bought, { args: { plan_id: 'p' } })).toEqual([
      'denial_blocks_mutation',
    ])
    expect(listBroken('create_media_buy', bought, { args: { plan_id: 'q' } })).toEqual([])
  })

  test('without a name holds for the whole run', () => {
    listBroken('create_media_buy', {}, { code: 'GOVERNANCE_DENIED' })
    expect(listBroken('create_media_buy', bought)).toEqual(['denial_blocks_mutation'])
  })
})
