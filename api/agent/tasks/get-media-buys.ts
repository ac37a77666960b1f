import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { AccountRef, CallersId, describeAccount, resolveAccount } from '../accounts.ts'
import { describeSnapshot } from '../media-buys/delivery.ts'
import {
  describeCancellation,
  describePackage,
  describeState,
  sumBudgets,
} from '../media-buys/describe.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import { findMediaBuys, listMediaBuys } from '../media-buys/media-buy-store.ts'
import { findStatus, StatusFilter, toStatuses } from '../media-buys/status.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Input = z.object({
  account: AccountRef.optional(),
  media_buy_ids: z.array(CallersId).min(1).optional().describe('Only these, of any status'),
  status_filter: StatusFilter.optional(),
  include_snapshot: z.boolean().optional().describe('Delivery of each package until now'),
  include_history: z.number().int().min(0).max(1000).optional().describe('Last changes of each'),
  pagination: Pagination.optional(),
})

type Request = z.output<typeof Input>

export const getMediaBuys = defineTask({
  name: 'get_media_buys',
  title: 'Read media buys',
  description: 'Lists media buys in their current state. By default only active ones are listed',
  input: Input,
  run(request, context) {
    const { account, media_buy_ids: ids } = request
    const wanted = toStatuses(request.status_filter, ids ? undefined : ['active'])
    const all = ids
      ? findMediaBuys(ids, context)
      : listMediaBuys(account && resolveAccount(account, context).account_id, context)
    const found = all.filter(buy => !wanted || wanted.includes(findStatus(buy, context.now)))
    const { items, pagination } = cutPage(found, request.pagination)
    return {
      status: 'completed',
      media_buys: items.map(buy => describeMediaBuy(buy, request, context)),
      pagination,
      sandbox: true,
    }
  },
})

function describeMediaBuy(
  buy: MediaBuy,
  { include_snapshot, include_history = 0 }: Request,
  context: TaskContext,
): Record<string, unknown> {
  const { now } = context
  return {
    media_buy_id: buy.media_buy_id,
    ...describeState(buy, now),
    account: describeAccount(buy.account),
    brand: buy.brand,
    ...(buy.po_number && { po_number: buy.po_number }),
    currency: buy.currency,
    total_budget: sumBudgets(buy),
    start_time: toIso(buy.start),
    end_time: toIso(buy.end),
    confirmed_at: toIso(buy.createdAt),
    created_at: toIso(buy.createdAt),
    updated_at: toIso(buy.updatedAt),
    ...(buy.cancellation && { cancellation: describeCancellation(buy.cancellation) }),
    packages: buy.packages.map(pkg => ({
      ...describePackage(pkg, context),
      currency: buy.currency,
      creative_approvals: pkg.creative_assignments.map(({ creative_id }) => ({
        creative_id,
        approval_status: 'approved',
      })),
      ...(include_snapshot && { snapshot: describeSnapshot(buy, pkg, now) }),
    })),
    ...(include_history > 0 && {
      history: buy.history
        .slice(-include_history)
        .reverse()
        .map(({ revision, at, action }) => ({ revision, timestamp: toIso(at), action })),
    }),
  }
}
