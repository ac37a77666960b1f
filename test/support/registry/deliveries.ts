import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import { readRegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { limits as defaults, type Limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import type { ProfileVersion } from '../../../pipeline/core/signing-profiles.ts'
import { RisingIds } from '../../../pipeline/core/uuid-v7.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import type { Subscription, SubscriptionFilters } from '../../../pipeline/model/subscription.ts'
import { Deliverer } from '../../../pipeline/push/deliverer.ts'
import { PushState } from '../../../pipeline/push/state.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { projectEvents } from '../../../pipeline/serving/projections/events.ts'
import { declareTables } from '../../../pipeline/store/record.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { makeRegistryKey, openReceivers, type Receivers } from '../servers/webhook-receivers.ts'
import { type TestClock, testClock } from '../worlds/clock.ts'
import { generousRates, generousTimeouts } from './generous-limits.ts'

/** Deliveries from a serving store that a test fills as commits do. */
export interface Delivering {
  receivers: Receivers
  clock: TestClock
  state: PushState
  disabled: Map<string, string>
  /** Writes events as one commit. */
  commit(...events: Partial<FeedEvent>[]): FeedEvent[]
  record: Sqlite
  /** Writes private rows as one commit, whose number they get. */
  commitRows(rows: Record<string, object[]>): void
  subscribe(subscription: Partial<Subscription> & { url: string }): string
  /** Replaces filters of a subscription. */
  change(subscriptionId: string, filters: Partial<SubscriptionFilters>): void
  unsubscribe(subscriptionId: string): void
  /** Resumes a disabled subscription. */
  resume(subscriptionId: string): void
  /** Ends the deliverer and begins another one, which knows only what was written. */
  restart(): Promise<void>
}

const NIL = '00000000-0000-0000-0000-000000000000'

export async function openDelivering(
  changed: Partial<Limits> = {},
  signingProfile: ProfileVersion = '3.1',
): Promise<Delivering> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-push-'))
  const key = makeRegistryKey()
  const keys = readRegistryKeys({ REGISTRY_SIGNING_KEYS: key.path, PROTOCOL_NAME: 'proto' })!
  const clock = testClock()
  const receivers = await openReceivers(key.path, clock, signingProfile)
  const limits: Limits = { ...defaults, ...generousTimeouts, ...generousRates, ...changed }
  const store = ServingStore.open(join(folder, 'serving.mdb'))
  const record = Sqlite.open(':memory:')
  declareTables(record)
  const ids = new RisingIds(clock)
  const disabled = new Map<string, string>()
  const stored = new Map<string, Subscription>()
  const write = (entries: Parameters<ServingStore['write']>[0]) => {
    store.write(entries, store.seq + 1)
  }
  const putSubscription = (subscription: Subscription, isDeleted = false) => {
    const { subscription_id } = subscription
    stored.set(subscription_id, subscription)
    for (const table of ['subscriptions', 'audit_subscriptions']) {
      record.run(`delete from ${table} where subscription_id = $subscription_id`, {
        subscription_id,
      })
    }
    const { cursor: begins_after, url } = subscription
    const row = { ...subscription, begins_after, url: isDeleted ? null : url }
    const seq = store.seq + 1
    record.insert('subscriptions', [{ ...row, seq }])
    const { kind, granted_by } = subscription
    if (kind === 'audit')
      record.insert('audit_subscriptions', [{ subscription_id, granted_by, seq }])
    write([])
  }
  const fetcher = createFetcher({
    connectTo: receivers.url,
    hostConcurrency: 1,
    addressConcurrency: 1_000,
    contact: 'https://registry.example/crawler',
    limits,
    clock,
  })
  let state = PushState.open(join(folder, 'push', 'state.mdb'))
  const open = () => {
    const deliverer = new Deliverer({
      findServing: () => store,
      findRecord: () => record,
      state,
      fetcher: fetcher.for({ kind: 'push' }),
      keys,
      protocolName: 'proto',
      signingProfile,
      limits,
      clock,
      log: silentLog,
      async disable(id, reason) {
        const known = stored.get(id)!
        disabled.set(id, reason)
        putSubscription({
          ...known,
          disabled_at: toIso(clock.now()),
          disabled_reason: reason,
        })
        return true
      },
    })
    deliverer.start()
    return deliverer
  }
  let deliverer = open()
  onTestFinished(async () => {
    const closing = deliverer.close()
    await fetcher.close()
    await closing
    await state.close()
    await receivers.close()
    await store.close()
    record.close()
    key.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    receivers,
    clock,
    get state() {
      return state
    },
    disabled,
    record,
    commit(...events) {
      const made = events.map(
        (event): FeedEvent => ({
          event_id: ids.next(),
          event_type: 'agent.removed',
          entity_type: 'agent',
          entity_id: 'https://gone.example/mcp',
          payload: { agent_url: 'https://gone.example/mcp' },
          actor: 'pipeline:crawler',
          created_at: toIso(clock.now()),
          ...event,
        }),
      )
      write(projectEvents(made))
      return made
    },
    commitRows(rows) {
      const seq = store.seq + 1
      for (const [table, list] of Object.entries(rows)) {
        record.insert(
          table,
          list.map(row => ({ seq, ...row })),
        )
      }
      write([])
    },
    subscribe(given) {
      const subscription: Subscription = {
        subscription_id: crypto.randomUUID(),
        org_id: 'acme',
        kind: 'changes',
        granted_by: null,
        event_types: [],
        domains: [],
        agents: [],
        cursor: NIL,
        created_at: toIso(clock.now()),
        disabled_at: null,
        disabled_reason: null,
        ...given,
      }
      putSubscription(subscription)
      return subscription.subscription_id
    },
    change(id, filters) {
      putSubscription({ ...stored.get(id)!, ...filters })
    },
    unsubscribe(id) {
      putSubscription(stored.get(id)!, true)
    },
    resume(id) {
      disabled.delete(id)
      putSubscription({ ...stored.get(id)!, disabled_at: null, disabled_reason: null })
    },
    async restart() {
      await deliverer.close()
      await state.close()
      state = PushState.open(join(folder, 'push', 'state.mdb'))
      deliverer = open()
    },
  }
}
