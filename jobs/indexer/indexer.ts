import { setTimeout } from 'node:timers/promises'
import { resolveBaseUrl } from '../../pipeline/core/base-url.ts'
import { type Clock, MINUTE, SECOND, toIso } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { readVersion } from '../../pipeline/core/version.ts'
import { Sequencer, type SequencerOptions } from '../../pipeline/writer/sequencer.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import { getMessage, openWriterClient } from '../api-client/writer-client.ts'
import { joinFleet } from '../fleet/fleet.ts'
import { IndexerMetrics } from '../metrics/indexer-metrics.ts'
import type { Role } from '../process-role.ts'
import { connectRedis, type Redis, waitUntilReady } from '../redis.ts'
import { removeRunFile, writeRunFile } from '../run-file.ts'
import { limitHeapGrowth } from '../v8-heap.ts'
import { createBulkCommits } from './bulk-commits.ts'
import { ByteSemaphore } from './byte-semaphore.ts'
import { openCachePurger } from './cache-purger.ts'
import { ComparisonRecorder } from './comparison-recorder.ts'
import { ComplianceMonitor } from './compliance-monitor.ts'
import { Dispatcher } from './dispatcher.ts'
import { startHeartbeat } from './heartbeat.ts'
import { startLogging } from './log-loop.ts'
import { repeatEvery } from './loops.ts'
import { startPublishing } from './publishing-loop.ts'
import { openQueueWorkers } from './queue-workers.ts'
import { createRedisCheck } from './redis-check.ts'
import { BrandRefresher } from './refresh-brands.ts'
import { startReplicaPublishing } from './replica-publishing-loop.ts'
import { StatusWatch } from './status-watch.ts'
import { SubmissionConsumer } from './submission-consumer.ts'
import { startUploading } from './upload-loop.ts'
import { startTellingShares, startWatching } from './watching/watch-loop.ts'

const LEASE_RETRY_MS = 500
const DISPATCH_EVERY_MS = 300
const TICK_EVERY_MS = 5 * MINUTE
const REFRESH_EVERY_MS = 10 * MINUTE
const BADGE_EXPIRY_EVERY_MS = MINUTE
const MONITOR_EVERY_MS = 10 * SECOND
/** Agents tested at a time; this leaves room for callers who wait for a storyboard. */
const AGENTS_UNDER_TEST = 4
const RECORD_EVERY_MS = 10 * SECOND
const REDIS_CHECK_EVERY_MS = MINUTE

interface Watched extends Pick<SequencerOptions, 'onStep'> {
  metrics?: IndexerMetrics
}

/**
 * Runs the indexer role: the writer and the queues that feed it. Waits as a standby while another process
 * holds the lease. When a commit fails by an internal error the process exits; the next start recovers, and
 * uncommitted work is delivered again. `onStep` lets tests stop it at a step.
 */
