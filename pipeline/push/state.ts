import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import type { SubscriptionFilters } from '../model/subscription.ts'
import { assertSoundHead } from '../store/lmdb-head.ts'
import { PRIVATE_FOLDER_MODE } from '../store/paths.ts'

/** Attempts that are stored per subscription, the latest ones. */
export const ATTEMPTS_MAX = 100

/** Delivery that is in progress or will be retried: the events after the cursor, up to `to`. */
export interface Pending {
  to: string
  /** Events of the feed between both, those that no filter takes among them. */
  scanned: number
  attempts: number
  /** Filters of its first attempt. */
  filters: SubscriptionFilters
}

/** Progress of a subscription. */
export interface Progress {
  /** Last event that its receiver accepted, or that its filters skipped. */
  cursor: string
  pending: Pending | null
  /** Attempts that failed since the last one that was taken. */
  failures: number
  failing_since: string | null
  next_attempt_at: string | null
  delivered_at: string | null
  /** Attempts so far. */
  attempts: number
}

/** An attempt to deliver, as its subscriber is shown it. */
export interface Attempt {
  delivery_id: string
  /** Number of the attempt at this delivery, from 1 on. */
  attempt: number
  attempted_at: string
  duration_ms: number
  delivered: boolean
  /** HTTP status; null where there was no answer. */
  status: number | null
  /** Describes what went wrong. */
  error: string | null
  events: number
  /** Cursor of the feed after these events. */
  cursor: string
}

/**
 * Stores the progress of deliveries. One process writes, asynchronously; others read. A delivery whose
 * progress was not written before a crash is repeated.
 */
export class PushState {
  readonly #root: RootDatabase<unknown, Key>
  readonly #progress: Database<Progress, string>
  readonly #attempts: Database<Attempt & { number: number }, Key[]>

  private constructor(root: RootDatabase<unknown, Key>) {
    this.#root = root
    this.#progress = root.openDB('progress', { encoding: 'json' })
    this.#attempts = root.openDB('attempt', { encoding: 'json' })
  }

  /** Opens the file, or creates it. Throws if it is damaged. */
  static open(file: string): PushState {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    if (existsSync(file)) assertSoundHead(file)
    const root = open<unknown, Key>({ path: file, maxDbs: 4, encoding: 'json' })
    root.readerCheck()
    return root.transactionSync(() => new PushState(root))
  }

  /** Opens the file for reading; undefined where nothing was delivered yet. */
  static openToRead(file: string): PushState | undefined {
    if (!existsSync(file)) return undefined
    assertSoundHead(file)
    const settings = { path: file, maxDbs: 4, encoding: 'json' as const, readOnly: true }
    return new PushState(open<unknown, Key>(settings))
  }

  findProgress(subscriptionId: string): Progress | undefined {
    return this.#progress.get(subscriptionId)
  }

  /** Lists the ids of subscriptions that have progress. */
  listIds(): string[] {
    return [...this.#progress.getKeys()]
  }

  /** Lists the last attempts, the newest first. */
  listAttempts(subscriptionId: string, limit: number): Attempt[] {
    return this.#readAttempts(subscriptionId)
      .sort((a, b) => b.number - a.number)
      .slice(0, limit)
      .map(({ number: _, ...attempt }) => attempt)
  }

  /** Writes the progress of a subscription; resolves when it would survive a crash of this process. */
  async keepProgress(subscriptionId: string, progress: Progress): Promise<void> {
    await this.#progress.put(subscriptionId, progress)
  }

  /** Stores an attempt in place of the oldest, once there are ATTEMPTS_MAX. */
  keepAttempt(subscriptionId: string, number: number, attempt: Attempt): void {
    void this.#attempts.put([subscriptionId, number % ATTEMPTS_MAX], { ...attempt, number })
  }

  remove(subscriptionId: string): void {
    void this.#progress.remove(subscriptionId)
    for (const { number } of this.#readAttempts(subscriptionId)) {
      void this.#attempts.remove([subscriptionId, number % ATTEMPTS_MAX])
    }
  }

  /** Resolves when everything that was written until now is in the file. */
  async flush(): Promise<void> {
    await this.#root.committed
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  #readAttempts(subscriptionId: string): (Attempt & { number: number })[] {
    const range = { start: [subscriptionId], end: [subscriptionId, ATTEMPTS_MAX] }
    return [...this.#attempts.getRange(range)].map(({ value }) => value)
  }
}

/** Follows the file of the state, for a process that reads it. */
export class PushStateFile {
  readonly #file: string
  #opened: { state: PushState; inode: number } | undefined

  constructor(file: string) {
    this.#file = file
  }

  /**
   * Finds the current state; undefined if nothing was delivered yet, or if the file is damaged and will be
   * replaced by an empty one.
   */
  find(): PushState | undefined {
    const found = statSync(this.#file, { throwIfNoEntry: false })
    if (found === undefined || found.ino === this.#opened?.inode) return this.#opened?.state
    void this.#opened?.state.close()
    this.#opened = undefined
    try {
      const state = PushState.openToRead(this.#file)
      if (state) this.#opened = { state, inode: found.ino }
    } catch {}
    return this.#opened?.state
  }

  async close(): Promise<void> {
    await this.#opened?.state.close()
  }
}
