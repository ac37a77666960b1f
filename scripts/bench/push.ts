import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { limits } from '../../pipeline/core/limits.ts'
import { getAt, getLast, requireValue } from '../../pipeline/core/present.ts'
import { RisingIds } from '../../pipeline/core/uuid-v7.ts'
import type { Subscription } from '../../pipeline/model/subscription.ts'
import { ServingStore } from '../../pipeline/serving/lmdb.ts'
import { projectEvents } from '../../pipeline/serving/projections/events.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { openRecord } from '../../pipeline/store/record.ts'
import { builtFolder, Child } from './support/child.ts'
import { buildEvent, fillEvents, secret } from './support/event-store.ts'
import { HttpBench } from './support/http-bench.ts'
import { readOptions } from './support/options.ts'
import type { PushReport, PushTask } from './support/push-clients.ts'
import { note, printResult, printTable } from './support/report.ts'
import { computeSpread, roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Compares deliveries with the feed itself: the time from one commit of many events until the last of
 * all subscribers has all of them, and until the last of as many streams of the feed has. One more
 * subscriber in twenty never answers. `ratio` is the former ÷ the latter. All receivers are one address
 * here, so the limits of one address are raised, and those of streams of one caller.
 */
const STORED_EVENTS = 1_000
const COMMITS = 3
const WELL_SHARE = 10
const DEAD_SHARE = 20
const options = readOptions(10_000, 10_000)
const subscribers = Math.ceil(options.size / WELL_SHARE)
const dead = Math.ceil(subscribers / DEAD_SHARE)
await fillEvents(options.folder, STORED_EVENTS)
const store = ServingStore.open(resolvePaths(options.folder).servingFile)
let committed = STORED_EVENTS
const ids = new RisingIds({ now: () => Date.now() })

const { feedMs, pushMs } = await HttpBench.with(
  options,
  { feedStreamsPerCaller: subscribers },
  async bench => {
    const clients = await Child.start<{ url: string }, PushTask, PushReport>(
      `${builtFolder}/scripts/bench/support/push-clients.js`,
      { args: [bench.url, secret, await fetchHead(bench.url)] },
    )
    note(`opening ${subscribers} streams …`)
    await clients.ask({ streams: subscribers })
    const feedMs = await measure(clients, subscribers)
    await clients.ask({ streams: 0 })
    note(`subscribing ${subscribers} receivers, and ${dead} that never answer …`)
    await subscribe(commit(1))
    const push = await startPush(bench.redisUrl, clients.ready.url)
    await clients.ask({ until: commit(1), readers: subscribers })
    const pushMs = await measure(clients, subscribers)
    await push.stop()
    await clients.stop()
    return { feedMs, pushMs }
  },
)
await store.close()

const ratio = computeSpread(pushMs.map((ms, n) => ms / getAt(feedMs, n)))
const middle = (times: number[]) => computeSpread(times).median / 1_000
printTable(
  [`${options.size} events to ${subscribers} readers`, 'seconds until the last has all'],
  [
    ['streams of the feed', roundForPrint(middle(feedMs))],
    ['deliveries', roundForPrint(middle(pushMs))],
  ],
)
console.log(`deliveries ÷ feed: ${roundForPrint(ratio.median)} (at most 10)\n`)
printResult({
  bench: 'push',
  size: options.size,
  ratio: roundSpread(ratio),
  subscribers,
  dead,
  feed_s: roundForPrint(middle(feedMs)),
  push_s: roundForPrint(middle(pushMs)),
})

/** Commits all events at once some times; returns how long the last reader waited for the last event. */
async function measure(
  clients: Child<{ url: string }, PushTask, PushReport>,
  readers: number,
): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < COMMITS; n++) {
    const started = Date.now()
    const { lastAt } = await clients.ask({ until: commit(options.size), readers })
    times.push(Math.max(1, lastAt - started))
  }
  return times
}

/** Writes events to the serving store as one commit does; returns the id of the last one. */
function commit(count: number): string {
  const now = Date.now()
  const events = Array.from({ length: count }, (_, n) => ({
    ...buildEvent(committed + n, now),
    event_id: ids.next(),
  }))
  committed += count
  store.write(projectEvents(events), store.seq + 1)
  return getLast(events).event_id
}

async function subscribe(cursor: string): Promise<void> {
  const hosts = [
    ...Array.from({ length: subscribers }, (_, n) => `r${n}.example`),
    ...Array.from({ length: dead }, (_, n) => `dead${n}.example`),
  ]
  const rows = hosts.map((host): Subscription & { begins_after: string; seq: number } => ({
    subscription_id: randomUUID(),
    org_id: 'bench',
    url: `https://${host}/changes`,
    event_types: [],
    domains: [],
    agents: [],
    cursor,
    created_at: new Date().toISOString(),
    disabled_at: null,
    disabled_reason: null,
    begins_after: cursor,
    seq: store.seq + 1,
  }))
  const record = openRecord(resolvePaths(options.folder).record)
  record.insert('subscriptions', rows)
  record.close()
}

function startPush(redisUrl: string, receivers: string): Promise<Child<object, never, never>> {
  const key = `${options.folder}/registry-key.jwk`
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  writeFileSync(key, JSON.stringify(jwk))
  return Child.start(`${builtFolder}/scripts/registry.js`, {
    args: ['push'],
    env: {
      DATA_DIR: options.folder,
      REDIS_URL: redisUrl,
      REGISTRY_SIGNING_KEYS: key,
      CRAWL_CONNECT_TO: receivers,
      ADDRESS_CONCURRENCY: '4096',
      LIMITS: JSON.stringify({ ...limits, addressRequestsPerMinute: 1e7 }),
    },
  })
}

/** Fetches the cursor after the last event of the feed. */
async function fetchHead(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await fetch(`${url}/api/registry/feed?limit=1`, { headers })
  return requireValue(answer.headers.get('x-sync-cursor'), 'x-sync-cursor')
}