export async function runIndexer(
  config: Config,
  redisUrl: string,
  clock: Clock,
  log: Log,
  fail: (error: unknown) => void,
  { onStep, metrics = new IndexerMetrics() }: Watched = {},
): Promise<Role> {
  limitHeapGrowth()
  const commands = connectRedis(redisUrl, 'waitForever', log)
  const fleet = await joinFleet({ config, redis: commands, clock, log, fail })
  const sequencer = await openSequencer({
    config,
    clock,
    log,
    ...fleet?.asking,
    onStep(step, moment) {
      onStep?.(step, moment)
      metrics.noteStep(step, moment)
    },
    onCommit: facts => metrics.countCommit(facts, clock.now()),
  })
  await fleet?.begin(sequencer)
  if (fleet) metrics.watchBackups(() => fleet.report())
  const dispatcher = new Dispatcher(sequencer, commands, config, clock, log)
  function stopOnFailure(error: unknown): never {
    fail(error)
    throw error
  }
  const unpacked = new ByteSemaphore(config.LIMITS.unpackedBytes)
  const bulkCommits = createBulkCommits(sequencer, dispatcher, unpacked, config, stopOnFailure)
  const connections: Redis[] = [commands]
  const connect = () => {
    const connection = connectRedis(redisUrl, 'waitForever', log)
    connections.push(connection)
    return connection
  }
  const uploading = startUploading(
    config,
    sequencer.paths,
    clock,
    log,
    metrics,
    fleet?.asking.ensureMayWrite,
  )
  const workers = openQueueWorkers(connect, {
    sequencer,
    bulkCommits,
    unpacked,
    commands,
    config,
    clock,
    log,
    readCopies: () => ({
      ...(uploading && { upload: uploading.report() }),
      ...(fleet && { backup: fleet.report() }),
    }),
  })
  const submissions = new SubmissionConsumer(
    { blocking: connect(), commands },
    {
      commit: submissions => {
        const batch = { observations: [], submissions, actor: 'api:submission' }
        return sequencer.commit(batch).catch(stopOnFailure)
      },
      sendAnswers: fleet && (toSend => fleet.sendAnswers(toSend).catch(stopOnFailure)),
    },
    log,
  )
  const writer = openWriterClient(redisUrl, log, config.LIMITS)
  const timerDeps = { sequencer, writer, limits: config.LIMITS, clock, log }
  const refresher = new BrandRefresher(timerDeps)
  const monitor = new ComplianceMonitor(timerDeps)
  const recorder = new ComparisonRecorder(timerDeps)
  const statusWatch = new StatusWatch(sequencer.index.file, clock)
  const busyMs = () => sequencer.busyMs
  const { paths } = sequencer
  metrics.watch({
    paths,
    clock,
    busyMs,
    filesInFlight: () => dispatcher.inFlight,
    isLogStopped: () => sequencer.treeLog.stop?.isWaiting === false,
    status: () => statusWatch.status,
  })
  const stopHeartbeat = startHeartbeat({ file: paths.heartbeat, clock, busyMs })
  const purger = openCachePurger(sequencer.serving, config.PURGE_URL, log)
  const onShown = () => purger?.noteSnapshot()
  const dispatching = repeatEvery(DISPATCH_EVERY_MS, log, () => dispatcher.dispatch())
  const loops = [
    repeatEvery(TICK_EVERY_MS, log, () => sequencer.tick()),
    repeatEvery(REFRESH_EVERY_MS, log, () => refresher.refreshNext()),
    repeatEvery(BADGE_EXPIRY_EVERY_MS, log, () => monitor.expireBadges()),
    ...Array.from({ length: AGENTS_UNDER_TEST }, () =>
      repeatEvery(MONITOR_EVERY_MS, log, () => monitor.testDue()),
    ),
    repeatEvery(RECORD_EVERY_MS, log, () => recorder.storeEnded()),
    repeatEvery(REDIS_CHECK_EVERY_MS, log, createRedisCheck(commands, config, log)),
    startPublishing({ sequencer, config, clock, log, metrics, onShown }),
    startLogging(sequencer, log),
    startReplicaPublishing(sequencer, config, clock, log),
    uploading,
    purger?.start(),
    startWatching({ sequencer, writer, clock, log }, config),
    startTellingShares({ sequencer, writer, clock, log }, config),
    repeatEvery(
      () => statusWatch.pauseMs,
      log,
      () => statusWatch.look(),
    ),
  ].filter(loop => loop !== undefined)
  const version = readVersion()
  writeRunFile(sequencer.paths, {
    base_url: resolveBaseUrl(config),
    redis_url: redisUrl,
    indexer_pid: process.pid,
    // A parent with an IPC channel ends this process by closing the channel.
    ...(process.channel && { supervisor_pid: process.ppid }),
    started_at: toIso(clock.now()),
    key_files: {
      LOG_SIGNING_KEY: config.LOG_SIGNING_KEY,
      REGISTRY_SIGNING_KEYS: config.REGISTRY_SIGNING_KEYS,
    },
    version,
  })
  void waitUntilReady(commands).then(() =>
    log.info({ seq: sequencer.seq, version }, 'indexer ready'),
  )
  return {
    async close() {
      for (const loop of [dispatching, ...loops]) loop.stop()
      monitor.close()
      await writer.close()
      const readers = [...workers, submissions]
      await waitAtMost(Promise.all(readers.map(reader => reader.close())), 5_000)
      // The dispatcher may be waiting for Redis; everything else comes to its end.
      await waitAtMost(dispatching.ended)
      await waitAtMost(dispatcher.close())
      await Promise.all(loops.map(loop => loop.ended))
      await sequencer
        .publish()
        .catch(error => log.error({ error: getMessage(error) }, 'not published'))
      await sequencer.treeLog.update().catch(() => undefined)
      await fleet?.close()
      removeRunFile(sequencer.paths)
      stopHeartbeat()
      await sequencer.close()
      for (const connection of connections) connection.disconnect()
    },
  }
}

async function openSequencer(options: SequencerOptions): Promise<Sequencer> {
  for (let isLogged = false; ; isLogged = true) {
    const sequencer = await Sequencer.open(options)
    if (sequencer) return sequencer
    if (!isLogged) options.log.info('another process writes; standing by')
    await setTimeout(LEASE_RETRY_MS)
  }
}
