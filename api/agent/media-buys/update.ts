import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { readTarget } from '../webhooks/outbox.ts'
import { planDelivery } from './delivery-plan.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import { addRevision } from './media-buy-store.ts'
import { buildPackage, updatePackage } from './packages.ts'
import type { MediaBuyChange } from './requests.ts'
import { assertCanCancel, assertCanChange, assertCanPause } from './status.ts'

/** Changes a buy in one step. Throws if any part of the change is impossible. */
export function updateBuy(
  buy: MediaBuy,
  change: MediaBuyChange,
  context: TaskContext,
): { buy: MediaBuy; affected: Package[] } {
  const { now } = context
  if (change.canceled) assertCanCancel(buy, now)
  else if (change.paused !== undefined) assertCanPause(buy, change.paused, now)
  else assertCanChange(buy, now)
  if (change.revision !== undefined && change.revision !== buy.revision) {
    const message = `revision: the media buy has revision ${buy.revision}: read it again`
    throw new TaskError('CONFLICT', message, { field: 'revision' })
  }
  const changed = (change.packages ?? []).reduce(
    (all, pkg, at) => replacePackage(all, updatePackage(all, pkg, context, `packages[${at}]`)),
    buy,
  )
  const added = (change.new_packages ?? []).map((pkg, at) =>
    buildPackage(pkg, buy.account.account_id, context, `new_packages[${at}]`),
  )
  const next = applyFlight({ ...changed, packages: [...changed.packages, ...added] }, change, now)
  const reason = change.cancellation_reason
  const ended = change.canceled && { cancellation: { at: now, ...(reason && { reason }) } }
  const held = change.paused !== undefined && { isPaused: change.paused }
  const webhook = readTarget(change.push_notification_config)
  const notified = webhook && { webhook }
  const ready = markReady({ ...next, ...ended, ...held, ...notified }, now)
  const planned = planDelivery(addRevision(ready, nameChange(change), now), now)
  const touched = new Set([
    ...(change.packages ?? []).map(({ package_id }) => package_id),
    ...added.map(({ package_id }) => package_id),
  ])
  const isWhole = touched.size === 0
  const affected = planned.packages.filter(pkg => isWhole || touched.has(pkg.package_id))
  return { buy: planned, affected }
}

function replacePackage(buy: MediaBuy, next: Package): MediaBuy {
  const packages = buy.packages.map(pkg => (pkg.package_id === next.package_id ? next : pkg))
  return { ...buy, packages }
}

/** Records the first time when every package that was not canceled has creatives. */
export function markReady(buy: MediaBuy, now: number): MediaBuy {
  const live = buy.packages.filter(({ cancellation }) => !cancellation)
  const isReady = live.length > 0 && live.every(pkg => pkg.creative_assignments.length > 0)
  return isReady && buy.readyAt === undefined ? { ...buy, readyAt: now } : buy
}

function applyFlight(buy: MediaBuy, change: MediaBuyChange, now: number): MediaBuy {
  const { start_time, end_time } = change
  if (start_time !== undefined && now >= buy.start) {
    throw new TaskError('INVALID_STATE', 'start_time: the flight has begun', {
      field: 'start_time',
    })
  }
  const start = start_time === undefined ? buy.start : toStart(start_time, now)
  const next = { ...buy, start, end: end_time ?? buy.end }
  assertFlight(next, now, change.canceled === true)
  return next
}

/** Returns the start of a flight; a start in the past is now. */
export function toStart(start: number | 'asap', now: number): number {
  return start === 'asap' ? now : Math.max(start, now)
}

/** Throws if a flight, or a package's flight, ends before it starts or in the past. */
export function assertFlight(
  buy: Pick<MediaBuy, 'start' | 'end' | 'packages'>,
  now: number,
  isEnding = false,
): void {
  if (isEnding) return
  if (buy.end <= Math.max(now, buy.start)) {
    const message = 'end_time: must be later than start_time, and in the future'
    throw new TaskError('INVALID_REQUEST', message, { field: 'end_time' })
  }
  const wrong = buy.packages.findIndex(
    pkg => (pkg.end ?? buy.end) <= (pkg.start ?? buy.start) || (pkg.end ?? buy.end) > buy.end,
  )
  if (wrong < 0) return
  const field = `packages[${wrong}].end_time`
  const message = `${field}: must be later than its start_time, and within the flight`
  throw new TaskError('INVALID_REQUEST', message, { field })
}

function nameChange(change: MediaBuyChange): string {
  if (change.canceled) return 'canceled'
  if (change.paused !== undefined) return change.paused ? 'paused' : 'resumed'
  if (change.new_packages) return 'packages_added'
  if (change.packages) return 'packages_updated'
  return change.start_time !== undefined || change.end_time !== undefined
    ? 'dates_updated'
    : 'updated'
}
