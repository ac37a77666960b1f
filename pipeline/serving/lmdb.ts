import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { open, type RootDatabase, type Database as Space } from 'lmdb'
import { PublicError } from '../core/errors.ts'
import { isStorableKey } from '../core/store-key.ts'
import { assertSoundHead } from '../store/lmdb-head.ts'
import { PRIVATE_FOLDER_MODE } from '../store/paths.ts'
import { hasSameStates, mergeFreshness } from './freshness-record.ts'
import {
  encodePairs,
  PAIRS_READ_MAX,
  type StoredPair,
  toIdentifierName,
} from './identifier-index.ts'
import { listPortfolioEntries, NAMES_A_HOUSE } from './portfolio-record.ts'
import { isReplicated } from './public-entries.ts'
import {
  CHAIN,
  type Entry,
  type Key,
  MEMBERS_CHANGED,
  POSITION,
  REPLICA,
  type SpaceName,
  spaces,
} from './spaces.ts'

export {
  documentSpaces,
  type Entry,
  type Key,
  MEMBERS_CHANGED,
  type SpaceName,
  spaces,
} from './spaces.ts'

/** Version of the keys and values; a store of another version is projected again. */
export const SERVING_FORMAT = 41

/** Bytes of values that are appended in one transaction. */
const APPEND_BYTES = 16 * 1024 * 1024

/** The event log in its order, and again a lane for each type: the byte of the type before each key. */
export type LogName = Extract<SpaceName, 'event' | 'event_by_type'>

/** Part of a log from `start` to before `end`, downward when reversed. Keys are spelled a character a byte. */
export interface Range {
  start: string
  exclusiveStart?: boolean
  end: string
  reverse?: boolean
  limit?: number
}

/** Records what is written to the store, so that replicas can write the same. */
export interface WriteRecorder {
  /** Records a part of a commit before it is written. */
  part(entries: readonly Entry[]): void
  /** Records the last part of a commit and returns its place in the chain. */
  commit(entries: readonly Entry[]): number
  /** Forgets what was recorded last: it could not be written. */
  undo(): void
}

/**
 * Holds what readers are answered from: ready-to-send values by key, memory-mapped and shared by every
 * process of the host. A commit is one transaction; a reader sees all of it or nothing.
 */
export class ServingStore {
  readonly #openRoot: () => RootDatabase
  #root: RootDatabase
  #spaces: Record<SpaceName, Space<Buffer, Key>>
  /** Numbers that every request reads, once a turn of the event loop. */
  readonly #numbers = new Map<string, number | undefined>()
  /** Spaces of which it is known at this commit whether they have entries. */
  #filled = { seq: -1, spaces: new Map<SpaceName, boolean>() }
  #logs: Record<LogName, Space<Buffer, string>>
  #recorder: WriteRecorder | undefined
  /** Called with the entries of a commit that changed something, once readers see them. */
  onWritten: ((entries: readonly Entry[]) => void) | undefined
  readonly #isReplica: boolean

  private constructor(root: RootDatabase, openRoot: () => RootDatabase) {
    this.#openRoot = openRoot
    this.#root = root
    this.#spaces = openSpaces(root)
    this.#logs = openLogs(root)
    this.#isReplica = this.#spaces.meta?.doesExist(REPLICA) ?? false
  }

  static open(file: string, { readOnly = false } = {}): ServingStore {
    if (!readOnly) mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    if (existsSync(file)) assertSoundHead(file)
    const settings = { path: file, readOnly, maxDbs: spaces.length + 4, maxReaders: 512 }
    const openRoot = () => open(settings)
    const root = openRoot()
    if (readOnly) return new ServingStore(root, openRoot)
    root.readerCheck()
    // One transaction creates all spaces; each of its own would wait for the disk.
    return root.transactionSync(() => new ServingStore(root, openRoot))
  }

  /** Creates a store that is filled once and flushed by the caller: a crash leaves a file that nobody may open. */
  static create(file: string): ServingStore {
    const openRoot = () => open({ path: file, noSync: true, maxDbs: spaces.length + 4 })
    const root = openRoot()
    return root.transactionSync(() => new ServingStore(root, openRoot))
  }

