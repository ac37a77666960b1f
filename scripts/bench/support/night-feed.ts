import { setTimeout } from 'node:timers/promises'
import { openWriterClient } from '../../../jobs/api-client/enqueue.ts'
import { Results } from '../../../jobs/indexer/results.ts'
import type { ObservationsMessage } from '../../../jobs/messages.ts'
import { connectRedis, type Redis } from '../../../jobs/redis.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { addDomains } from '../../commands/crawl.ts'
import { buildFiles, buildObservations, type Files } from './night.ts'

const POLL_MS = 20

/** What crawlers bring of nights, made ready before and handed in as they do: as fast as it is taken. */
export class NightFeed {
  readonly #connection: Redis
  readonly #results: Results
  readonly #files: Files

  private constructor(connection: Redis, files: Files) {
    this.#connection = connection
    this.#results = new Results(connection, limits)
    this.#files = files
  }

  /** Hands in the domains of so many files. */
  static async open(redisUrl: string, files: number): Promise<NightFeed> {
    const feed = new NightFeed(connectRedis(redisUrl, 'work', silentLog), buildFiles(files))
    const writer = openWriterClient(redisUrl, silentLog)
    const domains = feed.#files.world.domains as readonly Domain[]
    await addDomains(operation => writer.submit(operation), domains, false)
    await writer.close()
    return feed
  }

  /** All files are new in night 1; of later ones one in a hundred has changed. */
  async prepare(night: number): Promise<ObservationsMessage[]> {
    const messages: ObservationsMessage[] = []
    const plan = { night, observedAt: Date.now() }
    const { crawlBatchSources: step } = limits
    for (let at = 0; at < this.#files.all; at += step) {
      const end = Math.min(this.#files.all, at + step)
      messages.push(...(await this.#results.pack(buildObservations(this.#files, plan, at, end))))
    }
    return messages
  }

  /** Resolves when all of it is committed. */
  async send(messages: readonly ObservationsMessage[]): Promise<void> {
    for (const message of messages) {
      await this.#results.waitForRoom()
      await this.#results.send([message])
    }
    while ((await this.#results.countWaiting()) > 0) await setTimeout(POLL_MS)
  }

  async close(): Promise<void> {
    await this.#results.close()
    this.#connection.disconnect()
  }
}
