import type { Instant } from '../../pipeline/core/clock.ts'
import { REDIS_PREFIX, type Redis } from '../redis.ts'

/** Expires unless the writer renews it; its value is the id of the writer's folder. */
export const LEASE_KEY = `${REDIS_PREFIX}:writer-lease`
/** Hash of what whoever takes over must know. */
export const STATE_KEY = `${REDIS_PREFIX}:writer-state`
/** Stream of answers since the newest backup; the first number of an id is that of the commit. */
export const ANSWERED_KEY = `${REDIS_PREFIX}:answered`
/** List of the files with the events of signed heads since the newest backup. */
export const LOG_PARTS_KEY = `${REDIS_PREFIX}:log-parts`

/** State of the writer in Redis. */
export interface WriterState {
  /** Fencing number; undefined where Redis knows no writer. */
  fence: number | undefined
  /** Newest backup of which every later answer is in the stream; undefined while there is none. */
  backup: string | undefined
  /** Number of the last commit, and its last event, when the lease was renewed last. */
  seq: number
  lastEventId: string | undefined
  /** Time on the clock of the writer then. */
  at: Instant
  /** Head of the log that was signed last. */
  head: string | undefined
  /** Number of records (`RecordCounter`). */
  mark: number
}

export async function loadWriterState(redis: Redis): Promise<WriterState> {
  const known = await redis.hgetall(STATE_KEY)
  const { fence, backup, seq, last_event: lastEventId, at, head, mark } = known
  return {
    fence: fence === undefined ? undefined : Number(fence),
    backup,
    seq: Number(seq ?? 0),
    lastEventId: lastEventId || undefined,
    at: Number(at ?? 0),
    head,
    mark: Number(mark ?? 0),
  }
}

/** Results of what only the writer may do: another host has taken over; done, but what was recorded before is missing. */
const FENCED = 0
const MISSING = 2

/**
 * Counts what was recorded. Redis counts too: where it has another number, a primary took over that lacks some of
 * what the one before it had acknowledged.
 */
export class RecordCounter {
  #count: number
  #gaps = 0
  readonly #onMissing: () => void

  constructor(recorded: number, onMissing: () => void) {
    this.#count = recorded
    this.#onMissing = onMissing
  }

  /** Takes the result of a check; returns false where another host has taken over. */
  accept(result: number): boolean {
    if (result === MISSING) this.noteGap()
    return result !== FENCED
  }

  /** Notes that Redis lacks something that was recorded. */
  noteGap(): void {
    this.#gaps++
    this.#onMissing()
  }

  /** Returns how often something was missing. */
  get gaps(): number {
    return this.#gaps
  }

  /** Returns how much Redis should have recorded. */
  get recorded(): number {
    return this.#count
  }

  /** Returns how much Redis should have recorded, before one more is. */
  next(): number {
    return this.#count++
  }
}

/**
 * Builds Lua that compares the number of records in the hash KEYS[1]. Where it differs, the hash names no backup any
 * more, so nobody takes over.
 */
export function checkMark(recorded: string): string {
  return `(function()
  if tonumber(redis.call('hget', KEYS[1], 'mark') or 0) == tonumber(${recorded}) then return 1 end
  redis.call('hdel', KEYS[1], 'backup')
  redis.call('hset', KEYS[1], 'mark', ${recorded})
  return 2
end)()`
}