  /** Returns true once all key spaces exist: a reader may open the file while the writer still creates it. */
  get isComplete(): boolean {
    return Object.values(this.#spaces).every(space => space !== undefined)
  }

  /** Returns the commit that this store shows; 0 before the first. */
  get seq(): number {
    return this.#number('seq') ?? 0
  }

  /** Returns the last commit that changed a member; 0 while there is none. */
  get membersChanged(): number {
    return this.#number(MEMBERS_CHANGED) ?? 0
  }

  /** Tells whether a space has any entry; looked up once a commit. */
  hasAny(space: SpaceName): boolean {
    const { seq } = this
    if (this.#filled.seq !== seq) this.#filled = { seq, spaces: new Map() }
    const { spaces } = this.#filled
    const known = spaces.get(space)
    if (known !== undefined) return known
    const isFilled = this.count(space) > 0
    spaces.set(space, isFilled)
    return isFilled
  }

  get format(): number | undefined {
    return this.#number('format')
  }

  /** Returns the chain of commits that this store belongs to; undefined where nobody follows it. */
  get chain(): string | undefined {
    return this.#spaces.meta.getBinary(CHAIN)?.toString()
  }

  /** Returns the place of the last commit in its chain. */
  get position(): number {
    return this.#number(POSITION) ?? 0
  }

  /** Tells whether this is a copy of another registry's public entries. */
  get isReplica(): boolean {
    return this.#isReplica
  }

  /** Records from now on what is written. */
  record(recorder: WriteRecorder): void {
    this.#recorder = recorder
  }

  get(space: SpaceName, key: Key): Buffer | undefined {
    const entries = this.#read(space)
    return isStorableKey(key) ? entries.getBinary(key) : undefined
  }

  /** Finds a space for reading. A replica refuses a private one: that it has no entry there says nothing. */
  #read(space: SpaceName): Space<Buffer, Key> {
    if (this.#isReplica && !isReplicated(space))
      throw new PublicError('unavailable', 'this is a replica: ask the registry that it follows')
    return this.#spaces[space]
  }

  /**
   * Returns the value without a copy: valid only until the next read of this process, so callers
   * copy what they need in the same tick.
   */
  peek(space: SpaceName, key: Key): Buffer | undefined {
    const entries = this.#read(space)
    return isStorableKey(key) ? (entries.getBinaryFast(key) as Buffer | undefined) : undefined
  }

  /** Reads a value as text, without copying its bytes. */
  text(space: SpaceName, key: Key): string | undefined {
    const value = this.peek(space, key)
    return value?.toString('utf8', 0, value.length)
  }

  count(space: SpaceName): number {
    return (this.#read(space).getStats() as { entryCount: number }).entryCount
  }

  has(space: SpaceName, key: Key): boolean {
    return isStorableKey(key) && this.#read(space).doesExist(key)
  }

  /** Iterates over keys from `start` (exclusive) upward, or downward from the end. */
  keys(space: SpaceName, range: { after?: Buffer; below?: Buffer; limit?: number }): Buffer[] {
    const { after, below, limit } = range
    return [
      ...this.#read(space).getKeys({
        ...(after === undefined ? {} : { start: after, exclusiveStart: true }),
        ...(below === undefined ? {} : { end: below }),
        ...(limit === undefined ? {} : { limit }),
      }),
    ] as Buffer[]
  }

  /** Blocks of events in their order; a value is valid until the next read of this process. */
  events(space: LogName, range: Range): Iterable<{ key: string; value: Uint8Array }> {
    const entries = this.#logs[space].getRange({ ...range })
    return entries as Iterable<{ key: string; value: Uint8Array }>
  }

  /** Iterates over entries whose key begins with `prefix` and a space, after the key `after`. */
  range(
    space: SpaceName,
    prefix: string,
    { after, limit }: { after?: string; limit?: number } = {},
  ): Iterable<{ key: string; value: Buffer }> {
    const entries = this.#read(space)
    const start = `${prefix} ${after ?? ''}`
    if (!isStorableKey(start)) return []
    return entries.getRange({
      start,
      end: `${prefix}!`,
      ...(after !== undefined && { exclusiveStart: true }),
      ...(limit !== undefined && { limit }),
    }) as Iterable<{ key: string; value: Buffer }>
  }

  /** Counts the entries whose key begins with `prefix` and a space, before the key `below`, without reading them. */
  countRange(space: SpaceName, prefix: string, below = `${prefix}!`): number {
    const entries = this.#read(space)
    const start = `${prefix} `
    return isStorableKey(start) ? entries.getKeysCount({ start, end: below }) : 0
  }

  /** Iterates downward over entries whose key begins with `prefix` and a space, before the key `below`. */
  descend(
    space: SpaceName,
    prefix: string,
    below: string | undefined,
  ): Iterable<{ key: string; value: Buffer }> {
    const entries = this.#read(space)
    const start = below ?? `${prefix}!`
    if (!isStorableKey(start)) return []
    return entries.getRange({
      start,
      end: `${prefix} `,
      reverse: true,
      ...(below !== undefined && { exclusiveStart: true }),
    }) as Iterable<{ key: string; value: Buffer }>
  }

  *entries(space: SpaceName, after?: Key): Iterable<{ key: Key; value: Buffer }> {
    const range = after === undefined ? {} : { start: after, exclusiveStart: true }
    yield* this.#read(space).getRange(range)
  }

  /** Writes a commit: all entries and its number, or nothing. On disk, and read here, when it returns. */
  write(entries: readonly Entry[], seq: number): void {
    const position = this.#recorder?.commit([...entries, toMetaEntry('seq', seq)])
    const written = this.#transact(() => {
      const put = this.#put(entries)
      const numbers = { seq, format: SERVING_FORMAT, ...(position && { [POSITION]: position }) }
      this.#put(Object.entries(numbers).map(([key, number]) => toMetaEntry(key, number)))
      return put
    })
    this.onWritten?.(written)
  }

  /** Writes a part of a commit that is too large to be written at once; its number follows with the last. */
  writePart(entries: readonly Entry[]): void {
    this.#recorder?.part(entries)
    const written = this.#transact(() => this.#put(entries))
    this.onWritten?.(written)
  }

  /** Adds entries to empty spaces, those of each space in the order of their keys, as they are: nothing is derived. */
  append(entries: Iterable<Entry>): void {
    let bytes = 0
    let part: Entry[] = []
    const write = () =>
      this.#transact(() => {
        for (const { space, key, value } of part)
          if (value !== undefined) this.#spaces[space].putSync(key, value, { append: true })
      })
    for (const entry of entries) {
      part.push(entry)
      bytes += entry.value?.length ?? 0
      if (bytes < APPEND_BYTES) continue
      write()
      part = []
      bytes = 0
    }
    write()
  }

  /** Has later reads see what was committed meanwhile; otherwise those of a millisecond see one state. */
  refresh(): void {
    this.#root.resetReadTxn()
    this.#numbers.clear()
  }

  #transact<Result>(write: () => Result): Result {
    try {
      const result = this.#root.transactionSync(write)
      this.refresh()
      return result
    } catch (error) {
      this.#recorder?.undo()
      throw error
    }
  }

  /** Puts entries, and returns those by which more than the times of attempts has changed. */
  #put(entries: readonly Entry[]): Entry[] {
    const names = new Map<string, StoredPair | undefined>()
    const written: Entry[] = []
    for (const entry of entries) {
      const { space, key, value } = entry
      if (space === 'identifier') {
        if (this.#holds(space, key, value)) continue
        const name = toIdentifierName(key as string)
        const isFirst = value !== undefined && !names.has(name)
        names.set(name, isFirst ? { key: key as string, value } : undefined)
      }
      if (space !== 'freshness' || this.#changesState(entry)) written.push(entry)
      if (space === 'brand') this.#putInPortfolios(key as string, value)
      if (value === undefined) this.#spaces[space].removeSync(key)
      else if (space === 'freshness') this.#putFreshness(key, value)
      else this.#spaces[space].putSync(key, value)
    }
    for (const [name, pair] of names) this.#name(name, pair)
    return written
  }

  #changesState({ space, key, value }: Entry): boolean {
    if (this.onWritten === undefined || value === undefined) return true
    return !hasSameStates(this.#spaces[space].getBinaryFast(key) as Buffer | undefined, value)
  }

  /** Writes the freshness of one file of a location and keeps that of its other files. */
  #putFreshness(key: Key, value: Buffer): void {
    const held = this.#spaces.freshness.getBinaryFast(key) as Buffer | undefined
    this.#spaces.freshness.putSync(key, mergeFreshness(held, value))
  }

  /** Moves a brand to the portfolios of the houses that it has now, before it is written itself. */
  #putInPortfolios(domain: string, value: Buffer | undefined): void {
    const { brand, portfolio } = this.#spaces
    const before = brand.getBinary(domain)
    if (before?.includes(NAMES_A_HOUSE))
      for (const { key } of listPortfolioEntries(domain, before)) portfolio.removeSync(key)
    if (value?.includes(NAMES_A_HOUSE))
      for (const entry of listPortfolioEntries(domain, value))
        portfolio.putSync(entry.key, entry.value)
  }

  /**
   * Tells whether a pair is stored already: of a publisher's thousands of identifiers a commit changes
   * few.
   */
  #holds(space: SpaceName, key: Key, value: Buffer | undefined): boolean {
    const held = this.#spaces[space].getBinaryFast(key)
    return held === undefined ? value === undefined : value?.compare(held, 0, held.length) === 0
  }

  /**
   * Derives the value of an identifier's name from its pairs, which several publishers may own. `pair` is the
   * one that was put, if no other was put or removed: most have no other.
   */
  #name(name: string, pair: StoredPair | undefined): void {
    const isOnly = pair !== undefined && this.#spaces.named.getBinaryFast(name) === undefined
    const value = encodePairs(
      isOnly ? [pair] : [...this.range('identifier', name, { limit: PAIRS_READ_MAX })],
    )
    if (value === undefined) this.#spaces.named.removeSync(name)
    else this.#spaces.named.putSync(name, value)
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  /**
   * Opens the file again: pages that were read count as memory of the process until then. Nobody may use
   * the store meanwhile.
   */
  async releasePages(): Promise<void> {
    await this.#root.close()
    this.#root = this.#openRoot()
    this.#spaces = openSpaces(this.#root)
    this.#logs = openLogs(this.#root)
    this.#numbers.clear()
  }

  #number(key: string): number | undefined {
    if (this.#numbers.has(key)) return this.#numbers.get(key)
    if (this.#numbers.size === 0) setImmediate(() => this.#numbers.clear())
    const digits = this.#spaces.meta.getBinary(key)?.toString()
    const number = digits === undefined ? undefined : Number(digits)
    this.#numbers.set(key, number)
    return number
  }
}

