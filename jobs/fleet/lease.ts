import { setTimeout as pause } from 'node:timers/promises'
import { type Instant, SECOND } from '../../pipeline/core/clock.ts'
import { Fatal } from '../../pipeline/core/errors.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import { defineScript, type Redis, type Script } from '../redis.ts'
import type { Tenure } from './tenure.ts'
import { ANSWERED_KEY, checkMark, LEASE_KEY, LOG_PARTS_KEY, STATE_KEY } from './writer-state.ts'

/** Share of the lease after which it is renewed. */
const RENEWED_AFTER = 0.2
/** Time by which a writer stops before another host may begin. */
const MARGIN_MS = SECOND
/** Pause between two attempts of a writer that was held up. */
const RETRY_MS = 20

/**
 * Takes the lease. Answers `held` while another folder has it, `own` with the number where this folder wrote last,
 * `unknown` where Redis knows no writer; else `taken` with the next number if ARGV[4] says so, or `free`.
 */
const TAKE = `
local holder = redis.call('get', KEYS[2])
if holder and holder ~= ARGV[1] then return {'held', 0} end
local fence = redis.call('hget', KEYS[1], 'fence')
if not fence then return {'unknown', 0} end
local own = fence == ARGV[2] and redis.call('hget', KEYS[1], 'holder') == ARGV[1]
if not own and ARGV[4] ~= '1' then return {'free', 0} end
if not own then
  fence = redis.call('hincrby', KEYS[1], 'fence', 1)
  redis.call('hset', KEYS[1], 'holder', ARGV[1])
end
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[3])
return {own and 'own' or 'taken', tonumber(fence)}`

/** Begins with a number where Redis knows no writer, and forgets what an earlier one has left; returns whether it did. */
const BEGIN = `
if redis.call('hexists', KEYS[1], 'fence') == 1 then return 0 end
redis.call('del', KEYS[1], KEYS[3], KEYS[4])
redis.call('hset', KEYS[1], 'fence', ARGV[2], 'holder', ARGV[1])
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[3])
return 1`

/**
 * Takes the lease for restored stores under the next number, and forgets what is later than they are; returns whether
 * this folder wrote last. Safe to repeat after a crash, when Redis has that number and the folder has not.
 */
const START_OVER = `
local holder = redis.call('get', KEYS[2])
if holder and holder ~= ARGV[1] then return 0 end
local fence = redis.call('hget', KEYS[1], 'fence')
if redis.call('hget', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
if tonumber(fence) ~= tonumber(ARGV[2]) and tonumber(fence) ~= ARGV[2] + 1 then return 0 end
redis.call('del', KEYS[1], KEYS[3], KEYS[4])
redis.call('hset', KEYS[1], 'fence', ARGV[2] + 1, 'holder', ARGV[1])
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[3])
return 1`

/**
 * Renews the lease, with the number of the last commit and its last event where they are known. Answers `missing`
 * where Redis has not all that was recorded.
 */
const RENEW = `
local fence = redis.call('hget', KEYS[1], 'fence')
if not fence then return 'lost' end
if fence ~= ARGV[2] then return 'fenced' end
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[3])
if ARGV[4] == '' then return 'held' end
redis.call('hset', KEYS[1], 'seq', ARGV[4], 'last_event', ARGV[5], 'at', ARGV[6])
return ${checkMark('ARGV[7]')} == 1 and 'held' or 'missing'`

const ALL_KEYS = [STATE_KEY, LEASE_KEY, ANSWERED_KEY, LOG_PARTS_KEY]

/** Result of an attempt to take the lease. */
export type Taking = 'held' | 'own' | 'unknown' | 'free' | 'taken'

/** Position of the writer, as it is kept for whoever takes over. */
interface Position {
  seq: number
  lastEventId: string | undefined
  /** Time on the clock of the writer. */
  at: Instant
  mark: number
}

/** Lease on writing among hosts, in Redis. */
export class FleetLease {
  readonly #id: string
  readonly #ms: number
  readonly #take: Script<[Taking, number]>
  readonly #begin: Script<number>
  readonly #startOver: Script<number>
  readonly #renew: Script<'held' | 'lost' | 'missing' | 'fenced'>
  #fence: number
  #heldUntil = 0
  #renewing: NodeJS.Timeout | undefined
  #renewal: Promise<void> | undefined
  #readPosition: () => Position | undefined = () => undefined
  #onLost: () => void = () => undefined

