import { isDeepStrictEqual } from 'node:util'
import { fixtureKinds } from '../model/storyboards/storyboard.ts'
import type { SkipReason } from '../model/storyboards/storyboard-result.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { AgentSession } from './agent-session.ts'
import { findAccount, needsPurchase } from './build-request.ts'
import { offersAny } from './catalog.ts'
import { listProducts } from './judge-step.ts'
import { readPath } from './read-path.ts'
import { applyProtocolName } from './references.ts'
import type { RunState } from './run-state.ts'
import { moveDates } from './shift-dates.ts'

const GOVERNANCE_AGENT = '$context.governance_agent_url'
const CONTROLLER = 'comply_test_controller'

/** Members that name what a fixture is; the others say how it is to be. */
const fixtureIds: Readonly<Record<(typeof fixtureKinds)[number], readonly string[]>> = {
  products: ['product_id'],
  pricing_options: ['product_id', 'pricing_option_id'],
  creatives: ['creative_id'],
  creative_formats: ['format_id'],
  plans: ['plan_id'],
  media_buys: ['media_buy_id'],
}

/** Finds why no step of a storyboard can be run; undefined where it can, and the agent has what it works with. */
export async function prepareRun(
  state: RunState,
  session: AgentSession,
): Promise<SkipReason | undefined> {
  const { storyboard, tools, context } = state
  if (!offersAny(tools, storyboard.required_tools, context.protocolName)) return 'missing_tool'
  if (!isOffered(state)) return 'unsatisfied_contract'
  if (needsGovernance(state)) return 'unsatisfied_contract'
  const { requires_capability: required, prerequisites } = storyboard
  if (required !== undefined && hasContradiction(session.capabilities, required, state))
    return 'not_applicable'
  const calls = prerequisites.controller_seeding ? listSeedCalls(state) : []
  if (calls.length === 0) return findProducts(state, session)
  if (!state.tools.has(CONTROLLER)) return 'missing_test_controller'
  for (const call of calls) {
    const reason = await seed(call, session)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Test kits that describe the help of a runner, and whether the registry offers it. */
export const runnerKits: ReadonlyMap<string, boolean> = new Map([
  ['webhook_receiver_runner', true],
  // Agents would have to trust a key of the registry.
  ['signed_requests_runner', false],
  // Pages that an agent makes are not opened.
  ['substitution_observer_runner', false],
])

/** Tells whether the registry offers the help that a test kit describes. */
function isOffered({ kit, inbox }: RunState): boolean {
  if (kit?.applies_to === undefined || kit.auth.api_key !== undefined) return true
  return runnerKits.get(kit.id) === true && inbox !== undefined
}

/** Asks for products where a storyboard leaves it to the runner what is bought. */
async function findProducts(state: RunState, session: AgentSession): Promise<undefined> {
  const { phases } = state.storyboard
  if (!phases.some(({ steps }) => steps.some(needsPurchase)) || !state.tools.has('get_products')) {
    return undefined
  }
  const answer = await session.call('get_products', {
    buying_mode: 'brief',
    brief: 'Any product',
    account: findAccount(state),
  })
  if (answer.kind === 'answered') {
    state.context.values.set('products', listProducts(answer.outcome.payload))
  }
  return undefined
}

/** Tells whether the agent would have to buy under a plan of a governance agent, which the registry does not offer. */
function needsGovernance({ storyboard }: RunState): boolean {
  return storyboard.phases.some(({ steps }) =>
    steps.some(step => JSON.stringify(step.sample_request).includes(GOVERNANCE_AGENT)),
  )
}

/** Tells whether an agent says otherwise. One that says nothing is tested. */
function hasContradiction(
  capabilities: JsonObject | undefined,
  { path, equals }: NonNullable<RunState['storyboard']['requires_capability']>,
  { context }: RunState,
): boolean {
  const [said] = readPath(capabilities, applyProtocolName(path, context.protocolName))
  return said !== undefined && !isDeepStrictEqual(said, equals)
}

function listSeedCalls(state: RunState): JsonObject[] {
  const { fixtures } = state.storyboard
  const account = findAccount(state)
  return fixtureKinds.flatMap(kind =>
    (fixtures[kind] ?? []).map(entry => {
      const ids = fixtureIds[kind]
      const isId = (name: string) => ids.includes(name)
      const pick = (wanted: boolean) =>
        Object.fromEntries(Object.entries(entry).filter(([name]) => isId(name) === wanted))
      const { fixture: nested, ...flat } = pick(false)
      const fixture = moveDates(isObject(nested) ? nested : flat, state.shiftMs)
      const scenario = `seed_${kind.slice(0, -1)}`
      return { account, scenario, params: { ...pick(true), fixture } }
    }),
  )
}

/** Asks the test controller of an agent for what a storyboard works with; returns why it could not be had. */
async function seed(call: JsonObject, session: AgentSession): Promise<SkipReason | undefined> {
  if (session.hasEnded) return 'timed_out'
  const answer = await session.call(CONTROLLER, call)
  if (answer.kind === 'silent') return 'prerequisite_failed'
  const { payload, error } = answer.outcome
  if (payload.success === true) return undefined
  const code = error?.code ?? payload.error
  return code === 'UNKNOWN_SCENARIO' ? 'missing_test_controller' : 'prerequisite_failed'
}
