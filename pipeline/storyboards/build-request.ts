import { DAY, toIso } from '../core/clock.ts'
import type { StoryboardStep } from '../model/storyboards/storyboard.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { setPath } from './read-path.ts'
import { applyProtocolName, type MissingValue, resolveReferences } from './references.ts'
import type { RunState } from './run-state.ts'
import { moveDates } from './shift-dates.ts'
import { RECEIVER } from './webhook-inbox.ts'

/** Ids that stand for a product of the agent that is tested, and for one of its prices. */
const ANY_PRODUCT = 'test-product'
const ANY_PRICE = 'test-pricing'
/** Bids are made so far above the floor of a price. */
const BID_FACTOR = 1.5
/** Money for a purchase of which a storyboard leaves all but the webhook to the runner. */
const BUDGET = 10_000

/** Builds the request of a step, or names the first value that it lacks. */
export function buildRequest(
  step: StoryboardStep,
  task: string,
  state: RunState,
): { args: JsonObject } | MissingValue {
  const { context, shiftMs } = state
  const written = nameRun(nameReceiver(step.sample_request, state), state)
  const resolved = resolveReferences(written, context)
  if ('missing' in resolved) return resolved
  let args = moveDates(resolved.value, shiftMs) as JsonObject
  for (const { key, inject_at } of step.context_inputs) {
    if (context.values.has(key)) args = setPath(args, inject_at, context.values.get(key))
  }
  if (task === 'create_media_buy') args = { ...describePurchase(step, state), ...args }
  if (!step.expect_error) args = nameAccount(chooseProduct(args, state), step, state)
  if (task === 'comply_test_controller') args = { account: findAccount(state), ...args }
  return { args: markSandbox(args) as JsonObject }
}

/** Names the address for webhooks; where there is none, an agent is not sent the name of its place. */
function nameReceiver(request: JsonObject, { inbox }: RunState): JsonObject {
  const { push_notification_config: config, ...others } = request
  const text = JSON.stringify(config ?? null)
  if (text.search(RECEIVER) < 0) return request
  if (inbox === undefined) return others
  const named = text.replace(RECEIVER, (_, step: string) => inbox.toUrl(step))
  return { ...others, push_notification_config: JSON.parse(named) }
}

/** Characters of the shortest idempotency key; a shorter one is a test of its own. */
const KEY_CHARS_MIN = 16

/** Makes an idempotency key that is written out one of this run: an agent answers a used key as it did before. */
function nameRun(request: JsonObject, { context }: RunState): JsonObject {
  const { idempotency_key: key } = request
  if (typeof key !== 'string' || key.startsWith('$') || key.length < KEY_CHARS_MIN) return request
  return { ...request, idempotency_key: `${key}-${context.generate('run')}` }
}

/**
 * Marks every account as one of the sandbox: a storyboard buys nothing in earnest. An account that is named
 * by its id was given out for such a one.
 */
export function markSandbox(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map(item => markSandbox(item, name))
  if (!isObject(value)) return value
  const marked = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, markSandbox(member, key)]),
  )
  const isAccount = name === 'account' || name === 'accounts'
  return isAccount && isObject(value.brand) ? { ...marked, sandbox: true } : marked
}

/** Finds the account that the storyboard works with, for requests that name none. */
export function findAccount({ storyboard, context }: RunState): unknown {
  const requests = storyboard.phases.flatMap(({ steps }) =>
    steps.map(({ sample_request }) => sample_request),
  )
  const [account] = requests
    .flatMap(({ account: one, accounts }) => [
      one,
      Array.isArray(accounts) && isObject(accounts[0]) && isObject(accounts[0].brand)
        ? { brand: accounts[0].brand, operator: accounts[0].operator }
        : undefined,
    ])
    .filter(found => isObject(found) && isObject(found.brand))
  const resolved = resolveReferences(account ?? TEST_ACCOUNT, context)
  return markSandbox('missing' in resolved ? TEST_ACCOUNT : resolved.value, 'account')
}

const TEST_ACCOUNT = { brand: { domain: 'test.example' }, operator: 'test.example' }

/**
 * Names the account that was set up, where a storyboard writes out the id of one: the agent, and not who
 * wrote it, gives out ids.
 */
function nameAccount(args: JsonObject, step: StoryboardStep, state: RunState): JsonObject {
  const { account } = step.sample_request
  const isWritten = isObject(account) && !String(account.account_id ?? '$').startsWith('$')
  const { prerequisites } = state.storyboard
  return isWritten && prerequisites.controller_seeding
    ? { ...args, account: findAccount(state) }
    : args
}

/** Tells whether a storyboard leaves it to the runner what a step buys. */
export function needsPurchase({ task_default, sample_request }: StoryboardStep): boolean {
  return task_default === 'create_media_buy' && sample_request.packages === undefined
}

function describePurchase(step: StoryboardStep, state: RunState): JsonObject {
  if (!needsPurchase(step)) return {}
  const { startedAt } = state.context
  return {
    account: findAccount(state),
    brand: TEST_ACCOUNT.brand,
    start_time: toIso(startedAt + DAY),
    end_time: toIso(startedAt + 30 * DAY),
    packages: [{ product_id: ANY_PRODUCT, pricing_option_id: ANY_PRICE, budget: BUDGET }],
  }
}

/** Replaces the id that stands for any product by one that the agent offered before. */
function chooseProduct(args: JsonObject, { context, storyboard }: RunState): JsonObject {
  const products = context.values.get('products')
  const seeded = storyboard.fixtures.products?.some(({ product_id }) => product_id === ANY_PRODUCT)
  if (seeded || !Array.isArray(products) || !Array.isArray(args.packages)) return args
  const offered = products.find(
    product => isObject(product) && isObject((product.pricing_options as unknown[])?.[0]),
  ) as JsonObject | undefined
  if (offered === undefined) return args
  const price = (offered.pricing_options as JsonObject[])[0] ?? {}
  return { ...args, packages: args.packages.map(item => choosePrice(item, offered, price)) }
}

function choosePrice(item: unknown, offered: JsonObject, price: JsonObject): unknown {
  if (!isObject(item) || item.product_id !== ANY_PRODUCT) return item
  const floor = price.floor_price
  const needsBid = typeof floor === 'number' && price.fixed_price === undefined
  return {
    ...item,
    product_id: offered.product_id,
    ...(item.pricing_option_id === ANY_PRICE && { pricing_option_id: price.pricing_option_id }),
    ...(needsBid && item.bid_price === undefined && { bid_price: floor * BID_FACTOR }),
  }
}

/** Lists the tasks that need a credential, change nothing and take an empty request, as agents name them. */
const probeTasks = [
  'list_creatives',
  'get_media_buy_delivery',
  'get_signals',
  'list_accounts',
  'get_media_buys',
  'list_property_lists',
  'list_content_standards',
]

/**
 * Resolves the task of a step. Where the test kit names one that the agent does not offer, another that
 * needs a credential stands in for it.
 */
export function resolveTask(step: StoryboardStep, { kit, tools, context }: RunState): string {
  if (!step.task.startsWith('$')) return applyProtocolName(step.task, context.protocolName)
  if (step.task !== '$test_kit.auth.probe_task') return step.task_default ?? ''
  const choices = [kit?.auth.probe_task ?? step.task_default ?? '', ...probeTasks]
  return choices.find(task => tools.has(task)) ?? choices[0] ?? ''
}
