import { setTimeout } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Observation } from '../../pipeline/model/observation.ts'
import { waitAtMost } from '../api-client/enqueue.ts'
import { type ObservationsMessage, packObservations } from '../messages.ts'
import { queues, REDIS_PREFIX } from '../queues.ts'
import type { Redis } from '../redis.ts'

const WAIT_MS = 250
/** States of a job that no indexer works on; a finished job does not exist. */
const IDLE = ['unknown', 'completed', 'failed', 'delayed']

/** A message that was sent. */
interface Sent {
  jobId: string
  bytes: number
}

/** Receives the observations of the crawlers. */
export class Results {
  readonly #connection: Redis
  readonly #limits: Limits
  readonly #queue: Queue<ObservationsMessage>
  /**
   * Sent messages, oldest first; whether they are done is checked when they exceed a number of
   * bytes.
   */
  readonly #sent: Sent[] = []
  #sentBytes = 0

  constructor(connection: Redis, limits: Limits) {
    this.#connection = connection
    this.#limits = limits
    this.#queue = new Queue('observations', { connection, prefix: REDIS_PREFIX })
    this.#queue.on('error', () => undefined)
  }

  /** Resolves when the indexer has caught up, or when stopped. */
  async waitForRoom(stop?: AbortSignal): Promise<void> {
    while (!(await this.#hasRoom())) {
      if (stop?.aborted) return
      await setTimeout(WAIT_MS)
    }
  }

  pack(observations: readonly Observation[]): Promise<ObservationsMessage[]> {
    return packObservations(observations, this.#limits.observationMessageBytes, this.#connection)
  }

  async send(messages: readonly ObservationsMessage[]): Promise<void> {
    for (const message of messages) {
      const { id } = await this.#queue.add('seen', message, queues.observations.options)
      const bytes =
        message.payload.length + message.parts.length * this.#limits.observationMessageBytes
      this.#sent.push({ jobId: id!, bytes })
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
      const first = this.#sent[0]!
      if (!IDLE.includes(await this.#queue.getJobState(first.jobId))) return false
      // Another batch may have looked for the same one.
      if (this.#sent[0] !== first) continue
      this.#sent.shift()
      this.#sentBytes -= first.bytes
    }
    return true
  }
}
