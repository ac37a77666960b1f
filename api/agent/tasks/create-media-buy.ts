import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { getFirst, requireValue } from '../../../pipeline/core/present.ts'
import {
  type Account,
  AccountRef,
  BrandRef,
  CallersId,
  describeAccount,
  resolveAccount,
  saveAccount,
} from '../accounts.ts'
import { listPricingOptionIds } from '../catalogue/products.ts'
import { findProduct } from '../catalogue/seeded-products.ts'
import { TaskError } from '../errors.ts'
import { assertGoverned } from '../governance/assert-governed.ts'
import { noteAwaited } from '../media-buys/awaited-creatives.ts'
import { planDelivery } from '../media-buys/delivery-plan.ts'
import { describePackage, describeState, sumBudgets } from '../media-buys/describe.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import { saveMediaBuy } from '../media-buys/media-buy-store.ts'
import { buildPackage } from '../media-buys/packages.ts'
import {
  EndTime,
  PackageRequest,
  PushNotificationConfig,
  StartTime,
} from '../media-buys/requests.ts'
import { runOrSubmit } from '../media-buys/submission.ts'
import { assertFlight, markReady, toStart } from '../media-buys/update.ts'
import { resolveProposal } from '../proposals/proposal.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { readTarget } from '../webhooks/outbox.ts'

const Input = z.object({
  account: AccountRef,
  brand: BrandRef,
  start_time: StartTime,
  end_time: EndTime,
  packages: z.array(PackageRequest).min(1).max(100).optional().describe('Packages to buy'),
  proposal_id: CallersId.optional().describe(
    'A proposal of get_products to buy, with total_budget',
  ),
  total_budget: z
    .looseObject({ amount: z.number().positive(), currency: z.string() })
    .optional()
    .describe('Budget to spend on a proposal'),
  plan_id: CallersId.optional().describe('A plan of the governance tenant to be checked by'),
  governance_context: z.string().max(4096).optional().describe('The approval of check_governance'),
  po_number: z.string().max(200).optional(),
  push_notification_config: PushNotificationConfig.optional(),
})

type Request = z.output<typeof Input>

export const createMediaBuy = defineTask({
  name: 'create_media_buy',
  title: 'Buy media',
  description: 'Buys products for a period. A media buy without creatives starts once it has some',
  input: Input,
  mutates: true,
  run(request, context) {
    const account = resolveAccount(request.account, context)
    const submission = {
      task_type: 'create_media_buy',
      target: readTarget(request.push_notification_config),
      run: (asOf: TaskContext) => placeOrder(request, account, asOf),
    }
    return runOrSubmit(submission, account.account_id, context)
  },
})

function placeOrder(
  request: Request,
  account: Account,
  context: TaskContext,
): Record<string, unknown> {
  const { now } = context
  assertGoverned(request, account, context)
  const buy = buildMediaBuy(request, account, context)
  saveAccount(account, context)
  saveMediaBuy(buy, context)
  noteAwaited(buy, context)
  return {
    media_buy_id: buy.media_buy_id,
    ...describeState(buy, now),
    confirmed_at: toIso(now),
    account: describeAccount(account),
    currency: buy.currency,
    total_budget: sumBudgets(buy),
    start_time: toIso(buy.start),
    end_time: toIso(buy.end),
    packages: buy.packages.map(pkg => describePackage(pkg, context)),
    sandbox: true,
  }
}

function buildMediaBuy(request: Request, account: Account, context: TaskContext): MediaBuy {
  const { now } = context
  const flight = { start: toStart(request.start_time, now), end: request.end_time }
  const packages = listPackages(request, account.account_id, context).map((pkg, at) =>
    buildPackage(pkg, account.account_id, context, `packages[${at}]`),
  )
  const currencies = packages.map(
    pkg =>
      requireValue(findProduct(pkg.product_id, context), 'product of the package').offer.currency,
  )
  const other = currencies.findIndex(currency => currency !== currencies[0])
  if (other > 0) {
    const field = `packages[${other}].product_id`
    const message = `${field}: is sold in ${currencies[other]}, the first package in ${currencies[0]}`
    throw new TaskError('INVALID_REQUEST', message, { field })
  }
  const webhook = readTarget(request.push_notification_config)
  const buy: MediaBuy = {
    media_buy_id: `mb_${randomUUID()}`,
    account,
    brand: request.brand,
    ...(request.po_number && { po_number: request.po_number }),
    revision: 1,
    createdAt: now,
    updatedAt: now,
    ...flight,
    isPaused: false,
    currency: getFirst(currencies),
    ...(webhook && { webhook }),
    packages,
    history: [{ revision: 1, at: now, action: 'created' }],
  }
  assertFlight(buy, now)
  return planDelivery(markReady(buy, now), now)
}

/** Lists the packages to buy: those of the request, or those of a proposal with their shares. */
function listPackages(request: Request, accountId: string, context: TaskContext): PackageRequest[] {
  const { packages, proposal_id, total_budget } = request
  if (packages) return packages
  if (proposal_id === undefined) {
    throw new TaskError('INVALID_REQUEST', 'packages: name the packages to buy', {
      field: 'packages',
    })
  }
  if (!total_budget) {
    const message = 'total_budget: is required to buy a proposal'
    throw new TaskError('INVALID_REQUEST', message, { field: 'total_budget' })
  }
  const { allocations } = resolveProposal(proposal_id, accountId, context)
  return allocations.map(({ product_id, share }) => {
    const product = findProduct(product_id, context)
    if (product?.offer.currency !== total_budget.currency) {
      const message = `total_budget.currency: the proposal is sold in ${product?.offer.currency}`
      throw new TaskError('INVALID_REQUEST', message, { field: 'total_budget.currency' })
    }
    const pricing_option_id = getFirst(listPricingOptionIds(product))
    return { product_id, pricing_option_id, budget: (total_budget.amount * share) / 100 }
  })
}
