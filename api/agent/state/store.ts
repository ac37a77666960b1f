import { hash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import { DAY, type Instant } from '../../../pipeline/core/clock.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { getAt, requireValue } from '../../../pipeline/core/present.ts'
import { assertSoundHead } from '../../../pipeline/store/lmdb-head.ts'
import { PRIVATE_FOLDER_MODE } from '../../../pipeline/store/paths.ts'
import { CallCounter } from './call-counter.ts'
import { Ledger, type Owner } from './ledger.ts'

/** Records by their kind: each is declared next to its rules. Most are scoped by tenant and account. */
// biome-ignore lint/suspicious/noEmptyInterface: those who keep records add to it
export interface Records {}

export type Kind = keyof Records

/** Time for which a record is stored after its last write, or after its flight. Nothing here is permanent. */
export const RECORD_LIFETIME_MS = DAY

/** Version of the records; records of other versions are deleted, since everything in the sandbox is short-lived. */
const FORMAT = 5

/** Expired records that one transaction deletes at most. */
const SWEPT_MAX = 64

const HIGHEST_CHARACTER = '\u{10ffff}'

/** A stored record; if it has an owner, its bytes count towards that owner's limit. */
interface StoredRecord {
  expires: Instant
  record: unknown
  owner?: Owner
  at?: Instant
}

/** Three parts of UTF-8, with the owner and the time, fit into a key of LMDB. */
const KEY_PART_CHARS_MAX = 160

/** Bytes that a record takes beside its text. */
const OVERHEAD_BYTES = 100

/**
 * Stores everything that callers create at the agent. All writes of a task are one transaction, and LMDB lets
 * one process write at a time. So processes that share the file see the same state, and one that is killed in
 * the middle leaves nothing behind. The records of each owner are limited in bytes; beyond that the oldest
 * are deleted, of the largest share where several callers are one owner.
 */
export class AgentState {
  /** Calls of each caller, counted by all processes that share the folder. */
  readonly calls: CallCounter
  readonly #root: RootDatabase<unknown, Key>
  readonly #records: Database<string, string[]>
  readonly #expiries: Database<true, Key[]>
  readonly #ledger: Ledger
  readonly #bytesMax: number
  #owner: Owner | undefined

  private constructor(root: RootDatabase<unknown, Key>, calls: CallCounter, bytesMax: number) {
    this.calls = calls
    this.#root = root
    this.#records = root.openDB('record', { encoding: 'string' })
    this.#expiries = root.openDB('expiry', { encoding: 'json' })
    this.#ledger = new Ledger({
      totals: root.openDB('owner_bytes', { encoding: 'json' }),
      shares: root.openDB('owner_share', { encoding: 'json' }),
      holdings: root.openDB('owner_record', { encoding: 'json' }),
    })
    this.#bytesMax = bytesMax
  }

  /**
   * Opens or creates the file; records of another version are deleted. Throws if it is damaged. `bytesMax`
   * bounds the records of each owner.
   */
  static open(file: string, bytesMax: number = limits.agentCredentialBytes): AgentState {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    if (existsSync(file)) assertSoundHead(file)
    const root = open<unknown, Key>({ path: file, maxDbs: 8, encoding: 'json' })
    root.readerCheck()
    const calls = CallCounter.open(join(dirname(file), 'calls.mdb'))
    const state = new AgentState(root, calls, bytesMax)
    root.transactionSync(() => {
      const format = root.get('format')
      if (format !== undefined && format !== FORMAT) state.#clear()
      if (format !== FORMAT) root.putSync('format', FORMAT)
    })
    return state
  }

  /** Runs a task's work: all its writes are committed, or none if it throws. May be nested. */
  transact<Result>(now: Instant, work: () => Result): Result {
    return this.#root.transactionSync(() => {
      this.#sweep(now)
      return work()
    })
  }

  /**
   * Runs a task's work like `transact`, but commits it together with concurrent work: one flush for all.
   * Resolves when it is on disk.
   */
  transactInGroup<Result>(now: Instant, work: () => Result): Promise<Result> {
    return this.#root.childTransaction(() => {
      this.#sweep(now)
      return work()
    })
  }

  /** Runs work whose records are an owner's, within a transaction or around one. */
  writeAs<Result>(owner: Owner, work: () => Result): Result {
    const before = this.#owner
    this.#owner = owner
    try {
      return work()
    } finally {
      this.#owner = before
    }
  }

  /** Makes the writes of other processes visible. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  get<K extends Kind>(kind: K, scope: string, id: string): Records[K] | undefined {
    return this.#read(toKey(kind, scope, id))?.record as Records[K] | undefined
  }

  /** Lists all records of a kind within a scope, by their ids. */
  list<K extends Kind>(kind: K, scope: string): Records[K][] {
    const range = this.#records.getRange({
      start: [kind, toKeyPart(scope)],
      end: toKey(kind, scope, HIGHEST_CHARACTER),
    })
    return [...range].map(({ value }) => parseRecord(value).record as Records[K])
  }

  /** Lists ids of records of a kind within a scope that come before another one, in order. */
  listIdsUntil(kind: Kind, scope: string, until: string, limit: number): string[] {
    const range = this.#records.getKeys({
      start: [kind, toKeyPart(scope)],
      end: toKey(kind, scope, until),
      limit,
    })
    return [...range].map(key => getAt(key, 2))
  }

  /** Writes a record; only within a transaction. One of the agent's own counts for no owner. */
  put<K extends Kind>(
    kind: K,
    scope: string,
    id: string,
    record: Records[K],
    { now, lifetimeMs = RECORD_LIFETIME_MS, isOwn = false }: PutOptions,
  ): void {
    const key = toKey(kind, scope, id)
    const owner = isOwn ? undefined : (this.#owner ?? this.#read(key)?.owner)
    const expires = now + lifetimeMs
    const stored: StoredRecord = { expires, record, ...(owner && { owner, at: now }) }
    const text = JSON.stringify(stored)
    this.#remove(key)
    this.#records.putSync(key, text)
    this.#expiries.putSync([expires, ...key], true)
    if (owner === undefined) return
    this.#ledger.add({ owner, at: now, key, bytes: countBytes(text) })
    this.#makeRoom(owner, key)
  }

  remove(kind: Kind, scope: string, id: string): void {
    this.#remove(toKey(kind, scope, id))
  }

  async close(): Promise<void> {
    await this.calls.close()
    await this.#root.close()
  }

  #clear(): void {
    this.#records.clearSync()
    this.#expiries.clearSync()
    this.#ledger.clear()
  }

  /** Deletes expired records, unless they were written again. */
  #sweep(now: Instant): void {
    for (const expiry of [...this.#expiries.getKeys({ end: [now], limit: SWEPT_MAX })]) {
      const key = expiry.slice(1) as string[]
      const stored = this.#read(key)
      if (stored && stored.expires <= now) this.#remove(key)
      this.#expiries.removeSync(expiry)
    }
  }

  /** Deletes records of an owner until the others fit, beside one that was added. */
  #makeRoom(owner: Owner, added: readonly string[]): void {
    while (this.#ledger.count(owner) > this.#bytesMax) {
      const oldest = this.#ledger.findOldestOfLargest(owner, added)
      if (!oldest) return
      this.#remove([...oldest.key])
    }
  }

  #read(key: string[]): StoredRecord | undefined {
    const text = this.#records.get(key)
    return text === undefined ? undefined : parseRecord(text)
  }

  #remove(key: string[]): void {
    const text = this.#records.get(key)
    if (text === undefined) return
    const { expires, owner, at } = parseRecord(text)
    this.#records.removeSync(key)
    this.#expiries.removeSync([expires, ...key])
    if (owner === undefined) return
    const recordedAt = requireValue(at, 'time of the record')
    this.#ledger.remove({ owner, at: recordedAt, key, bytes: countBytes(text) })
  }
}

interface PutOptions {
  now: Instant
  lifetimeMs?: number
  isOwn?: boolean
}

function toKey(kind: Kind, scope: string, id: string): string[] {
  return [kind, toKeyPart(scope), toKeyPart(id)]
}

/** Replaces a long part by its hash: callers choose ids of any length, and a key has a maximum. */
function toKeyPart(text: string): string {
  return text.length <= KEY_PART_CHARS_MAX ? text : `sha256 ${hash('sha256', text, 'hex')}`
}

function parseRecord(text: string): StoredRecord {
  return JSON.parse(text)
}

function countBytes(text: string): number {
  return Buffer.byteLength(text) + OVERHEAD_BYTES
}
