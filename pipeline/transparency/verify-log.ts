import { countThings, formatCount } from '../core/counts.ts'
import { getAt } from '../core/present.ts'
import { ERASED, findEventId, parseBundle, toEntry } from './entries.ts'
import { buildConsistencyProof, isContinued, toLeafHash } from './merkle.ts'
import { RightEdge } from './right-edge.ts'
import { parseVerifierKey, type VerifierKey } from './signed-note.ts'
import { createRangeReader, type ReadTile, splitHashes } from './tile-hashes.ts'
import { getWidth, HEAD, nameTile, TILE_WIDTH } from './tile-names.ts'
import { type TreeHead, verifyHead } from './tree-head.ts'

/** A log as somebody outside sees it. */
export interface PublishedLog {
  /** Reads a file by its path below the log; undefined where there is none. */
  read(name: string): Promise<Buffer | undefined>
  /** Public key of the log, as `name+id+key`. */
  key: string
  /** Signed head that was seen before. */
  remembered?: string | undefined
}

/** The result of a check: what the log holds, and what is wrong with it, in words. */
export interface VerifiedLog {
  size: number
  /** The signed head, to be remembered. */
  note: string
  /** Entries that were taken down. */
  erased: number
  /** Entries at the beginning that are older than the feed. */
  pruned: number
  faults: string[]
  /** Tells whether nothing is wrong with it but that it does not continue the remembered head. */
  isForked: boolean
}

/** Called with each entry and its place; undefined where only its hash is left. */
export type OnEntry = (entry: Buffer | undefined, index: number, leafHash: Buffer) => void

/**
 * Checks a log from its signed head down to every entry: the signature, all tiles, every entry against its leaf,
 * and that it continues the head that is remembered. Rejects where it cannot be read at all.
 */
export async function verifyLog(log: PublishedLog, onEntry?: OnEntry): Promise<VerifiedLog> {
  const key = parseVerifierKey(log.key)
  if (key === undefined) throw new Error('the key is none of the form name+id+key')
  const note = await log.read(HEAD)
  if (note === undefined) throw new Error('there is no signed head')
  const head = verifyHead(note.toString(), key)
  const found = { size: 0, note: note.toString(), erased: 0, pruned: 0, isForked: false }
  if (typeof head === 'string') return { ...found, faults: [`the head: ${head}`] }
  const result: VerifiedLog = { ...found, size: head.size, faults: [] }
  const readTile = createTileReader(log)
  try {
    const root = await checkTiles(log, head, readTile, result, onEntry)
    if (!root.equals(head.root)) result.faults.push('the tiles do not make the signed root')
    const forks = await checkRemembered(log, key, head, readTile)
    result.isForked = forks.length > 0 && result.faults.length === 0
    result.faults.push(...forks)
  } catch (error) {
    result.faults.push(error instanceof Error ? error.message : String(error))
  }
  return result
}

/** Returns a reader of tiles that uses the beginning of the full tile if a partial one no longer exists. */
export function createTileReader({ read }: Pick<PublishedLog, 'read'>): ReadTile {
  return async tile => {
    const found = await read(nameTile(tile))
    if (found !== undefined) return found
    const full =
      tile.width < TILE_WIDTH ? await read(nameTile({ ...tile, width: TILE_WIDTH })) : undefined
    if (full === undefined) throw new Error(`${nameTile(tile)} is missing`)
    return full.subarray(0, (full.length / TILE_WIDTH) * tile.width)
  }
}

/** Makes the tree again from the leaf hashes, and compares each tile on the way. Returns its root. */
async function checkTiles(
  log: PublishedLog,
  { size }: TreeHead,
  readTile: ReadTile,
  result: VerifiedLog,
  onEntry?: OnEntry,
): Promise<Buffer> {
  const edge = await RightEdge.load(0, readTile)
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const tile = { level: 0, index, width: getWidth(0, index, size) }
    const leaves = splitHashes(await readTile(tile), tile)
    const isLast = (index + 1) * TILE_WIDTH >= size
    for (const [name, bytes] of edge.append(leaves)) {
      const isPublished = !name.includes('.p/') || isLast
      if (isPublished && !name.startsWith('tile/0/') && !(await log.read(name))?.equals(bytes))
        result.faults.push(`${name} is not what the leaves make`)
    }
    await checkEntries(log, { index, width: tile.width }, leaves, result, onEntry)
  }
  return edge.root
}

async function checkEntries(
  log: PublishedLog,
  { index, width }: { index: number; width: number },
  leaves: readonly Buffer[],
  result: VerifiedLog,
  onEntry?: OnEntry,
): Promise<void> {
  const name = nameTile({ level: 'entries', index, width })
  const first = index * TILE_WIDTH
  const bundle = await log.read(name)
  if (bundle === undefined) {
    // Only what is old is deleted: from the beginning, without a gap, and full bundles.
    if (result.pruned === first && width === TILE_WIDTH) result.pruned += width
    else result.faults.push(`${name} is missing`)
    leaves.forEach((leaf, i) => {
      onEntry?.(undefined, first + i, leaf)
    })
    return
  }
  parseBundle(bundle, width).forEach((entry, i) => {
    const leaf = getAt(leaves, i)
    const isErased = entry.equals(ERASED)
    const isIntact = !isErased && toLeafHash(entry).equals(leaf)
    if (isErased) result.erased++
    else if (!isIntact)
      result.faults.push(`entry ${first + i} in ${name} is not the one that was logged`)
    onEntry?.(isIntact ? entry : undefined, first + i, leaf)
  })
}

async function checkRemembered(
  { remembered }: PublishedLog,
  key: VerifierKey,
  head: TreeHead,
  readTile: ReadTile,
): Promise<string[]> {
  if (remembered === undefined) return []
  const before = verifyHead(remembered, key)
  if (typeof before === 'string') return [`the remembered head: ${before}`]
  return checkContinued(before, head, readTile)
}

/** Checks that one head continues another one that was seen before; returns the fault in words. */
export async function checkContinued(
  before: TreeHead,
  head: TreeHead,
  readTile: ReadTile,
): Promise<string[]> {
  const { size } = before
  if (size > head.size)
    return [
      `the log had ${countThings(size, 'event')}, and now it has ${formatCount(head.size)}: the last ones are missing`,
    ]
  const read = createRangeReader(head.size, readTile)
  const proof = await buildConsistencyProof(size, head.size, read)
  if (isContinued(before, head, proof)) return []
  return [
    `the log does not begin with the ${countThings(size, 'event')} that it was signed with before`,
  ]
}

/** Collects the entries of a log, to find the lines of event files in it. */
export class EntryFinder {
  readonly #hashes = new Set<string>()
  /** Id of the last entry that can be read; empty where there is none. */
  #lastId = ''

  readonly add: OnEntry = (entry, _index, leafHash) => {
    this.#hashes.add(leafHash.toString('latin1'))
    if (entry !== undefined) this.#lastId = findEventId(entry)
  }

  /** Tells whether the line of an event is in the log as it is. */
  has(line: Buffer): boolean {
    return this.#hashes.has(toLeafHash(toEntry(line)).toString('latin1'))
  }

  /** Tells whether an event is later than all entries, so that the next update of the log appends it. */
  isNext(eventId: string): boolean {
    return eventId > this.#lastId
  }
}
