import { setTimeout } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { Limits } from '../../pipeline/core/limits.ts'
import { getFirst, requireValue } from '../../pipeline/core/present.ts'
import type { Observation } from '../../pipeline/model/observation.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import { type ObservationsMessage, packObservations } from '../crawl-messages.ts'
import { queueOptions, queues } from '../queues.ts'
import type { Redis } from '../redis.ts'

const POLL_MS = 250
/** States in which no indexer holds the message of a job in memory; `unknown`: it was committed and deleted. */
const FINISHED_STATES = ['unknown', 'completed', 'failed', 'delayed']

/** A message that was sent. */
interface SentMessage {
  jobId: string
  bytes: number
}

/**
 * Sends the observations of a crawler to the indexer, and makes the crawler wait while the indexer is behind, so that
 * Redis does not fill up.
 */
export class ObservationSender {
  readonly #connection: Redis
  readonly #limits: Limits
  readonly #queue: Queue<ObservationsMessage>
  /**
   * Sent messages, oldest first; whether they are done is checked when they exceed a number of
   * bytes.
   */
  readonly #sent: SentMessage[] = []
  #sentBytes = 0

  constructor(connection: Redis, limits: Limits) {
    this.#connection = connection
    this.#limits = limits
    this.#queue = new Queue('observations', { connection, ...queueOptions })
    this.#queue.on('error', () => undefined)
  }

  /** Resolves when the indexer has caught up, or when stopped. */
  async waitForRoom(stop?: AbortSignal): Promise<void> {
    while (!(await this.#hasRoom())) {
      if (stop?.aborted) return
      await setTimeout(POLL_MS)
    }
  }

  /** Packs observations into messages of a bounded size. */
  pack(observations: readonly Observation[]): Promise<ObservationsMessage[]> {
    return packObservations(observations, this.#limits.observationMessageBytes, this.#connection)
  }

  async send(messages: readonly ObservationsMessage[]): Promise<void> {
    for (const message of messages) {
      const { id } = await this.#queue.add('seen', message, queues.observations.options)
      const bytes =
        message.payload.length + message.parts.length * this.#limits.observationMessageBytes
      this.#sent.push({ jobId: requireValue(id, 'id of the job'), bytes })
      this.#sentBytes += bytes
    }
  }

  /** Counts messages that are not committed yet. */
  countWaiting(): Promise<number> {
    return this.#queue.getJobCountByTypes('waiting', 'active', 'delayed')
  }

  close(): Promise<void> {
    return waitAtMost(this.#queue.close())
  }

  async #hasRoom(): Promise<boolean> {
    const { observationsWaiting, sentBytes } = this.#limits
    if ((await this.#queue.getWaitingCount()) > observationsWaiting) return false
    while (this.#sentBytes > sentBytes) {
      const first = getFirst(this.#sent)
      if (!FINISHED_STATES.includes(await this.#queue.getJobState(first.jobId))) return false
      // Another batch may have removed it meanwhile.
      if (this.#sent[0] !== first) continue
      this.#sent.shift()
      this.#sentBytes -= first.bytes
    }
    return true
  }
}
