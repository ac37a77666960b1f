import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { open, type RootDatabase, type Database as Space } from 'lmdb'
import { assertSoundHead } from '../store/lmdb-head.ts'
import { PRIVATE } from '../store/paths.ts'
import { mergeFreshness } from './freshness-record.ts'
import { encodePairs, PAIRS_READ_MAX, toIdentifierName } from './identifier-index.ts'

/** Key in `meta` of the commit in which any member changed last. */
export const MEMBERS_CHANGED = 'members'

/** Key in `meta` of the commit in which any subscription changed last. */
export const SUBSCRIPTIONS_CHANGED = 'subscriptions'

/** Version of the keys and values; a store of another version is projected again. */
export const SERVING_FORMAT = 30

/** The byte of the digit 0. */
const ZERO = 0x30

/** Key spaces of the store. Values of the first seven are documents (`encodeDocument`). */
export const spaces = [
  'brand',
  'property',
  'publisher',
  'lookup',
  'inventory',
  'operator',
  'hosted',
  'reach',
  'identifier',
  'named',
  'claim',
  'agent',
  'operated',
  'freshness',
  'pointer',
  'event',
  'event_by_type',
  'principal',
  'org_key',
  'user',
  'issuer',
  'person',
  'oauth_client',
  'passkey',
  'member',
  'ownership',
  'role',
  'review',
  'policy',
  'mirror',
  'origin',
  'logo',
  'alias',
  'crawl_request',
  'agent_run',
  'subscription',
  'agent_test',
  'agent_diagnostic',
  'agent_exchange',
  'agent_credential',
  'revision',
  'revision_content',
  'entry',
  'meta',
] as const
export type SpaceName = (typeof spaces)[number]
/** The spaces whose values are documents. */
export const documentSpaces: ReadonlySet<SpaceName> = new Set(spaces.slice(0, 7))

export type Key = string | Buffer
/** A value to put; undefined removes the key. */
export interface Entry {
  space: SpaceName
  key: Key
  value: Buffer | undefined
}

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

/**
 * Holds what readers are answered from: ready-to-send values by key, memory-mapped and shared by every
 * process of the host. A commit is one transaction; a reader sees all of it or nothing.
 */
export class ServingStore {
  readonly #openRoot: () => RootDatabase
  #root: RootDatabase
  #spaces: Record<SpaceName, Space<Buffer, Key>>
  #aliases = { seq: -1, are: false }
  #logs: Record<LogName, Space<Buffer, string>>

  private constructor(root: RootDatabase, openRoot: () => RootDatabase) {
    this.#openRoot = openRoot
    this.#root = root
    this.#spaces = openSpaces(root)
    this.#logs = openLogs(root)
  }

