// biome-ignore-all lint/style/noNonNullAssertion: each record has whole cells, so the offsets are within it

import { type Instant, toIso } from '../core/clock.ts'
import { getEffect, type Outcome, outcomeNames } from '../core/outcomes.ts'
import type { SourceKind } from '../model/documents/index.ts'
import {
  bestToWorst,
  type FreshnessState,
  STALE_AFTER_MS,
  statesByEffect,
} from '../model/file-state.ts'
import { sourceKinds } from '../model/observation.ts'
import type { FreshnessBlock } from '../model/responses/index.ts'

export interface CrawlFacts {
  outcome: Outcome
  status: number | null
  /** Null where a first attempt was put off. */
  attempted_at: Instant | null
  succeeded_at: Instant | null
}

/** Bytes of the crawl state of one file. */
export const CELL_BYTES = 16

/** Kinds of files by the number that a cell stores, in the order in which the index returns them. */
export const storedKinds: readonly SourceKind[] = [...sourceKinds].sort()

const kindNumbers = new Map(storedKinds.map((kind, number) => [kind, number]))
const outcomeNumbers = new Map(outcomeNames.map((outcome, number) => [outcome, number]))

/**
 * Encodes the crawl state of a file in a cell of 16 bytes: kind (1), outcome (1), HTTP status (2), times of the
 * last attempt and the last success in milliseconds (6 each), 0 for none. A value has a cell for each file of
 * one location, by kind, since they are read together. It is stored apart from the documents, so that a night
 * without changes rewrites none of them.
 */
export function encodeFreshness(kind: SourceKind, facts: CrawlFacts): Buffer {
  const cell = Buffer.allocUnsafe(CELL_BYTES)
  const { outcome, status, attempted_at, succeeded_at } = facts
  cell[0] = kindNumbers.get(kind)!
  cell[1] = outcomeNumbers.get(outcome)!
  cell.writeUInt16BE(status ?? 0, 2)
  cell.writeUIntBE(attempted_at ?? 0, 4, 6)
  cell.writeUIntBE(succeeded_at ?? 0, 10, 6)
  return cell
}

/** Merges the cells of `after` with those cells of `before` that belong to other files. */
export function mergeFreshness(before: Uint8Array | undefined, after: Buffer): Buffer {
  if (before === undefined) return after
  const others: Buffer[] = []
  for (let at = 0; at < before.length; at += CELL_BYTES) {
    if (findCell(after, before[at]!) < 0)
      others.push(Buffer.from(before.subarray(at, at + CELL_BYTES)))
  }
  if (others.length === 0) return after
  for (let at = 0; at < after.length; at += CELL_BYTES) {
    others.push(after.subarray(at, at + CELL_BYTES))
  }
  return Buffer.concat(others.sort((a, b) => a[0]! - b[0]!))
}

/** Tells whether cells say the same of their files as those of `before`, but for the times of attempts. */
export function hasSameStates(before: Uint8Array | undefined, after: Uint8Array): boolean {
  if (before === undefined) return false
  for (let at = 0; at < after.length; at += CELL_BYTES) {
    const known = findCell(before, after[at]!)
    if (known < 0 || readState(before, known) !== readState(after, at)) return false
  }
  return true
}

function readState(value: Uint8Array, at: number): FreshnessState {
  const outcome = outcomeNames[value[at + 1]!]!
  return outcome === 'deferred' ? 'never_crawled' : statesByEffect[getEffect(outcome)]
}

/** Finds the beginning of the cell of a kind; negative if there is none. */
function findCell(value: Uint8Array, kind: number): number {
  for (let at = 0; at < value.length; at += CELL_BYTES) if (value[at] === kind) return at
  return -1
}

/** Reads the freshness block of an answer; `never_crawled` if there is no cell of this kind. */
export function readFreshness(
  value: Uint8Array | undefined,
  kind: SourceKind,
  now: Instant,
): FreshnessBlock {
  const at = value === undefined ? -1 : findCell(value, storedKinds.indexOf(kind))
  if (value === undefined || at < 0) return { state: 'never_crawled' }
  const outcome = outcomeNames[value[at + 1]!]!
  const state = readState(value, at)
  if (state === 'never_crawled') return { state, outcome }
  const status = numberAt(value, at + 2, at + 4)
  const attempted = numberAt(value, at + 4, at + 10)
  const succeeded = numberAt(value, at + 10, at + CELL_BYTES)
  const block: FreshnessBlock = {
    state: state === 'current' && succeeded + STALE_AFTER_MS <= now ? 'stale' : state,
    outcome,
    checked_at: toIso(attempted),
  }
  if (succeeded !== 0) {
    block.succeeded_at = succeeded === attempted ? block.checked_at : toIso(succeeded)
  }
  if (status !== 0) block.http_status = status
  return block
}

/**
 * Picks the weakest link: the file with the worst state, of equal ones the one read longest ago.
 */
export function pickWeakest(blocks: readonly FreshnessBlock[]): FreshnessBlock {
  return blocks.reduce((weakest, block) => (isWeaker(block, weakest) ? block : weakest))
}

function isWeaker(block: FreshnessBlock, other: FreshnessBlock): boolean {
  const by = bestToWorst.indexOf(block.state) - bestToWorst.indexOf(other.state)
  return by === 0 ? (block.succeeded_at ?? '') < (other.succeeded_at ?? '') : by > 0
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let number = 0
  for (let i = start; i < end; i++) number = number * 256 + bytes[i]!
  return number
}

/** Formats a freshness block as JSON text. No part of it needs an escape. */
export function formatFreshness(block: FreshnessBlock): string {
  const { state, outcome, checked_at, succeeded_at, http_status } = block
  if (outcome === undefined) return `{"state":"${state}"}`
  if (checked_at === undefined) return `{"state":"${state}","outcome":"${outcome}"}`
  const succeeded = succeeded_at === undefined ? '' : `,"succeeded_at":"${succeeded_at}"`
  const status = http_status === undefined ? '' : `,"http_status":${http_status}`
  return `{"state":"${state}","outcome":"${outcome}","checked_at":"${checked_at}"${succeeded}${status}}`
}
