import type { Instant } from '../../../pipeline/core/clock.ts'
import { TaskError } from '../errors.ts'
import { RECORD_LIFETIME_MS } from '../state/store.ts'
import type { TaskContext } from '../task-context.ts'
import { queueStart } from '../webhooks/outbox.ts'
import type { HistoryEntry, MediaBuy } from './media-buy.ts'

/** Revisions in the history of a buy. */
const HISTORY_MAX = 1000

/**
 * Stores a buy until its flight has ended and the lifetime of records has passed, and queues the webhook of
 * its start.
 */
export function saveMediaBuy(buy: MediaBuy, context: TaskContext): void {
  const { state, tenant, now } = context
  queueStart(buy, context)
  const options = { now, lifetimeMs: Math.max(0, buy.end - now) + RECORD_LIFETIME_MS }
  const { media_buy_id, account } = buy
  state.put('media_buy', tenant, media_buy_id, buy, options)
  for (const { package_id } of buy.packages) {
    state.put('package_buy', tenant, package_id, media_buy_id, options)
  }
  state.put('account_buy', `${tenant} ${account.account_id}`, media_buy_id, media_buy_id, options)
}

/** Increments the revision and records the change. */
export function addRevision(buy: MediaBuy, action: string, now: Instant): MediaBuy {
  const revision = buy.revision + 1
  const entry: HistoryEntry = { revision, at: now, action }
  const history = [...buy.history, entry].slice(-HISTORY_MAX)
  return { ...buy, revision, updatedAt: now, history }
}

/**
 * Finds a buy. Its id is a secret that nobody guesses, so whoever knows it may change the buy, whichever
 * account is named: all callers share the credential. Throws if there is none.
 */
export function resolveMediaBuy(id: string, context: TaskContext): MediaBuy {
  const buy = findMediaBuy(id, context)
  if (buy) return buy
  throw new TaskError('MEDIA_BUY_NOT_FOUND', 'media_buy_id: there is no such media buy here', {
    field: 'media_buy_id',
  })
}

/** Finds the buy to which a package belongs. */
export function findBuyOfPackage(packageId: string, context: TaskContext): MediaBuy | undefined {
  const id = context.state.get('package_buy', context.tenant, packageId)
  return id === undefined ? undefined : findMediaBuy(id, context)
}

/** Finds a buy by its id. One that was submitted does not exist before it is confirmed. */
function findMediaBuy(id: string, { state, tenant, now }: TaskContext): MediaBuy | undefined {
  const buy = state.get('media_buy', tenant, id)
  return buy && buy.createdAt <= now ? buy : undefined
}

/** Finds buys by their ids; unknown ids are left out. */
export function findMediaBuys(ids: readonly string[], context: TaskContext): MediaBuy[] {
  return [...new Set(ids)].flatMap(id => findMediaBuy(id, context) ?? [])
}

/** Lists the media buys of an account, or of everybody, oldest first. */
export function listMediaBuys(accountId: string | undefined, context: TaskContext): MediaBuy[] {
  const { state, tenant } = context
  const found =
    accountId === undefined
      ? state.list('media_buy', tenant).filter(({ createdAt }) => createdAt <= context.now)
      : findMediaBuys(state.list('account_buy', `${tenant} ${accountId}`), context)
  return found.sort(
    (a, b) => a.createdAt - b.createdAt || (a.media_buy_id < b.media_buy_id ? -1 : 1),
  )
}
