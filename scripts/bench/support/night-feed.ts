import { setTimeout } from 'node:timers/promises'
import { openWriterClient } from '../../../jobs/api-client/writer-client.ts'
import type { ObservationsMessage } from '../../../jobs/crawl-messages.ts'
import { ObservationSender } from '../../../jobs/crawler/observation-sender.ts'
import { connectRedis, type Redis } from '../../../jobs/redis.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { addDomains } from '../../commands/crawl.ts'
import { observeLargeFiles } from './large-files.ts'
import { buildFiles, buildObservations, type Files } from './night.ts'

const POLL_MS = 20

/**
 * Sends prepared observations of nights to the indexer as crawlers do, as fast as it takes them.
 */
export class NightFeed {
  readonly #connection: Redis
  readonly #results: ObservationSender
  readonly #files: Files
  readonly #redisUrl: string

  private constructor(redisUrl: string, files: Files) {
    this.#redisUrl = redisUrl
    this.#connection = connectRedis(redisUrl, 'waitForever', silentLog)
    this.#results = new ObservationSender(this.#connection, limits)
    this.#files = files
  }

  /** Submits the domains of `files` files. */
  static async open(redisUrl: string, files: number): Promise<NightFeed> {
    const feed = new NightFeed(redisUrl, buildFiles(files))
    const writer = openWriterClient(redisUrl, silentLog)
    const domains = feed.#files.world.domains as readonly Domain[]
    await addDomains(operation => writer.submit(operation), domains, false)
    await writer.close()
    return feed
  }

  /**
   * Builds the messages of a night. In night 1 all files are new; later one in a hundred has
   * changed.
   */
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

  /**
   * Builds the messages of two files near the limits, one message each, and submits their domains.
   */
  async prepareLarge(properties: number): Promise<ObservationsMessage[]> {
    const observations = observeLargeFiles(properties, Date.now())
    const writer = openWriterClient(this.#redisUrl, silentLog)
    const domains = observations.map(({ location }) => location as Domain)
    await addDomains(operation => writer.submit(operation), domains, false)
    await writer.close()
    const packed = observations.map(observation => this.#results.pack([observation]))
    return (await Promise.all(packed)).flat()
  }

  /** Sends messages and resolves when all of them are committed. */
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
