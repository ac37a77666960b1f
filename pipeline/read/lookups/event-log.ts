import { existsSync } from 'node:fs'
import type { Paths } from '../../store/paths.ts'
import { parseBundle } from '../../transparency/entries.ts'
import { findLeaf } from '../../transparency/leaf-ids.ts'
import { LogFolder } from '../../transparency/log-folder.ts'
import {
  buildConsistencyProof,
  buildInclusionProof,
  toLeafHash,
} from '../../transparency/merkle.ts'
import { createRangeReader } from '../../transparency/tile-hashes.ts'
import { findTile, HEAD, KEY, TILE_WIDTH } from '../../transparency/tile-names.ts'
import { parseHead, type TreeHead } from '../../transparency/tree-head.ts'

type LogPaths = Pick<Paths, 'log' | 'logIds'>

/** The current signed head of the log, and the key that signed it. */
export interface SignedHead {
  head: TreeHead
  /** The signed note. */
  note: string
  /** The public key, as verifiers of notes take it. */
  key: string
}

/** Reads the signed head of the log; undefined before the first event, and where no log is kept. */
export async function readSignedHead({ log }: LogPaths): Promise<SignedHead | undefined> {
  const folder = new LogFolder(log)
  const [note, key] = await Promise.all([folder.readText(HEAD), folder.readText(KEY)])
  if (note === undefined) return undefined
  const head = parseHead(note)
  return head && { head, note, key: (key ?? '').trim() }
}

/** An entry of the log, and what shows that a tree contains it. */
export interface InclusionProof {
  index: number
  size: number
  leafHash: Buffer
  /** Hashes from the leaf up to the root. */
  proof: Buffer[]
  /** The entry itself; null where it was taken down, or is older than the feed. */
  entry: string | null
}

/** Finds the leaf of an event in a log of this size; undefined if there is none. */
export function findLeafIndex(
  { logIds }: LogPaths,
  size: number,
  eventId: string,
): number | undefined {
  return existsSync(logIds) ? findLeaf(logIds, size, eventId) : undefined
}

/**
 * Reads the proof that a tree contains an entry. Requires `index` < `size` <= `current`, the size of the tree
 * whose tiles are read.
 */
export async function readInclusionProof(
  { log }: LogPaths,
  index: number,
  size: number,
  current: number,
): Promise<InclusionProof> {
  const { readTile } = new LogFolder(log)
  const read = createRangeReader(current, readTile)
  const [leafHash, proof] = await Promise.all([
    read(index, index + 1),
    buildInclusionProof(index, size, read),
  ])
  const tile = { ...findTile(0, index, current), level: 'entries' as const }
  const bundle = await readTile(tile).catch(() => undefined)
  const entry = bundle && parseBundle(bundle, tile.width)[index % TILE_WIDTH]
  const isThere = entry !== undefined && toLeafHash(entry).equals(leafHash)
  return { index, size, leafHash, proof, entry: isThere ? entry.toString() : null }
}

/** Reads the proof that one tree is the beginning of a larger one, with the roots of both. */
export async function readConsistencyProof(
  { log }: LogPaths,
  from: number,
  to: number,
  current: number,
): Promise<{ fromRoot: Buffer; toRoot: Buffer; proof: Buffer[] }> {
  const read = createRangeReader(current, new LogFolder(log).readTile)
  const [fromRoot, toRoot, proof] = await Promise.all([
    read(0, from),
    read(0, to),
    buildConsistencyProof(from, to, read),
  ])
  return { fromRoot, toRoot, proof }
}
