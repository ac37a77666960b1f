import { setTimeout } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { Limits } from '../pipeline/core/limits.ts'
import type { Observation } from '../pipeline/model/observation.ts'
import { settled } from './enqueue.ts'
import { type ObservationsMessage, packObservations } from './messages.ts'
import { queues, REDIS_PREFIX } from './queues.ts'
import type { Redis } from './redis.ts'

const WAIT_MS = 250

/** Where crawlers hand in what they saw. */
export class Results {
  readonly #connection: Redis
  readonly #limits: Limits
  readonly #queue: Queue<ObservationsMessage>

  constructor(connection: Redis, limits: Limits) {
    this.#connection = connection
    this.#limits = limits
    this.#queue = new Queue('observations', { connection, prefix: REDIS_PREFIX })
    this.#queue.on('error', () => undefined)
  }

  /** Resolves when the indexer is not behind, or when it is told to stop. */
  async room(stop?: AbortSignal): Promise<void> {
    while ((await this.#queue.getWaitingCount()) > this.#limits.observationsWaiting) {
      if (stop?.aborted) return
      await setTimeout(WAIT_MS)
    }
  }

  pack(observations: readonly Observation[]): Promise<ObservationsMessage[]> {
    return packObservations(observations, this.#limits.observationMessageBytes, this.#connection)
  }

  async send(messages: readonly ObservationsMessage[]): Promise<void> {
    for (const message of messages) {
      await this.#queue.add('seen', message, queues.observations.options)
    }
  }

  /** Messages that are not committed. */
  left(): Promise<number> {
    return this.#queue.getJobCountByTypes('waiting', 'active', 'delayed')
  }

  close(): Promise<void> {
    return settled(this.#queue.close())
  }
}