  constructor(redis: Redis, { id, fence }: Tenure, leaseMs: number) {
    this.#id = id
    this.#fence = fence
    this.#ms = leaseMs
    this.#take = defineScript(redis, 'registryTakeLease', 2, TAKE)
    this.#begin = defineScript(redis, 'registryBeginLease', 4, BEGIN)
    this.#startOver = defineScript(redis, 'registryStartOver', 4, START_OVER)
    this.#renew = defineScript(redis, 'registryRenewLease', 2, RENEW)
  }

  /** Returns the fencing number under which this process writes. */
  get fence(): number {
    return this.#fence
  }

  /** Tries to take the lease; from another folder only if `mayReplace`, which raises the number. */
  async take(mayReplace: boolean): Promise<Taking> {
    const from = performance.now()
    const [taking, fence] = await this.#take(
      ...this.#arguments(),
      this.#fence,
      this.#ms,
      mayReplace ? '1' : '0',
    )
    if (taking === 'own' || taking === 'taken') this.#hold(fence, from)
    return taking
  }

  /** Begins with a number where Redis knows no writer; false where it knows one by now. */
  async begin(fence: number): Promise<boolean> {
    const from = performance.now()
    const hasBegun = (await this.#begin(...ALL_KEYS, this.#id, fence, this.#ms)) === 1
    if (hasBegun) this.#hold(fence, from)
    return hasBegun
  }

  /** Takes the lease for restored stores, and forgets what was answered after them; false where another folder wrote last. */
  async startOver(): Promise<boolean> {
    const from = performance.now()
    const isDone = (await this.#startOver(...ALL_KEYS, this.#id, this.#fence, this.#ms)) === 1
    if (isDone) this.#hold(this.#fence + 1, from)
    return isDone
  }

  /**
   * Renews the lease from now on. `onLost` is called when Redis has lost what it knew of this writer, or a part of
   * it, and `fail` when the lease is lost: then another host may write.
   */
  keep(
    readPosition: () => Position | undefined,
    { onLost, fail }: { onLost: () => void; fail: (error: unknown) => void },
  ): void {
    this.#readPosition = readPosition
    this.#onLost = onLost
    this.#renewing = setInterval(() => {
      this.#renewOnce().catch(error => error instanceof Fatal && fail(error))
      this.ensureHeld().catch(fail)
    }, this.#ms * RENEWED_AFTER)
  }

  /**
   * Resolves while this process has the lease. One that was held up, and so renewed too late, has a moment to renew
   * it now: nobody has taken it as long as the number is the same. Rejects with a Fatal where that fails.
   */
  async ensureHeld(): Promise<void> {
    const end = performance.now() + this.#marginMs
    while (performance.now() > this.#heldUntil) {
      const left = end - performance.now()
      if (left <= 0)
        throw new Fatal(
          'Redis did not answer in time, so this writer stops: another host may have taken over',
        )
      await waitAtMost(this.#renewOnce(), left)
      await pause(RETRY_MS)
    }
  }

  stop(): void {
    clearInterval(this.#renewing)
  }

  /** Renews the lease, unless that is being done. */
  #renewOnce(): Promise<void> {
    this.#renewal ??= this.#renewNow().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renewNow(): Promise<void> {
    const from = performance.now()
    const { seq = '', lastEventId = '', at = '', mark = '' } = this.#readPosition() ?? {}
    const position = [seq, lastEventId, at, mark]
    const how = await this.#renew(...this.#arguments(), this.#fence, this.#ms, ...position)
    if (how === 'fenced') throw new Fatal('another host has taken over')
    if (how === 'held' || how === 'missing') this.#hold(this.#fence, from)
    if (how === 'missing' || (how === 'lost' && (await this.begin(this.#fence)))) this.#onLost()
  }

  #hold(fence: number, from: number): void {
    this.#fence = fence
    this.#heldUntil = from + this.#ms - this.#marginMs
  }

  /** Returns the time by which this process stops before another host may begin. */
  get #marginMs(): number {
    return Math.min(MARGIN_MS, this.#ms / 4)
  }

  #arguments(): [string, string, string] {
    return [STATE_KEY, LEASE_KEY, this.#id]
  }
}
