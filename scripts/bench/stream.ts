import { setTimeout } from 'node:timers/promises'
import { toIso } from '../../pipeline/core/clock.ts'
import { getAt, requireValue } from '../../pipeline/core/present.ts'
import { RisingIds } from '../../pipeline/core/uuid-v7.ts'
import type { FeedEvent } from '../../pipeline/model/event.ts'
import { ServingStore } from '../../pipeline/serving/lmdb.ts'
import { projectEvents } from '../../pipeline/serving/projections/events.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { builtFolder, Child } from './support/child.ts'
import { fillEvents, secret } from './support/event-store.ts'
import { HttpBench } from './support/http-bench.ts'
import { readOptions } from './support/options.ts'
import { note, printResult, printTable } from './support/report.ts'
import { computeSpread, roundForPrint, roundSpread } from './support/spread.ts'
import type { StreamReport, StreamTask } from './support/stream-clients.ts'
import { readCpuSeconds } from './support/usage.ts'

/**
 * Measures idle streams of the feed and the commits that reach them: memory per stream, CPU of all
 * of them with a heartbeat every 15 s, and the time from a commit until the last stream has it.
 * `ratio` is that time at p99, in seconds. The limit of streams per caller is raised; everything
 * else is the defaults.
 */
const STORED_EVENTS = 1_000
const COMMITS = 10
const options = readOptions(5_000, 5_000)
const openedFirst = Math.min(10, options.size)
await fillEvents(options.folder, STORED_EVENTS)
const store = ServingStore.open(resolvePaths(options.folder).servingFile)
const limits = { feedStreamsPerCaller: options.size }

const result = await HttpBench.with(options, limits, async bench => {
  const clients = await Child.start<object, StreamTask, StreamReport>(
    `${builtFolder}/scripts/bench/support/stream-clients.js`,
    { args: [bench.url, secret, await fetchHead(bench.url)] },
  )
  await clients.ask({ open: openedFirst })
  const before = bench.apiMemoryMB
  note(`opening ${options.size} streams …`)
  const { open } = await clients.ask({ open: options.size - openedFirst })
  await clients.ask({})
  await setTimeout(2_000)
  const kilobytes = ((bench.apiMemoryMB - before) * 1_000) / open
  const cpu = readCpuSeconds(bench.apiPid)
  const idleSeconds = 6 * options.seconds
  await setTimeout(idleSeconds * 1_000)
  const idleShare = (readCpuSeconds(bench.apiPid) - cpu) / idleSeconds
  const waits: number[] = []
  for (let n = 0; n < COMMITS; n++) {
    const committed = commitNumber(n)
    await setTimeout(2_000)
    const { pagesAt } = await clients.ask({})
    if (pagesAt.length !== open)
      throw new Error(`${pagesAt.length} of ${open} streams got a commit`)
    waits.push(...pagesAt.map(at => (at - committed) / 1_000))
  }
  await clients.stop()
  return { open, kilobytes, idleShare, waits }
})
await store.close()

const { open, kilobytes, idleShare, waits } = result
const sorted = [...waits].sort((a, b) => a - b)
const p99 = getAt(sorted, Math.ceil(sorted.length * 0.99) - 1)
printTable(
  [`${open} idle streams`, 'measured', 'must'],
  [
    ['own memory a stream, KB', roundForPrint(kilobytes), '< 15'],
    ['of one core, all together', `${roundForPrint(100 * idleShare)} %`, '< 5 %'],
    ['a commit reaches all, p99', `${roundForPrint(p99)} s`, '≤ 1 s'],
  ],
)
printResult({
  bench: 'stream',
  size: options.size,
  ratio: roundSpread(computeSpread(waits)),
  p99_s: roundForPrint(p99),
  kb_a_stream: roundForPrint(kilobytes),
  cpu_share: roundForPrint(idleShare),
})

/** Fetches the cursor after the last event of the feed. */
async function fetchHead(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await fetch(`${url}/api/registry/feed?limit=1`, { headers })
  return requireValue(answer.headers.get('x-sync-cursor'), 'x-sync-cursor')
}

/** Writes one event to the serving store as a commit does; returns the time of it. */
function commitNumber(n: number): number {
  const ids = new RisingIds({ now: () => Date.now() })
  const now = toIso(Date.now())
  const event: FeedEvent = {
    event_id: ids.next(),
    event_type: 'agent.removed',
    entity_type: 'agent',
    entity_id: `https://gone-${n}.example`,
    payload: { agent_url: `https://gone-${n}.example` },
    actor: 'pipeline:crawler',
    created_at: now,
  }
  store.write(projectEvents([event]), store.seq + 1)
  return Date.now()
}