  static open(file: string, { readOnly = false } = {}): ServingStore {
    if (!readOnly) mkdirSync(dirname(file), { recursive: true, mode: PRIVATE })
    if (existsSync(file)) assertSoundHead(file)
    const settings = { path: file, readOnly, maxDbs: spaces.length + 4, maxReaders: 512 }
    const openRoot = () => open(settings)
    const root = openRoot()
    if (readOnly) return new ServingStore(root, openRoot)
    root.readerCheck()
    // One transaction creates all spaces; each of its own would wait for the disk.
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

  /** Returns the commit in which any subscription changed last; 0 while there is none. */
  get subscriptionsChanged(): number {
    return this.#number(SUBSCRIPTIONS_CHANGED) ?? 0
  }

  /** Tells whether properties were ever merged; looked up once a commit. */
  get hasAliases(): boolean {
    const { seq } = this
    if (this.#aliases.seq !== seq) this.#aliases = { seq, are: this.count('alias') > 0 }
    return this.#aliases.are
  }

  get format(): number | undefined {
    return this.#number('format')
  }

  get(space: SpaceName, key: Key): Buffer | undefined {
    return this.#spaces[space].getBinary(key)
  }

  /**
   * Returns the value without a copy: valid only until the next read of this process, so callers
   * copy what they need in the same tick.
   */
  peek(space: SpaceName, key: Key): Buffer | undefined {
    return this.#spaces[space].getBinaryFast(key) as Buffer | undefined
  }

  /** Reads a value as text, without copying its bytes. */
  text(space: SpaceName, key: Key): string | undefined {
    const value = this.peek(space, key)
    return value?.toString('utf8', 0, value.length)
  }

  count(space: SpaceName): number {
    return (this.#spaces[space].getStats() as { entryCount: number }).entryCount
  }

  has(space: SpaceName, key: Key): boolean {
    return this.#spaces[space].doesExist(key)
  }

  /** Iterates over keys from `start` (exclusive) upward, or downward from the end. */
  keys(space: SpaceName, range: { after?: Buffer; below?: Buffer; limit?: number }): Buffer[] {
    const { after, below, limit } = range
    return [
      ...this.#spaces[space].getKeys({
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
    return this.#spaces[space].getRange({
      start: `${prefix} ${after ?? ''}`,
      end: `${prefix}!`,
      ...(after !== undefined && { exclusiveStart: true }),
      ...(limit !== undefined && { limit }),
    }) as Iterable<{ key: string; value: Buffer }>
  }

  *entries(space: SpaceName, after?: Key): Iterable<{ key: Key; value: Buffer }> {
    const range = after === undefined ? {} : { start: after, exclusiveStart: true }
    yield* this.#spaces[space].getRange(range)
  }

  /** Writes a commit: all entries and its number, or nothing. On disk, and read here, when it returns. */
  write(entries: readonly Entry[], seq: number): void {
    this.#root.transactionSync(() => {
      this.#put(entries)
      this.#spaces.meta.putSync('seq', Buffer.from(String(seq)))
      this.#spaces.meta.putSync('format', Buffer.from(String(SERVING_FORMAT)))
    })
    this.#root.resetReadTxn()
  }

  /** Writes a part of a commit that is too large to be written at once; its number follows with the last. */
  writePart(entries: readonly Entry[]): void {
    this.#root.transactionSync(() => this.#put(entries))
    this.#root.resetReadTxn()
  }

  #put(entries: readonly Entry[]): void {
    const names = new Set<string>()
    for (const { space, key, value } of entries) {
      if (space === 'identifier') {
        if (this.#holds(space, key, value)) continue
        names.add(toIdentifierName(key as string))
      }
      if (value === undefined) this.#spaces[space].removeSync(key)
      else if (space === 'freshness') this.#putFreshness(key, value)
      else this.#spaces[space].putSync(key, value)
    }
    for (const name of names) this.#name(name)
  }

  /** Writes the freshness of one file of a location and keeps that of its other files. */
  #putFreshness(key: Key, value: Buffer): void {
    const held = this.#spaces.freshness.getBinaryFast(key) as Buffer | undefined
    this.#spaces.freshness.putSync(key, mergeFreshness(held, value))
  }

  /**
   * Tells whether a pair is stored already: of a publisher's thousands of identifiers a commit changes
   * few.
   */
  #holds(space: SpaceName, key: Key, value: Buffer | undefined): boolean {
    const held = this.#spaces[space].getBinaryFast(key)
    return held === undefined ? value === undefined : value?.compare(held, 0, held.length) === 0
  }

  /** Derives the value of an identifier's name from its pairs, which several publishers may own. */
  #name(name: string): void {
    const value = encodePairs([...this.range('identifier', name, { limit: PAIRS_READ_MAX })])
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
  }

  /** Reads a number in place, since every request reads it. */
  #number(key: string): number | undefined {
    const digits = this.#spaces.meta.getBinaryFast(key)
    if (digits === undefined) return undefined
    let number = 0
    for (let i = 0; i < digits.length; i++) number = 10 * number + digits[i]! - ZERO
    return number
  }
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
