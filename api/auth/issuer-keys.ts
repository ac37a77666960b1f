import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { HOUR, MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { findIssuer } from '../../pipeline/read/lookups/issuers.ts'
import type { Reader } from '../../pipeline/read/reader.ts'

interface IssuerDeps {
  config: Config
  reader: Reader
  writer: Pick<WriterClient, 'submit' | 'requestLive'>
  log: Log
}

/** Time in addition to fetching the issuer’s three small files, for a busy crawler. */
const SLACK_MS = 5_000
const RETRY_MS = 10 * SECOND

/**
 * Keeps the keys of the identity provider up to date: a crawler fetches them, and a submission puts them into
 * the serving store, so every process has them at once and after a restart.
 */
export class IssuerKeys {
  readonly #deps: IssuerDeps
  #running: Promise<boolean> | undefined
  #fetchedAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: IssuerDeps) {
    this.#deps = deps
  }

  /**
   * Fetches the keys now and then every hour; sooner after a failure, for example because no crawler has
   * started yet.
   */
  follow(): void {
    if (this.#deps.config.AUTH_ISSUER === undefined) return
    void this.#fetchOnce().then(isFetched => {
      if (this.#isClosed) return
      this.#timer = setTimeout(() => this.follow(), isFetched ? HOUR : RETRY_MS)
      this.#timer.unref()
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /**
   * Fetches the keys again because a token has an unknown key, at most once a minute. Returns whether they
   * are up to date.
   */
  async refresh(): Promise<boolean> {
    if (this.#running !== undefined) return this.#running
    const now = this.#deps.reader.now()
    if (this.#fetchedAt !== undefined && now - this.#fetchedAt < MINUTE) return false
    return this.#fetchOnce()
  }

  #fetchOnce(): Promise<boolean> {
    this.#fetchedAt = this.#deps.reader.now()
    this.#running ??= this.#fetch().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Fetches the keys and submits them if they changed. Logs a failure and returns false. */
  async #fetch(): Promise<boolean> {
    const { config, reader, writer, log } = this.#deps
    try {
      const read = await writer.requestLive(
        { kind: 'read_issuer' },
        config.LIMITS.issuerMs + SLACK_MS,
      )
      if ('failed' in read) {
        log.warn({ issuer: config.AUTH_ISSUER, detail: read.failed }, 'issuer keys not fetched')
        return false
      }
      if (read.issuer !== config.AUTH_ISSUER) {
        log.warn({ issuer: read.issuer }, 'the crawler’s settings name another issuer')
        return false
      }
      if (JSON.stringify(findIssuer(reader, read.issuer)) === JSON.stringify(read)) return true
      const answer = await writer.submit(
        { op: 'issuer.set', ...read },
        { by: { kind: 'registry', id: 'issuer' } },
      )
      return 'done' in answer
    } catch (error) {
      log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'issuer keys not fetched',
      )
      return false
    }
  }
}
