import { getAt } from '../core/present.ts'
import { buildTreeHash, EMPTY_ROOT, findSplit, HASH_BYTES, toNodeHash } from './merkle.ts'
import { type ReadTile, splitHashes } from './tile-hashes.ts'
import { countHashes, countLevels, getWidth, nameTile, TILE_WIDTH } from './tile-names.ts'

/** The tiles at the end of a tree that are not full: all that is needed to append to it. */
export class RightEdge {
  readonly #levels: Buffer[][]
  #size: number

  private constructor(levels: Buffer[][], size: number) {
    this.#levels = levels
    this.#size = size
  }

  /** Loads the edge of a tree of this size. Rejects where a tile is missing. */
  static async load(size: number, readTile: ReadTile): Promise<RightEdge> {
    const levels: Buffer[][] = []
    for (let level = 0; level < countLevels(size); level++) {
      const index = Math.floor(countHashes(level, size) / TILE_WIDTH)
      const tile = { level, index, width: getWidth(level, index, size) }
      levels.push(tile.width === 0 ? [] : splitHashes(await readTile(tile), tile))
    }
    return new RightEdge(levels, size)
  }

  get size(): number {
    return this.#size
  }

  /** Returns the root of the tree. */
  get root(): Buffer {
    const peaks = this.#levels.toReversed().flatMap(listPeaks)
    return (
      peaks.reduceRight<Buffer | undefined>(
        (right, peak) => (right ? toNodeHash(peak, right) : peak),
        undefined,
      ) ?? EMPTY_ROOT
    )
  }

  /** Appends leaves. Returns the tiles of hashes that this changes, by name: full ones and partial ones. */
  append(leaves: readonly Buffer[]): Map<string, Buffer> {
    const tiles = new Map<string, Buffer>()
    const touched = new Set<number>()
    for (const leaf of leaves) {
      this.#size++
      this.#push(0, leaf, tiles, touched)
    }
    for (const level of touched) {
      const hashes = getAt(this.#levels, level)
      if (hashes.length === 0) continue
      const index = Math.floor(countHashes(level, this.#size) / TILE_WIDTH)
      tiles.set(nameTile({ level, index, width: hashes.length }), Buffer.concat(hashes))
    }
    return tiles
  }

  #push(level: number, hash: Buffer, tiles: Map<string, Buffer>, touched: Set<number>): void {
    const hashes = this.#levels[level] ?? []
    this.#levels[level] = hashes
    hashes.push(hash)
    touched.add(level)
    if (hashes.length < TILE_WIDTH) return
    const index = countHashes(level, this.#size) / TILE_WIDTH - 1
    tiles.set(
      nameTile({ level, index, width: TILE_WIDTH }),
      Buffer.concat(hashes, TILE_WIDTH * HASH_BYTES),
    )
    this.#levels[level] = []
    this.#push(level + 1, buildTreeHash(hashes), tiles, touched)
  }
}

/** Lists the hashes of the largest complete subtrees over these hashes, from left to right. */
function listPeaks(hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length === 0) return []
  if (Number.isInteger(Math.log2(hashes.length))) return [buildTreeHash(hashes)]
  const split = findSplit(hashes.length)
  return [buildTreeHash(hashes.slice(0, split)), ...listPeaks(hashes.slice(split))]
}
