import { SECOND } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { ALL_KEY, ANY_KEY, SNAPSHOT_KEY, toKeyKind } from '../../pipeline/core/surrogate-keys.ts'
import type { Entry, ServingStore } from '../../pipeline/serving/lmdb.ts'
import { listPurgedKeys } from '../../pipeline/serving/surrogate-keys.ts'
import { getMessage } from '../api-client/writer-client.ts'
import { type Loop, repeatEvery } from './loops.ts'

/** Bytes of the keys of one kind in a request; caches refuse long headers. Where there are more, the kind is purged. */
const KIND_BYTES_MAX = 1_000
const PURGE_EVERY_MS = 50
/**
 * Times after which keys are purged again: an answer may have been on its way to the cache, and an API opens a new
 * snapshot only then.
 */
const AGAIN_AFTER_MS = [SECOND, 5 * SECOND]
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
  readonly #now: () => number
  #keys = new Set([ALL_KEY])
  readonly #bytes = new Map<string, number>()
  #again: { at: number; keys: ReadonlySet<string> }[] = []
  #failures = 0

  constructor(url: string, log: Log, now: () => number = () => performance.now()) {
    this.#url = url
    this.#log = log
    this.#now = now
  }

  /** Notes the keys of what was written to the serving store. */
  note(entries: readonly Entry[]): void {
    for (const entry of entries) for (const key of listPurgedKeys(entry)) this.#add(key)
  }

  /** Notes that lists show something else: a snapshot or its search file was published. */
  noteSnapshot(): void {
    for (const key of [ANY_KEY, SNAPSHOT_KEY]) this.#add(key)
  }

  #add(key: string): void {
    const kind = toKeyKind(key)
    if (this.#keys.has(ALL_KEY) || this.#keys.has(key) || this.#keys.has(kind)) return
    const bytes = (this.#bytes.get(kind) ?? 0) + key.length + 1
    this.#bytes.set(kind, bytes)
    if (bytes <= KIND_BYTES_MAX) return void this.#keys.add(key)
    for (const other of this.#keys) if (toKeyKind(other) === kind) this.#keys.delete(other)
    this.#keys.add(kind)
  }

  /** Sends the keys that were noted since the last request, and those whose time to be sent again has come. */
  async purge(): Promise<void> {
    const now = this.#now()
    const isDue = ({ at }: { at: number }) => at <= now
    const noted = new Set(this.#keys)
    for (const { keys } of this.#again.filter(isDue)) for (const key of keys) this.#add(key)
    this.#again = this.#again.filter(again => !isDue(again))
    const keys = this.#keys
    if (keys.size === 0) return
    this.#keys = new Set()
    this.#bytes.clear()
    try {
      await this.#send([...keys].join(' '))
      this.#failures = 0
      if (noted.size === 0) return
      this.#again.push(...AGAIN_AFTER_MS.map(ms => ({ at: now + ms, keys: noted })))
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

  /** Begins to purge what is noted. */
  start(): Loop {
    return repeatEvery(
      () => this.pauseMs,
      this.#log,
      () => this.purge(),
    )
  }
}

/** Opens what purges the cache after commits; undefined where no cache is named. */
export function openCachePurger(
  serving: ServingStore,
  url: string | undefined,
  log: Log,
): CachePurger | undefined {
  if (url === undefined) return undefined
  const purger = new CachePurger(url, log)
  serving.onWritten = entries => purger.note(entries)
  return purger
}
