import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import {
  type Account,
  AccountRef,
  BrandRef,
  CallersId,
  describeAccount,
  keepAccount,
  resolveAccount,
} from '../accounts.ts'
import { findProduct } from '../catalogue/products.ts'
import { TaskError } from '../errors.ts'
import { assertGoverned } from '../governance/assert-governed.ts'
import { planDelivery } from '../media-buys/delivery-plan.ts'
import { describePackage, describeState, sumBudgets } from '../media-buys/describe.ts'
import { keepMediaBuy } from '../media-buys/kept.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import { buildPackage } from '../media-buys/packages.ts'
import {
  EndTime,
  PackageRequest,
  PushNotificationConfig,
  StartTime,
} from '../media-buys/requests.ts'
import { assertFlight, markReady, toStart } from '../media-buys/update.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { readTarget } from '../webhooks/outbox.ts'

const Input = z.object({
  account: AccountRef,
  brand: BrandRef,
  start_time: StartTime,
  end_time: EndTime,
  packages: z.array(PackageRequest).min(1).max(100).optional().describe('What is bought'),
  proposal_id: z.string().optional().describe('This agent makes no proposals'),
  plan_id: CallersId.optional().describe('A plan of the governance tenant to be checked by'),
  governance_context: z.string().max(4096).optional().describe('The approval of check_governance'),
  po_number: z.string().max(200).optional(),
  push_notification_config: PushNotificationConfig.optional(),
})

type Request = z.output<typeof Input>

export const createMediaBuy = defineTask({
  name: 'create_media_buy',
  title: 'Buy media',
  description: 'Buys products for a flight. Without creatives it waits for them',
  input: Input,
  mutates: true,
  run(request, context) {
    const { now } = context
    const account = resolveAccount(request.account, context)
    assertGoverned(request, context)
    const buy = buildMediaBuy(request, account, context)
    keepAccount(account, context)
    keepMediaBuy(buy, context)
    return {
      media_buy_id: buy.media_buy_id,
      ...describeState(buy, now),
      confirmed_at: toIso(now),
      account: describeAccount(account),
      currency: buy.currency,
      total_budget: sumBudgets(buy),
      start_time: toIso(buy.start),
      end_time: toIso(buy.end),
      packages: buy.packages.map(one => describePackage(one, context)),
      sandbox: true,
    }
  },
})

function buildMediaBuy(request: Request, account: Account, context: TaskContext): MediaBuy {
  const { now } = context
  const flight = { start: toStart(request.start_time, now), end: request.end_time }
  assertFlight({ ...flight, packages: [] }, now)
  const packages = listPackages(request).map((one, at) =>
    buildPackage(one, account.account_id, context, `packages[${at}]`),
  )
  const currencies = packages.map(one => findProduct(one.product_id)!.offer.currency)
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
    currency: currencies[0]!,
    ...(webhook && { webhook }),
    packages,
    history: [{ revision: 1, at: now, action: 'created' }],
  }
  assertFlight(buy, now)
  return planDelivery(markReady(buy, now), now)
}

function listPackages({ packages, proposal_id }: Request): PackageRequest[] {
  if (packages) return packages
  if (proposal_id === undefined) {
    throw new TaskError('INVALID_REQUEST', 'packages: say what is bought', { field: 'packages' })
  }
  const message = 'proposal_id: this agent makes no proposals'
  throw new TaskError('REFERENCE_NOT_FOUND', message, { field: 'proposal_id' })
}
