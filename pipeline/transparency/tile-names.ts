/** Hashes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256
/** Name of the signed tree head, and of the folder of the tiles. */
export const HEAD = 'checkpoint'
/** Name of the public key of the log, as verifiers of notes take it. */
export const KEY = 'key'
/** Path of any tile or bundle below the log. */
export const TILE_NAME =
  /^tile\/(?:\d|[1-5]\d|6[0-3]|entries)\/(?:x\d{3}\/)*\d{3}(?:\.p\/(?:[1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-5]))?$/

/** A tile of hashes, or of the entries themselves. */
export interface Tile {
  level: number | 'entries'
  index: number
  /** 1 to 256; less than 256 is a partial tile. */
  width: number
}

/** Names a tile by its path below the log (C2SP tlog-tiles). */
export function nameTile({ level, index, width }: Tile): string {
  const partial = width < TILE_WIDTH ? `.p/${width}` : ''
  return `tile/${level}/${nameIndex(index)}${partial}`
}

function nameIndex(index: number): string {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const groups = padded.match(/\d{3}/g) ?? []
  return groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
}

/** Returns the number of hashes at a level of the tiles, for a tree of this size. */
export function countHashes(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level)
}

/** Finds the tile that contains a hash of a level, with its width in a tree of this size. */
export function findTile(level: number, place: number, size: number): Tile {
  const index = Math.floor(place / TILE_WIDTH)
  return { level, index, width: getWidth(level, index, size) }
}

/** Returns the width of a tile in a tree of this size; 0 where there is none. */
export function getWidth(level: number, index: number, size: number): number {
  const rest = countHashes(level, size) - index * TILE_WIDTH
  return Math.max(0, Math.min(TILE_WIDTH, rest))
}

/** Returns how many levels of tiles a tree of this size has. */
export function countLevels(size: number): number {
  let levels = 0
  while (countHashes(levels, size) > 0) levels++
  return levels
}
