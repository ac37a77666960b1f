import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ReadTile } from './tile-hashes.ts'
import { nameTile, TILE_WIDTH, type Tile } from './tile-names.ts'

/** The files of a log below a folder. */
export class LogFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  resolve(name: string): string {
    return join(this.path, name)
  }

  /**
   * Reads a tile; if the partial tile was deleted, the beginning of the full one. Rejects if neither exists.
   */
  readTile: ReadTile = async tile => {
    const partial = await readFile(this.resolve(nameTile(tile))).catch(() => undefined)
    if (partial !== undefined) return partial
    const full = await readFile(this.resolve(nameTile({ ...tile, width: TILE_WIDTH }))).catch(
      () => {
        throw new Error(`${nameTile(tile)} is missing`)
      },
    )
    if (tile.level === 'entries') throw new Error(`${nameTile(tile)} is missing`)
    return full.subarray(0, (full.length / TILE_WIDTH) * tile.width)
  }

  /** Reads a small text; undefined where there is none. */
  readText(name: string): Promise<string | undefined> {
    return readFile(this.resolve(name), 'utf8').catch(() => undefined)
  }

  /** Writes files durably. Tiles need no rename, since nobody reads them before a head names them. */
  async write(files: ReadonlyMap<string, Buffer>): Promise<void> {
    const folders = new Set([...files.keys()].map(name => dirname(this.resolve(name))))
    for (const folder of folders) await mkdir(folder, { recursive: true })
    await Promise.all([...files].map(([name, bytes]) => writeDurably(this.resolve(name), bytes)))
    await Promise.all([...folders].map(syncDurably))
  }

  /** Replaces a file in one step. */
  async replace(name: string, content: string | Buffer): Promise<void> {
    const path = this.resolve(name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, content)
    await rename(`${path}.new`, path)
  }

  /** Deletes the partial tiles that a full tile replaces. */
  async removePartials(tile: Tile): Promise<void> {
    await rm(`${this.resolve(nameTile({ ...tile, width: TILE_WIDTH }))}.p`, {
      recursive: true,
      force: true,
    })
  }

  /** Lists the widths of the tiles that exist at an index: the full one, or partial ones. */
  async listWidths(level: Tile['level'], index: number): Promise<number[]> {
    const full = this.resolve(nameTile({ level, index, width: TILE_WIDTH }))
    const partial = await readdir(`${full}.p`).catch(() => [])
    const widths = partial.map(Number).filter(width => width > 0)
    return existsSync(full) ? [...widths, TILE_WIDTH] : widths
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'w')
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncDurably(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
