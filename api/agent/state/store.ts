import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import { DAY, type Instant } from '../../../pipeline/core/clock.ts'
import { assertSoundHead } from '../../../pipeline/store/lmdb-head.ts'
import { PRIVATE } from '../../../pipeline/store/paths.ts'

/** Records by their kind: each is declared next to its rules. Most are scoped by tenant and account. */
// biome-ignore lint/suspicious/noEmptyInterface: those who keep records add to it
export interface Records {}

export type Kind = keyof Records

/** Time for which a record is stored after its last write, or after its flight: nothing here is permanent. */
export const RECORD_LIFETIME_MS = DAY

/** Version of the records; records of other versions are deleted, since everything in the sandbox is short-lived. */
const FORMAT = 3

/** Expired records that one transaction deletes at most. */
const SWEPT_MAX = 64

const LAST = '\u{10ffff}'

interface StoredRecord {
  expires: Instant
  record: unknown
}

/**
 * Stores everything that callers create at the agent. All writes of a task are one transaction, and LMDB
 * lets one process write at a time: processes that share the file agree, and one that is killed in the
 * middle leaves nothing behind.
 */
export class AgentState {
  readonly #root: RootDatabase<unknown, Key>
  readonly #records: Database<StoredRecord, string[]>
  readonly #expiries: Database<true, Key[]>

  private constructor(root: RootDatabase<unknown, Key>) {
    this.#root = root
    this.#records = root.openDB('record', { encoding: 'json' })
    this.#expiries = root.openDB('expiry', { encoding: 'json' })
  }

  /** Opens or creates the file; records of another version are deleted. Throws if it is damaged. */
  static open(file: string): AgentState {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE })
    if (existsSync(file)) assertSoundHead(file)
    const root = open<unknown, Key>({ path: file, maxDbs: 4, encoding: 'json' })
    root.readerCheck()
    const state = new AgentState(root)
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
  transactTogether<Result>(now: Instant, work: () => Result): Promise<Result> {
    return this.#root.childTransaction(() => {
      this.#sweep(now)
      return work()
    })
  }

  /** Makes the writes of other processes visible. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  get<K extends Kind>(kind: K, scope: string, id: string): Records[K] | undefined {
    return this.#records.get([kind, scope, id])?.record as Records[K] | undefined
  }

  /** Lists all records of a kind within a scope, by their ids. */
  list<K extends Kind>(kind: K, scope: string): Records[K][] {
    const range = this.#records.getRange({ start: [kind, scope], end: [kind, scope, LAST] })
    return [...range].map(({ value }) => value.record as Records[K])
  }

  /** Lists records of a kind within a scope whose ids come before another one, in order. */
  listUntil<K extends Kind>(kind: K, scope: string, until: string, limit: number): Records[K][] {
    const range = this.#records.getRange({ start: [kind, scope], end: [kind, scope, until], limit })
    return [...range].map(({ value }) => value.record as Records[K])
  }

  /** Writes a record; only within a transaction. */
  put<K extends Kind>(
    kind: K,
    scope: string,
    id: string,
    record: Records[K],
    { now, lifetimeMs = RECORD_LIFETIME_MS }: { now: Instant; lifetimeMs?: number },
  ): void {
    const key = [kind, scope, id]
    const expires = now + lifetimeMs
    this.#records.putSync(key, { expires, record })
    this.#expiries.putSync([expires, ...key], true)
  }

  remove(kind: Kind, scope: string, id: string): void {
    this.#records.removeSync([kind, scope, id])
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  #clear(): void {
    this.#records.clearSync()
    this.#expiries.clearSync()
  }

  /** Deletes expired records, unless they were written again. */
  #sweep(now: Instant): void {
    for (const expiry of [...this.#expiries.getKeys({ end: [now], limit: SWEPT_MAX })]) {
      const key = expiry.slice(1) as string[]
      const stored = this.#records.get(key)
      if (stored && stored.expires <= now) this.#records.removeSync(key)
      this.#expiries.removeSync(expiry)
    }
  }
}
