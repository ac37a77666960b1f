import { Worker } from 'bullmq'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { readObservation } from '../../pipeline/parse/read-observation.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { dropParts, type ObservationsMessage, unpackObservations } from '../crawl-messages.ts'
import { queueOptions, queues, toStalledInterval } from '../queues.ts'
import type { Redis } from '../redis.ts'
import type { createBulkCommits } from './bulk-commits.ts'
import type { ByteSemaphore } from './byte-semaphore.ts'
import { answerQuestion, type CopyStatus, type Question } from './questions.ts'

interface QueueWorkersDeps {
  sequencer: Sequencer
  bulkCommits: ReturnType<typeof createBulkCommits>
  /** Limits the bytes of observations that are unpacked and not yet committed. */
  unpacked: ByteSemaphore
  commands: Redis
  config: Config
  clock: Clock
  log: Log
  readCopies: () => CopyStatus
}

/** Opens the workers of the queues that the indexer reads, each with a connection of its own. */
export function openQueueWorkers(connect: () => Redis, deps: QueueWorkersDeps): Worker[] {
  const { sequencer, config, clock, log, readCopies } = deps
  const open = <Data, Result>(
    name: 'observations' | 'questions',
    handle: (data: Data) => Promise<Result>,
  ) => {
    const worker = new Worker<Data, Result>(name, ({ data }) => handle(data), {
      connection: connect(),
      ...queueOptions,
      concurrency: queues[name].concurrency,
      ...toStalledInterval(config.LIMITS),
    })
    worker.on('error', () => undefined)
    worker.on('failed', (_, error) => log.warn({ queue: name, error: error.message }, 'job failed'))
    return worker
  }
  return [
    open('observations', (message: ObservationsMessage) => commitMessage(message, deps)),
    open('questions', (question: Question) =>
      answerQuestion(question, sequencer, clock, readCopies),
    ),
  ]
}

/** Commits the observations of a message, with others that came meanwhile. */
async function commitMessage(
  message: ObservationsMessage,
  { bulkCommits, unpacked, commands, config }: QueueWorkersDeps,
): Promise<void> {
  const committed = unpacked.run(message.bytes, async () => {
    const observations = await unpackObservations(message, commands)
    await bulkCommits.add(
      observations.map(observation => readObservation(observation, config.LIMITS)),
    )
  })
  if (unpacked.isFull) bulkCommits.commitIfDue()
  await committed
  await dropParts(message, commands)
}
