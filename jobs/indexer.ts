import { setTimeout } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { type Clock, dayOf, isoOf, MINUTE } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Log } from '../pipeline/core/log.ts'
import { readObservation } from '../pipeline/crawl/read-observation.ts'
import { exportParquet, isTooSoonToExport } from '../pipeline/index/parquet.ts'
import { Sequencer, type SequencerOptions } from '../pipeline/index/sequencer.ts'
import { openBulkLane } from './bulk-lane.ts'
import { ByteBudget } from './byte-budget.ts'
import { messageOf, settled } from './enqueue.ts'
import { keepHeapLean } from './lean-heap.ts'
import { dropParts, type ObservationsMessage, unpackObservations } from './messages.ts'
import { nextPauseS } from './publish-rhythm.ts'
import { Pump } from './pump.ts'
import { answerQuestion, type Question } from './questions.ts'
import { queues, REDIS_PREFIX, takeoverOf } from './queues.ts'
import { connectRedis, type Redis } from './redis.ts'
import type { Role } from './role.ts'
import { baseUrlOf, removeRunFile, writeRunFile } from './run-file.ts'
import { SubmissionReader } from './submission-reader.ts'

const LEASE_RETRY_MS = 500
const PUMP_EVERY_MS = 300
const TICK_EVERY_MS = 5 * MINUTE

/**
 * The indexer role: the one writer and what keeps it fed. Waits as a standby while another process
 * holds the lease. When a commit fails for a reason of ours the process ends: the next start
 * recovers, and what was not committed is delivered again. `watched` is for tests that end it at a step.
 */
export async function runIndexer(
  config: Config,
  redisUrl: string,
  clock: Clock,
  log: Log,
  fail: (error: unknown) => void,
  watched: Pick<SequencerOptions, 'onStep'> = {},
): Promise<Role> {
  keepHeapLean()
  const sequencer = await takeOver({ config, clock, log, ...watched })
  const asking = connectRedis(redisUrl, 'work', log)
  const pump = new Pump(sequencer, asking, config, clock, log)
  function failed(error: unknown): never {
    fail(error)
    throw error
  }
  const unpacked = new ByteBudget(config.LIMITS.unpackedBytes)
  const lane = openBulkLane(sequencer, pump, unpacked, config, failed)
  const connections: Redis[] = [asking]
  const connect = () => {
    const connection = connectRedis(redisUrl, 'work', log)
    connections.push(connection)
    return connection
  }
  const worker = <Data, Result>(
    name: 'observations' | 'questions',
    work: (data: Data) => Promise<Result>,
  ) => {
    const made = new Worker<Data, Result>(name, ({ data }) => work(data), {
      connection: connect(),
      prefix: REDIS_PREFIX,
      concurrency: queues[name].concurrency,
      ...takeoverOf(config.LIMITS),
    })
    made.on('error', () => undefined)
    made.on('failed', (_, error) => log.warn({ queue: name, error: error.message }, 'job failed'))
    return made
  }
  const workers = [
    worker('observations', async (message: ObservationsMessage) => {
      const committed = unpacked.hold(message.bytes, async () => {
        const seen = await unpackObservations(message, asking)
        await lane.add(seen.map(one => readObservation(one, config.LIMITS)))
      })
      if (unpacked.isFull) lane.consider()
      await committed
      await dropParts(message, asking)
    }),
    worker('questions', (question: Question) => answerQuestion(question, sequencer, clock)),
  ]
  const submissions = new SubmissionReader(
    { blocking: connect(), asking },
    async handed => {
      const batch = { observations: [], submissions: handed, actor: 'api:submission' }
      return (await sequencer.commit(batch).catch(failed)).answers
    },
    log,
  )
  const pumping = every(PUMP_EVERY_MS, log, () => pump.turn())
  const loops = [
    every(TICK_EVERY_MS, log, () => sequencer.tick()),
    publishing(sequencer, config, clock, log),
  ]
  writeRunFile(sequencer.paths, {
    base_url: baseUrlOf(config),
    redis_url: redisUrl,
    pid: process.pid,
    started_at: isoOf(clock.now()),
  })
  log.info({ seq: sequencer.seq }, 'indexer ready')
  return {
    async close() {
      for (const loop of [pumping, ...loops]) loop.stop()
      const readers = [...workers, submissions]
      await settled(Promise.all(readers.map(one => one.close())), 5_000)
      // The pump waits for Redis, which may be away; whatever else goes on comes to its end.
      await settled(pumping.ended)
      await settled(pump.close())
      await Promise.all(loops.map(loop => loop.ended))
      await sequencer
        .publish()
        .catch(error => log.error({ error: messageOf(error) }, 'not published'))
      removeRunFile(sequencer.paths)
      await sequencer.close()
      for (const connection of connections) connection.disconnect()
    },
  }
}

async function takeOver(options: SequencerOptions): Promise<Sequencer> {
  for (let isTold = false; ; isTold = true) {
    const sequencer = await Sequencer.open(options)
    if (sequencer) return sequencer
    if (!isTold) options.log.info('another process writes; standing by')
    await setTimeout(LEASE_RETRY_MS)
  }
}

interface Loop {
  stop(): void
  ended: Promise<void>
}

/** Does something again and again, one at a time; a failure is told and does not end it. */
function every(ms: number | (() => number), log: Log, work: () => Promise<unknown>): Loop {
  const stop = new AbortController()
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await work().catch(error => log.error({ error: messageOf(error) }, 'loop failed'))
      await pause(typeof ms === 'number' ? ms : ms(), stop.signal)
    }
  })()
  return { stop: () => stop.abort(), ended }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined)
}

/** Snapshots in their rhythm; once a UTC day the Parquet files, and what is too old goes. */
function publishing(sequencer: Sequencer, config: Config, clock: Clock, log: Log): Loop {
  let pauseS = nextPauseS(0)
  let retained: string | undefined
  const rhythm = () => 1_000 * (config.PUBLISH_EVERY ?? pauseS)
  return every(rhythm, log, async () => {
    if (sequencer.seq === 0) return
    const copyMs = await sequencer.publish()
    // 0: there was nothing to copy, which says nothing of how long it takes.
    if (copyMs > 0) pauseS = nextPauseS(copyMs, pauseS)
    const { index, paths } = sequencer
    const isTooSoon = await sequencer.quietly(() => isTooSoonToExport(index, paths))
    if (!isTooSoon) await exportParquet(paths, clock.now(), log)
    const day = dayOf(clock.now())
    if (day !== retained) await sequencer.retain()
    retained = day
  })
}
