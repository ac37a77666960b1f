import { existsSync, rmSync, statSync, utimesSync } from 'node:fs'
import { uptime } from 'node:os'
import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import { type Instant, SECOND } from '../../../pipeline/core/clock.ts'

/** Calls of one caller since the beginning of its window. */
export interface CountedCalls {
  calls: number
  until: Instant
}

/** Ended windows that one call deletes at most: more than it begins. */
const SWEPT_MAX = 4

/**
 * Counts the calls of each caller in windows of time, for all processes that share the file. Nothing is
 * flushed to disk, since counts only matter for a minute: no call waits for the disk, and a file from before
 * a crash of the machine, which may be damaged, is replaced.
 */
export class CallCounter {
  readonly #root: RootDatabase<CountedCalls, string>
  readonly #ends: Database<true, Key[]>

  private constructor(root: RootDatabase<CountedCalls, string>) {
    this.#root = root
    this.#ends = root.openDB('end', { encoding: 'json' })
  }

  static open(file: string): CallCounter {
    const bootedAt = Date.now() - uptime() * SECOND
    if (existsSync(file) && statSync(file).mtimeMs < bootedAt) rmSync(file)
    const root = open<CountedCalls, string>({
      path: file,
      maxDbs: 2,
      encoding: 'json',
      noSync: true,
      overlappingSync: false,
    })
    // The time tells the next process that the file was written since the machine booted.
    utimesSync(file, new Date(), new Date())
    return new CallCounter(root)
  }

  /** Counts a call and returns all of its window, which begins with the first call after the last one. */
  count(caller: string, now: Instant, windowMs: number): CountedCalls {
    return this.#root.transactionSync(() => {
      this.#sweep(now)
      const known = this.#root.get(caller)
      const isOpen = known !== undefined && now < known.until && known.until <= now + windowMs
      const counted = isOpen
        ? { ...known, calls: known.calls + 1 }
        : { calls: 1, until: now + windowMs }
      this.#root.putSync(caller, counted)
      if (!isOpen) this.#ends.putSync([counted.until, caller], true)
      return counted
    })
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  /** Deletes windows that have ended, unless their callers have called again. */
  #sweep(now: Instant): void {
    for (const end of [...this.#ends.getKeys({ end: [now], limit: SWEPT_MAX })]) {
      const caller = end[1] as string
      const known = this.#root.get(caller)
      if (known && known.until <= now) this.#root.removeSync(caller)
      this.#ends.removeSync(end)
    }
  }
}
