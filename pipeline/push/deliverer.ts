import { setImmediate } from 'node:timers/promises'
import { type Clock, MINUTE, SECOND, toIso } from '../core/clock.ts'
import type { RegistryKeys } from '../core/keys/registry-keys.ts'
import type { Limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import type { ProfileVersion } from '../core/signing-profiles.ts'
import type { Fetcher } from '../fetch/http.ts'
import { Caches } from '../read/cache/caches.ts'
import type { ServingStore } from '../serving/lmdb.ts'
import { buildWebhookProfile } from '../signing/profile.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { judgeAnswer } from './attempt.ts'
import { readAuditPage } from './audit-page.ts'
import { buildDelivery, deriveDeliveryId, type Signer } from './delivery.ts'
import { type NextPage, Pages, type SharedBody } from './pages.ts'
import { ProgressKeeper } from './progress-keeper.ts'
import { passPage, type Receiver } from './receiver.ts'
import { Receivers } from './receivers.ts'
import { buildSelection } from './selection.ts'
import { type SlotKind, Slots } from './slots.ts'
import type { Pending, PushState } from './state.ts'

export interface DelivererParts {
  /** Returns the serving store; undefined until something was committed. */
  findServing(): ServingStore | undefined
  /** Returns the private rows, subscriptions among them; undefined before the first start of the writer. */
  findRecord(): Sqlite | undefined
  state: PushState
  fetcher: Pick<Fetcher, 'call'>
  /** Keys that sign deliveries, and from which the secrets of receivers are derived. */
  keys: Pick<RegistryKeys, 'signers' | 'deriveReceiverSecrets'>
  protocolName: string
  /** Profile of the signatures; 3.1 by default. */
  signingProfile?: ProfileVersion
  limits: Limits
  clock: Clock
  log: Log
  /** Called after each attempt to deliver. */
  onAttempt?: (result: 'taken' | 'deferred' | 'failed' | 'gone', ms: number) => void
  /** Disables a subscription; resolves to false if it must be tried again. */
  disable(subscriptionId: string, reason: string): Promise<boolean>
}

/** Interval at which the deliverer checks for new commits and due retries. */
const POLL_MS = 100
/** Pages without an event for a receiver that are skipped before other receivers get a turn. */
const SKIPPED_PAGES_MAX = 10
/** Receivers that are served before the event loop gets a turn. */
const SERVED_PER_TURN = 20
/** Interval at which a cursor is saved that has only skipped events. */
const SKIP_SAVE_MS = MINUTE

/** A delivery to attempt. */
interface Planned {
  shared: SharedBody
  pending: Pending
}

/** Delivers changes to all receivers, each in its order. */
export class Deliverer {
  readonly #parts: DelivererParts
  readonly #signer: Signer
  readonly #pages: Pages
  readonly #slots: Slots
  readonly #progress: ProgressKeeper
  readonly #receivers: Receivers
  readonly #queues: Record<SlotKind, Receiver[]> = { well: [], failing: [] }
  /** Hosts with a delivery in progress → receivers on the same host that wait for its end. */
  readonly #busyHosts = new Map<string, Receiver[]>()
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #isServing = false
  /** True if subscriptions have changed since the last poll. */
  #isChanged = false
  /** State of the store at the last poll. */
  #lastPolled = { seq: -1, store: undefined as ServingStore | undefined }

  constructor(parts: DelivererParts) {
    const { limits, clock, keys, protocolName, signingProfile, findServing } = parts
    const now = () => clock.now()
    this.#parts = parts
    this.#signer = {
      key: keys.signers['webhook-signing'],
      profile: buildWebhookProfile(protocolName, signingProfile),
      deriveSecrets: keys.deriveReceiverSecrets,
      now,
    }
    this.#slots = new Slots(limits)
    this.#progress = new ProgressKeeper(parts)
    this.#receivers = new Receivers(parts)
    this.#pages = new Pages(
      {
        get serving() {
          return findServing()
        },
        now,
        caches: new Caches(),
      },
      { maxBytes: limits.deliveryBytes, retentionDays: limits.feedRetentionDays },
    )
  }

  start(): void {
    this.#timer = setInterval(() => this.poll(), POLL_MS)
  }

  /** Waits for deliveries in progress, and until the progress of all receivers is in the file. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
    await this.#parts.state.flush()
  }

  /** Queues the receivers that may have something to deliver now. */
  poll(): void {
    const store = this.#parts.findServing()
    if (store === undefined || this.#isClosed || !this.#refreshReceivers()) return
    const now = this.#parts.clock.now()
    const { seq } = store
    const isNew =
      this.#isChanged || seq !== this.#lastPolled.seq || store !== this.#lastPolled.store
    this.#lastPolled = { seq, store }
    this.#isChanged = false
    for (const receiver of this.#receivers.list()) {
      const isDue = receiver.state === 'waiting' && receiver.dueAt <= now
      if (isDue || (isNew && receiver.state === 'idle')) this.#enqueue(receiver)
      const isSkipping = receiver.progress.cursor !== receiver.shown.cursor
      if (isSkipping && receiver.savedAt + SKIP_SAVE_MS <= now) void this.#show(receiver)
    }
    void this.#serveQueues()
  }

  /** Reads changed subscriptions; returns false where there is no record to read them from. */
  #refreshReceivers(): boolean {
    const record = this.#parts.findRecord()
    if (record === undefined) return false
    if (this.#receivers.refresh(record)) this.#isChanged = true
    return true
  }

  #enqueue(receiver: Receiver): void {
    if (receiver.state === 'gone') return
    receiver.state = 'queued'
    this.#queues[toSlotKind(receiver)].push(receiver)
  }

  /** Serves the queued receivers, as far as slots are free. */
  async #serveQueues(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    try {
      let served = 0
      for (const kind of ['well', 'failing'] as const) {
        while (!this.#isClosed && this.#slots.hasRoom(kind)) {
          const receiver = this.#queues[kind].shift()
          if (receiver === undefined) break
          this.#serve(receiver, kind)
          if (++served % SERVED_PER_TURN === 0) await setImmediate()
        }
      }
    } catch (error) {
      this.#parts.log.error({ error }, 'changes cannot be delivered')
    } finally {
      this.#isServing = false
    }
  }

  #serve(receiver: Receiver, kind: SlotKind): void {
    // Before the feed is read: what follows a change of a subscription must not be selected as before it.
    this.#refreshReceivers()
    if (receiver.state !== 'queued') return
    const waiting = this.#busyHosts.get(receiver.host)
    if (waiting) return void waiting.push(receiver)
    const planned = this.#plan(receiver)
    if (planned === undefined) return
    receiver.state = 'busy'
    this.#busyHosts.set(receiver.host, [])
    const freeSlot = this.#slots.take(kind, () => void this.#serveQueues())
    const attempt = this.#attempt(receiver, planned)
      .catch(error => {
        this.#parts.log.error({ error }, 'a delivery failed')
        this.#progress.wait(receiver, this.#parts.limits.deliveryRetrySeconds * SECOND)
      })
      .finally(() => {
        freeSlot()
        this.#underWay.delete(attempt)
        this.#freeHost(receiver.host)
        void this.#serveQueues()
      })
    this.#underWay.add(attempt)
  }

  #freeHost(host: string): void {
    const waiting = this.#busyHosts.get(host) ?? []
    this.#busyHosts.delete(host)
    for (const receiver of waiting) {
      if (receiver.state === 'queued') this.#queues[toSlotKind(receiver)].push(receiver)
    }
  }

  /** Plans the next delivery; undefined if there is nothing to deliver, or not in this turn. */
  #plan(receiver: Receiver): Planned | undefined {
    const { progress } = receiver
    for (let passed = 0; passed < SKIPPED_PAGES_MAX; passed++) {
      const { pending } = progress
      const page = this.#readNext(receiver)
      if ('ended' in page) {
        this.#progress.giveUp(receiver, page.ended)
        return undefined
      }
      const { to, scanned, shared } = page
      const { filters } = receiver.selection
      if (shared) return { shared, pending: pending ?? { to, scanned, attempts: 0, filters } }
      passPage(receiver, to)
      if (scanned === 0 && pending === null) {
        receiver.state = 'idle'
        return undefined
      }
    }
    this.#enqueue(receiver)
    return undefined
  }

  /** Reads what comes next for a receiver, or the reason why nothing will. */
  #readNext({ subscription, selection, progress }: Receiver): NextPage | { ended: string } {
    const { limits, findRecord, findServing } = this.#parts
    const { cursor, pending } = progress
    const limit = pending?.scanned ?? limits.deliveryEvents
    const to = pending?.to
    if (subscription.kind === 'audit') {
      const record = findRecord()
      const seq = findServing()?.seq ?? 0
      // Without a record there is nothing now, and more to come.
      if (record === undefined) return { to: cursor, scanned: 0, shared: undefined }
      const maxBytes = limits.deliveryBytes
      return readAuditPage({ record, seq }, subscription, { cursor, limit, to, maxBytes })
    }
    // Each attempt posts the same bytes, also where the filters have changed since the first one.
    const filters = pending?.filters
    const { types, subject, subjectKey } = filters ? buildSelection(filters) : selection
    const page = this.#pages.read({ cursor, types, limit, to })
    if (page === undefined) return { ended: 'the feed no longer has the events after its cursor' }
    return { to: page.to, scanned: page.scanned, shared: page.findBody(subject, subjectKey) }
  }

  /**
   * Saves the position of a receiver, so that its subscriber is shown it. Returns false if the filters have
   * changed by then: they begin at the position that was shown before.
   */
  async #show(receiver: Receiver): Promise<boolean> {
    const { progress, selection } = receiver
    const shown = { cursor: progress.cursor, isDelivering: progress.pending !== null }
    await this.#progress.save(receiver)
    // In this order: whoever changes filters without being noticed here is shown what was saved.
    this.#refreshReceivers()
    if (receiver.selection === selection) receiver.shown = shown
    else await this.#progress.save(receiver)
    return receiver.selection === selection
  }

  async #attempt(receiver: Receiver, { shared, pending }: Planned): Promise<void> {
    const { fetcher, limits, clock } = this.#parts
    const { progress, subscription } = receiver
    const isFirst = progress.pending === null
    progress.pending = { ...pending, attempts: pending.attempts + 1 }
    if (isFirst && !(await this.#show(receiver))) return this.#enqueue(receiver)
    const range = {
      subscription_id: subscription.subscription_id,
      from: progress.cursor,
      to: pending.to,
    }
    const at = clock.now()
    const post = buildDelivery(shared, range, subscription.url, this.#signer)
    const posted = await fetcher.call(subscription.url, {
      ...post,
      accept: 'application/json',
      maxBytes: limits.receiverAnswerBytes,
      deadlineMs: limits.receiverMs,
      allow: { anyPort: true },
    })
    const verdict = judgeAnswer(posted)
    this.#parts.onAttempt?.(verdict.kind, posted.tookMs)
    if (receiver.state === 'gone') return
    // The fetcher is closed meanwhile, so the lack of an answer says nothing about the receiver.
    if (this.#isClosed && verdict.kind !== 'taken') return
    if (verdict.kind !== 'deferred') {
      this.#progress.log(receiver, verdict, {
        delivery_id: deriveDeliveryId(range),
        attempt: progress.pending.attempts,
        attempted_at: toIso(at),
        duration_ms: posted.tookMs,
        events: shared.events,
        cursor: pending.to,
      })
    }
    if (this.#progress.applyVerdict(receiver, verdict, pending)) this.#enqueue(receiver)
  }
}

function toSlotKind({ progress }: Receiver): SlotKind {
  return progress.failures > 0 ? 'failing' : 'well'
}
