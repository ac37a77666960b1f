import { DAY, type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { getAt, requireValue } from '../../../pipeline/core/present.ts'
import { listPricingOptionIds, type Product } from '../catalogue/products.ts'
import { findProduct } from '../catalogue/seeded-products.ts'
import { TaskError } from '../errors.ts'
import { RECORD_LIFETIME_MS } from '../state/store.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Proposals by tenant and account. */
    proposal: Proposal
  }
}

export interface Allocation {
  product_id: string
  /** Percent of the budget; those of a proposal add up to 100. */
  share: number
}

/** A way to spread a budget over several products. A committed one is valid until it expires. */
export interface Proposal {
  proposal_id: string
  allocations: readonly Allocation[]
  committedUntil?: Instant
}

/** Percents of the budget for one, two or three products, the best first. */
const sharesByCount = [[], [100], [60, 40], [50, 30, 20]] as const

const PRODUCTS_MAX = 3
const COMMITTED_MS = 7 * DAY

/** Builds the key of proposals: they belong to an account, or to all callers who name none. */
export function toProposalScope(accountId: string | undefined, { tenant }: TaskContext): string {
  return `${tenant} ${accountId ?? ''}`
}

/**
 * Proposes how to spread a budget over the products that match a brief best, in one currency, one of each channel
 * first; undefined for fewer than two. The id contains the quarter (`Q4`) that the brief names, so that the same
 * brief leads to the same proposal.
 */
export function proposeBalanced(products: readonly Product[], brief: string): Proposal | undefined {
  const currency = products[0]?.offer.currency
  const comparable = products.filter(({ offer }) => offer.currency === currency)
  const leaders = comparable.filter(
    (product, at) => comparable.findIndex(({ offer }) => offer.kind === product.offer.kind) === at,
  )
  const chosen = [...new Set([...leaders, ...comparable])].slice(0, PRODUCTS_MAX)
  if (chosen.length < 2) return undefined
  const [, quarter] = /\bQ([1-4])\b/i.exec(brief) ?? []
  return {
    proposal_id: quarter ? `balanced_reach_q${quarter}` : 'balanced_reach',
    allocations: chosen.map(({ id }, at) => ({
      product_id: id,
      share: getAt(requireValue(sharesByCount[chosen.length], 'split of so many'), at),
    })),
  }
}

/** Stores a proposal, unless it is unchanged. */
export function storeProposal(
  proposal: Proposal,
  accountId: string | undefined,
  context: TaskContext,
): void {
  const { state, now } = context
  const scope = toProposalScope(accountId, context)
  const known = state.get('proposal', scope, proposal.proposal_id)
  if (JSON.stringify(known) === JSON.stringify(proposal)) return
  const lifetimeMs = Math.max(0, (proposal.committedUntil ?? now) - now) + RECORD_LIFETIME_MS
  const { proposal_id } = proposal
  state.transact(now, () =>
    state.put('proposal', scope, proposal_id, proposal, { now, lifetimeMs }),
  )
}

/** Finds a proposal of an account, or else of callers who name none. */
export function findProposal(
  id: string,
  accountId: string | undefined,
  context: TaskContext,
): Proposal | undefined {
  const { state } = context
  return (
    state.get('proposal', toProposalScope(accountId, context), id) ??
    state.get('proposal', toProposalScope(undefined, context), id)
  )
}

/** Commits a proposal: for a time it can be bought unchanged. */
export function commitProposal(proposal: Proposal, now: Instant): Proposal {
  return { ...proposal, committedUntil: now + COMMITTED_MS }
}

/** Finds the proposal to buy. Throws if there is none, or if it has expired. */
export function resolveProposal(id: string, accountId: string, context: TaskContext): Proposal {
  const proposal = findProposal(id, accountId, context)
  const field = 'proposal_id'
  if (!proposal) {
    const message = `proposal_id: there is no proposal ${id} for this account`
    throw new TaskError('REFERENCE_NOT_FOUND', message, { field })
  }
  if ((proposal.committedUntil ?? Number.POSITIVE_INFINITY) > context.now) return proposal
  throw new TaskError(
    'PROPOSAL_EXPIRED',
    'proposal_id: the proposal has expired: finalize it again',
    {
      field,
    },
  )
}

/** Describes a proposal in the form in which answers show it. */
export function describeProposal(
  { proposal_id, allocations, committedUntil }: Proposal,
  context: TaskContext,
): Record<string, unknown> {
  return {
    proposal_id,
    name: 'Balanced reach',
    description: 'Spreads the budget over the products that fit best, one of each channel first',
    allocations: allocations.map(({ product_id, share }, at) => {
      const product = findProduct(product_id, context)
      return {
        product_id,
        allocation_percentage: share,
        ...(product && { pricing_option_id: listPricingOptionIds(product)[0] }),
        sequence: at + 1,
      }
    }),
    ...(committedUntil !== undefined && {
      proposal_status: 'committed',
      expires_at: toIso(committedUntil),
    }),
  }
}