function toMetaEntry(key: string, number: number): Entry {
  return { space: 'meta', key, value: Buffer.from(String(number)) }
}

function openSpaces(root: RootDatabase): Record<SpaceName, Space<Buffer, Key>> {
  return Object.fromEntries(spaces.map(name => [name, openSpace(root, name)])) as Record<
    SpaceName,
    Space<Buffer, Key>
  >
}

function openLogs(root: RootDatabase): Record<LogName, Space<Buffer, string>> {
  return { event: openLog(root, 'event'), event_by_type: openLog(root, 'event_by_type') }
}

function openSpace(root: RootDatabase, name: SpaceName): Space<Buffer, Key> {
  const binary = name === 'event' || name === 'event_by_type'
  return root.openDB<Buffer, Key>(name, {
    encoding: 'binary',
    ...(binary ? { keyEncoding: 'binary' as const } : {}),
  })
}

/**
 * Opens the spaces of the event log a second time, for iteration: a page reads hundreds of entries, and
 * copying each key and value into its own buffer costs more than reading it.
 */
function openLog(root: RootDatabase, name: LogName): Space<Buffer, string> {
  return root.openDB<Buffer, string>(name, {
    encoder: { encode: (value: Buffer) => value, decode: (bytes: Buffer) => bytes },
    keyEncoder: {
      writeKey: (key: string, target: Buffer, at: number) => at + target.write(key, at, 'latin1'),
      readKey: (bytes: Buffer, from: number, to: number) => bytes.toString('latin1', from, to),
    },
  } as object)
}
