import { SECOND } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { ALL_KEY, ANY_KEY, toDomainKey } from '../../pipeline/core/surrogate-keys.ts'
import type { Entry, ServingStore } from '../../pipeline/serving/lmdb.ts'
import type { SpaceName } from '../../pipeline/serving/spaces.ts'
import { getMessage } from '../api-client/writer-client.ts'
import { type Loop, repeatEvery } from './loops.ts'

/** Spaces that change in a night without changes: what they tell of cached answers lapses. */
const unpurged: ReadonlySet<SpaceName> = new Set([
  'freshness',
  'meta',
  'crawl_request',
  'agent_timing',
  'agent_health',
])
/** Bytes of keys in one request; caches refuse longer headers. Where a commit has more, all is purged. */
const KEYS_BYTES_MAX = 4_096
const PURGE_EVERY_MS = 50
const PAUSE_MAX_MS = 30 * SECOND
const ANSWER_MS = 5 * SECOND

/**
 * Tells the cache in front of the API (`PURGE_URL`) which answers a commit has changed, by one request; commits
 * that follow while one is under way share the next. A request that fails is repeated after a pause that grows.
 * Keys that a crash has lost are covered by the first request, which purges everything.
 */
export class CachePurger {
  readonly #url: string
  readonly #log: Log
  #keys = new Set([ALL_KEY])
  #bytes = 0
  #failures = 0

  constructor(url: string, log: Log) {
    this.#url = url
    this.#log = log
  }

  /** Notes the keys of what was written to the serving store. */
  note(entries: readonly Entry[]): void {
    for (const { space, key } of entries) {
      if (this.#keys.has(ALL_KEY)) return
      if (unpurged.has(space)) continue
      this.#add(ANY_KEY)
      if (space === 'brand') this.#add(toDomainKey(String(key)))
    }
  }

  #add(key: string): void {
    if (this.#keys.has(key)) return
    this.#keys.add(key)
    this.#bytes += key.length + 1
    if (this.#bytes > KEYS_BYTES_MAX) this.#keys = new Set([ALL_KEY])
  }

  /** Sends the keys that were noted since the last request. */
  async purge(): Promise<void> {
    if (this.#keys.size === 0) return
    const keys = this.#keys
    this.#keys = new Set()
    this.#bytes = 0
    try {
      await this.#send([...keys].join(' '))
      this.#failures = 0
    } catch (error) {
      this.#failures += 1
      if (this.#failures === 1) this.#log.error({ error: getMessage(error) }, 'not purged')
      // What was noted meanwhile is not told apart: everything is purged with the next request that is taken.
      this.#keys = new Set([ALL_KEY])
    }
  }

  async #send(keys: string): Promise<void> {
    // No guard: the address is that of the operator, mostly a private one.
    const answer = await fetch(this.#url, {
      method: 'PURGE',
      headers: { 'surrogate-key': keys },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`the cache answers ${answer.status}`)
  }

  get pauseMs(): number {
    return Math.min(PURGE_EVERY_MS * 2 ** Math.min(this.#failures, 10), PAUSE_MAX_MS)
  }
}

/** Starts to purge the cache after commits; undefined where no cache is named. */
export function startPurging(
  serving: ServingStore,
  url: string | undefined,
  log: Log,
): Loop | undefined {
  if (url === undefined) return undefined
  const purger = new CachePurger(url, log)
  serving.onWritten = entries => purger.note(entries)
  return repeatEvery(
    () => purger.pauseMs,
    log,
    () => purger.purge(),
  )
}
