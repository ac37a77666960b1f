import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { SECOND } from '../core/clock.ts'
import { TILE_NAME } from '../transparency/tile-names.ts'

/** A change may leave the time of a folder as it is when it follows another one this soon. */
const SETTLED_NS = BigInt(SECOND) * 1_000_000n

interface Listed {
  changedNs: bigint
  folders: string[]
  /** Tiles with their sizes, by name below the log. */
  tiles: [name: string, bytes: number][]
}

/**
 * Lists the tiles of a log. A folder of it is read again only when something in it was added, replaced or deleted,
 * so a large log in which little is new costs little.
 */
export class TileListing {
  readonly #log: string
  readonly #listed = new Map<string, Listed>()

  constructor(log: string) {
    this.#log = log
  }

  *list(folder = this.#log): Iterable<[name: string, bytes: number]> {
    const stats = statSync(folder, { throwIfNoEntry: false, bigint: true })
    if (stats === undefined) return
    const known = this.#listed.get(folder)
    const found = known?.changedNs === stats.mtimeNs ? known : this.#read(folder, stats)
    yield* found.tiles
    for (const inner of found.folders) yield* this.list(inner)
  }

  #read(folder: string, { mtimeNs: changedNs }: BigIntStats): Listed {
    const listed: Listed = { changedNs, folders: [], tiles: [] }
    const readAtNs = BigInt(Date.now()) * 1_000_000n
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) listed.folders.push(path)
      const name = relative(this.#log, path)
      const bytes = entry.isFile() && TILE_NAME.test(name) ? findSize(path) : undefined
      if (bytes !== undefined) listed.tiles.push([name, bytes])
    }
    if (readAtNs - changedNs > SETTLED_NS) this.#listed.set(folder, listed)
    return listed
  }
}

function findSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}
