import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { buildBundle, ERASED, parseBundle } from './entries.ts'
import { countIds, findLeaf } from './leaf-ids.ts'
import type { LogFolder } from './log-folder.ts'
import { nameTile, TILE_WIDTH } from './tile-names.ts'

/**
 * Erases entries from every bundle that contains them, partial bundles included; the tiles of hashes stay as
 * they are. Events without a leaf are skipped. Safe to repeat.
 */
export async function eraseEntries(
  folders: readonly LogFolder[],
  idsFile: string,
  eventIds: readonly string[],
): Promise<void> {
  if (!existsSync(idsFile)) return
  const size = countIds(idsFile)
  const places = new Map<number, number[]>()
  for (const id of eventIds) {
    const leaf = findLeaf(idsFile, size, id)
    if (leaf === undefined) continue
    const index = Math.floor(leaf / TILE_WIDTH)
    places.set(index, [...(places.get(index) ?? []), leaf % TILE_WIDTH])
  }
  for (const folder of folders)
    for (const [index, gone] of places) await eraseInBundle(folder, index, gone)
}

async function eraseInBundle(
  folder: LogFolder,
  index: number,
  places: readonly number[],
): Promise<void> {
  for (const width of await folder.listWidths('entries', index)) {
    const name = nameTile({ level: 'entries', index, width })
    const entries = parseBundle(await readFile(folder.resolve(name)), width)
    for (const place of places) if (place < width) entries[place] = ERASED
    await folder.replace(name, buildBundle(entries))
  }
}
