import { createHash, randomBytes } from 'node:crypto'
import type { Clock, Instant } from './clock.ts'

export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

const COUNTER_BITS = 18n
const COUNTER_SPACE = 1n << COUNTER_BITS

/**
 * Mints strictly rising UUID v7 values, whatever the clock does: while it steps back or stops, a counter
 * continues, and a full counter borrows the next millisecond. Starts after `last`, the highest id ever
 * committed.
 */
export class RisingIds {
  #tick: bigint
  readonly #clock: Clock

  constructor(clock: Clock, last?: string) {
    this.#clock = clock
    this.#tick = last === undefined ? 0n : toTick(last)
  }

  next(): string {
    const now = BigInt(this.#clock.now()) * COUNTER_SPACE
    this.#tick = now > this.#tick ? now : this.#tick + 1n
    return format(this.#tick)
  }
}

/** Converts an id to milliseconds and counter as one number: 48 bits of time, then rand_a and 6 bits of rand_b. */
function toTick(id: string): bigint {
  const hex = id.replaceAll('-', '')
  const millis = BigInt(`0x${hex.slice(0, 12)}`)
  const randA = BigInt(`0x${hex.slice(13, 16)}`)
  const randB6 = BigInt(`0x${hex.slice(16, 18)}`) & 0x3fn
  return millis * COUNTER_SPACE + (randA << 6n) + randB6
}

function format(tick: bigint): string {
  const millis = (tick >> COUNTER_BITS).toString(16).padStart(12, '0')
  const counter = tick & (COUNTER_SPACE - 1n)
  const randA = (counter >> 6n).toString(16).padStart(3, '0')
  const randB6 = (0x80n | (counter & 0x3fn)).toString(16)
  const tail = takeRandomBytes(7).toString('hex')
  return formatUuid(`${millis}7${randA}${randB6}${tail}`)
}

const POOL_BYTES = 7 * 512
let pool = Buffer.alloc(0)

/** Takes random bytes that are drawn for many ids at once: a draw costs several times what an id does. */
function takeRandomBytes(count: number): Buffer {
  if (pool.length < count) pool = randomBytes(POOL_BYTES)
  const taken = pool.subarray(0, count)
  pool = pool.subarray(count)
  return taken
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function toInstant(id: string): Instant {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

const TAIL_MIN = '-7000-8000-000000000000'

/** Builds the smallest id of an instant: a position in the order of ids that is never issued. */
export function buildLeastId(instant: Instant): string {
  const millis = Math.max(0, Math.floor(instant)).toString(16).padStart(12, '0')
  return `${millis.slice(0, 8)}-${millis.slice(8)}${TAIL_MIN}`
}

export function isLeastId(id: string): boolean {
  return id.endsWith(TAIL_MIN)
}

export function toIdBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

export function parseIdBytes(bytes: Uint8Array): string {
  return formatUuid(Buffer.from(bytes).toString('hex'))
}

/** Derives the permanent id of a thing from the facts that identify it (UUID v8 of their SHA-256). */
export function deriveId(...facts: string[]): string {
  const hash = createHash('sha256').update(facts.join('\n')).digest()
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return parseIdBytes(hash.subarray(0, 16))
}
