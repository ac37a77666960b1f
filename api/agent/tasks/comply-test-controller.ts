import { z } from 'zod'
import { AccountRef, buildAccount, nameAccount, resolveAccount } from '../accounts.ts'
import { ControllerError } from '../compliance/controller-error.ts'
import {
  forceAccountStatus,
  forceCreativeStatus,
  forceMediaBuyStatus,
  forcePurchase,
} from '../compliance/force-status.ts'
import {
  seedCreative,
  seedFormat,
  seedMediaBuy,
  seedPlan,
  seedPricingOption,
  seedProduct,
} from '../compliance/seed.ts'
import { simulateBudgetSpend, simulateDelivery } from '../compliance/simulate.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Input = z.object({
  scenario: z.string().max(100).describe('list_scenarios, or a scenario that it lists'),
  params: z.looseObject({}).optional().describe('Parameters of the scenario'),
  account: AccountRef.optional().describe('An account of the sandbox'),
})

type Request = z.output<typeof Input>

const NOBODY = { domain: 'test.example' }
/** The account of those who name none. */
const NOBODYS = { brand: NOBODY, operator: NOBODY.domain }

/** Scenarios that change a status or add delivery; capabilities declare them. */
const declared = {
  force_account_status: ({ params }: Request, context: TaskContext) =>
    forceAccountStatus(params, context),
  force_creative_status: ({ params }: Request, context: TaskContext) =>
    forceCreativeStatus(params, context),
  force_media_buy_status: ({ params }: Request, context: TaskContext) =>
    forceMediaBuyStatus(params, context),
  simulate_delivery: ({ params }: Request, context: TaskContext) =>
    simulateDelivery(params, context),
  simulate_budget_spend: ({ params }: Request, context: TaskContext) =>
    simulateBudgetSpend(params, context),
}

const scenarios: Readonly<Record<string, (request: Request, context: TaskContext) => object>> = {
  ...declared,
  seed_product: (request, context) =>
    seedProduct(request.params, findAccount(request, context), context),
  seed_pricing_option: ({ params }, context) => seedPricingOption(params, context),
  seed_creative: (request, context) =>
    seedCreative(request.params, findAccount(request, context), context),
  seed_creative_format: ({ params, account = NOBODYS }, context) =>
    seedFormat(params, nameAccount(account), context),
  force_create_media_buy_arm: (request, context) =>
    forcePurchase(request.params, findAccount(request, context), context),
  seed_plan: ({ params }, context) => seedPlan(params, context),
  seed_media_buy: (request, context) =>
    seedMediaBuy(request.params, findAccount(request, context), context),
}

/** Names of the scenarios that capabilities declare. */
export const declaredScenarios = Object.keys(declared)

export const complyTestController = defineTask({
  name: 'comply_test_controller',
  title: 'Control a test',
  description: 'Adds test data to the sandbox, forces statuses and simulates delivery',
  input: Input,
  run(request, context) {
    const { scenario, account } = request
    if (account && 'sandbox' in account && account.sandbox === false) {
      throw new ControllerError('FORBIDDEN', 'only accounts of the sandbox can be controlled')
    }
    if (scenario === 'list_scenarios') return { success: true, scenarios: Object.keys(scenarios) }
    const run = Object.hasOwn(scenarios, scenario) ? scenarios[scenario] : undefined
    if (!run) throw new ControllerError('UNKNOWN_SCENARIO', `there is no scenario ${scenario}`)
    const { state, now } = context
    return state.transact(now, () => ({ ...run(request, context) }))
  },
})

function findAccount({ account }: Request, context: TaskContext) {
  if (account) return resolveAccount(account, context)
  return buildAccount(NOBODYS)
}
