import { mkdir, open, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toIdBytes } from '../core/uuid-v7.ts'
import { buildBundle, parseBundle, toEntry } from './entries.ts'
import type { EventLine } from './event-tail.ts'
import { ID_BYTES } from './leaf-ids.ts'
import type { LogFolder } from './log-folder.ts'
import { toLeafHash } from './merkle.ts'
import type { RightEdge } from './right-edge.ts'
import { nameTile, TILE_WIDTH, type Tile } from './tile-names.ts'

/** Files that an append has written: their names and content. */
export type WrittenFiles = ReadonlyMap<string, Buffer>

/**
 * Appends events to the tree in a folder: bundles, tiles and the ids of the leaves are on disk when it
 * resolves. Nothing refers to them until a head is signed, so after a crash they are simply written again.
 */
export async function appendEvents(
  folder: LogFolder,
  idsFile: string,
  edge: RightEdge,
  events: readonly EventLine[],
): Promise<WrittenFiles> {
  const before = edge.size
  const entries = events.map(({ line }) => toEntry(line))
  const bundles = await buildBundles(folder, before, entries)
  const tiles = edge.append(entries.map(toLeafHash))
  const files = new Map([...bundles, ...tiles])
  await folder.write(files)
  await writeIds(idsFile, before, events)
  return files
}

/** Lists the tiles and bundles that were partial at one size and are full at a later one. */
export function listFilled(before: number, after: number): Tile[] {
  const filled: Tile[] = []
  for (let level = 0, span = TILE_WIDTH; span <= after; level++, span *= TILE_WIDTH) {
    const index = Math.floor(before / span)
    if (Math.floor(after / span) === index) continue
    filled.push({ level, index, width: TILE_WIDTH })
    if (level === 0) filled.push({ level: 'entries', index, width: TILE_WIDTH })
  }
  return filled
}

async function buildBundles(
  folder: LogFolder,
  before: number,
  entries: readonly Buffer[],
): Promise<Map<string, Buffer>> {
  const first = Math.floor(before / TILE_WIDTH)
  const width = before % TILE_WIDTH
  const begun =
    width === 0
      ? []
      : parseBundle(await folder.readTile({ level: 'entries', index: first, width }), width)
  const all = [...begun, ...entries]
  const bundles = new Map<string, Buffer>()
  for (let start = 0; start < all.length; start += TILE_WIDTH) {
    const some = all.slice(start, start + TILE_WIDTH)
    const index = first + start / TILE_WIDTH
    bundles.set(nameTile({ level: 'entries', index, width: some.length }), buildBundle(some))
  }
  return bundles
}

async function writeIds(file: string, before: number, events: readonly EventLine[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(file, 'a')
  try {
    await truncate(file, before * ID_BYTES)
    await handle.appendFile(Buffer.concat(events.map(({ id }) => toIdBytes(id))))
    await handle.sync()
  } finally {
    await handle.close()
  }
}
