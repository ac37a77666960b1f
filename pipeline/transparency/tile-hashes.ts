import { countThings } from '../core/counts.ts'
import {
  buildTreeHash,
  EMPTY_ROOT,
  findSplit,
  HASH_BYTES,
  type ReadRange,
  toNodeHash,
} from './merkle.ts'
import { findTile, TILE_WIDTH, type Tile } from './tile-names.ts'

/** Reads a tile: its hashes or entries, as published. Rejects where it is missing. */
export type ReadTile = (tile: Tile) => Promise<Buffer>

/** Binary levels of a tile. */
const HEIGHT = Math.log2(TILE_WIDTH)

/** Returns a function that computes the hash of a range of leaves; it reads each tile only once. */
export function createRangeReader(size: number, readTile: ReadTile): ReadRange {
  const tiles = new Map<string, Promise<Buffer[]>>()
  const loadTile = (tile: Tile) => {
    const name = `${tile.level} ${tile.index}`
    const known = tiles.get(name)
    if (known) return known
    const loaded = readTile(tile).then(bytes => splitHashes(bytes, tile))
    tiles.set(name, loaded)
    return loaded
  }
  const read: ReadRange = async (start, end) => {
    const count = end - start
    const height = Math.log2(count)
    if (Number.isInteger(height) && start % count === 0) {
      const level = Math.floor(height / HEIGHT)
      const first = start / TILE_WIDTH ** level
      const hashes = await loadTile(findTile(level, first, size))
      const place = first % TILE_WIDTH
      return buildTreeHash(hashes.slice(place, place + 2 ** (height % HEIGHT)))
    }
    const middle = start + findSplit(count)
    const [left, right] = await Promise.all([read(start, middle), read(middle, end)])
    return toNodeHash(left, right)
  }
  return read
}

/** Loads the root of the tree of this size from its tiles. */
export async function loadRoot(size: number, readTile: ReadTile): Promise<Buffer> {
  return size === 0 ? EMPTY_ROOT : createRangeReader(size, readTile)(0, size)
}

/** Splits a tile into its hashes. Throws where it has another width than expected. */
export function splitHashes(bytes: Buffer, { level, index, width }: Tile): Buffer[] {
  if (bytes.length !== width * HASH_BYTES)
    throw new Error(
      `tile ${index} of level ${level} has ${countThings(bytes.length, 'byte')}, not ${width * HASH_BYTES}`,
    )
  return Array.from({ length: width }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  )
}
