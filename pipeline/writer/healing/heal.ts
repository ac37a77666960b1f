import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Log } from '../../core/log.ts'
import { readSearchCheckpoint, SearchCheckpoint } from '../../search/checkpoint.ts'
import { findDamagedParts } from '../../search/parts-reader.ts'
import { SEARCH_FORMAT } from '../../search/search-index.ts'
import { SERVING_FORMAT, ServingStore } from '../../serving/lmdb.ts'
import { listSnapshots, readCheckpoint } from '../../store/checkpoint.ts'
import { forgetMissingExports } from '../../store/columnar/parquet-manifest.ts'
import { readJsonFile } from '../../store/durable-files.ts'
import {
  DAY_OF_EVENT,
  listEventFiles,
  readLastEvent,
  readLastInFile,
} from '../../store/event-log.ts'
import { findDamagedHead } from '../../store/lmdb-head.ts'
import type { Paths } from '../../store/paths.ts'
import type { Seals } from '../../store/seals.ts'
import { setAside } from '../../store/set-aside.ts'
import type { Unprojected } from '../../store/unprojected.ts'
import { type Facts, findLostCommits, refuseOlderIndex, setNextNumber } from './facts.ts'
import { makeDerived, makeEventFile, makeServing } from './make-derived.ts'

/** Parts of the writer that healing needs. */
export interface HealingParts extends Facts {
  paths: Paths
  seals: Seals
  log: Log
}

const CHANGED = 'it was changed while the registry was not running'

/**
 * Sets damaged derived stores aside and makes them again from the index; published files are left
 * to the next publishing, which must follow where one was damaged. Throws where the index has lost
 * commits, unless that is accepted: then all derived stores are made again.
 */
export async function healStores(
  parts: HealingParts,
  { acceptsOlderIndex = false }: { acceptsOlderIndex?: boolean },
): Promise<{ areDamaged: boolean }> {
  const { paths, index, seals } = parts
  const areDamaged = dropDamagedCopies(parts)
  const serving = await lookIntoServing(paths, seals)
  const areEventsWhole = !seals.listIn(paths.events).some(file => seals.isChanged(file))
  const shown = { seq: serving.seq, lastEvent: areEventsWhole ? readLastEvent(paths) : undefined }
  const lost = await findLostCommits(paths, parts, shown)
  if (lost === undefined) {
    await healServing(parts, serving)
    await healEventFiles(parts)
    return { areDamaged }
  }
  if (!acceptsOlderIndex) {
    seals.endTest()
    refuseOlderIndex(paths, lost)
  }
  parts.log.warn({ lost }, 'the record has lost commits: derived stores are rebuilt')
  await setNextNumber(index, Math.max(serving.seq, readCheckpoint(paths)?.seq ?? 0))
  // An older index may contain domains that were taken down: they are taken down again.
  parts.accounts.db.run('update taken_down set cleared_at = null')
  tellUnprojected(parts.log, await makeDerived(paths, parts))
  return { areDamaged: true }
}

/**
 * Sets aside what was made from a snapshot, and the snapshot itself, where it is damaged: the next
 * publishing makes it again. True where something was.
 */
function dropDamagedCopies({ paths, seals, log }: HealingParts): boolean {
  const aside = (path: string, reason: string) => setAside({ paths, log }, path, reason)
  const checkpoint = readCheckpoint(paths)
  let isDamaged = checkpoint === undefined && listSnapshots(paths).length > 0
  if (isDamaged) aside(paths.checkpoint, 'it cannot be read')
  const snapshot = checkpoint && `${paths.snapshots}/${checkpoint.snapshot}`
  if (snapshot && (!existsSync(snapshot) || isDamagedFile(seals, snapshot))) {
    aside(snapshot, CHANGED)
    for (const name of [paths.checkpoint, paths.registry]) rmSync(name, { force: true })
    isDamaged = true
  }
  if (seals.isChanged(paths.columnar)) aside(paths.columnar, CHANGED)
  const isSearchDamaged = dropDamagedSearch({ paths, seals, log })
  const exported = seals.listIn(paths.parquet).filter(file => seals.isChanged(file))
  for (const folder of new Set(exported.map(dirname))) aside(folder, CHANGED)
  if (exported.length > 0) forgetMissingExports(paths)
  return isDamaged || isSearchDamaged
}

function dropDamagedSearch({ paths, seals, log }: Omit<HealingParts, keyof Facts>): boolean {
  if (!existsSync(paths.searchCheckpoint)) return listSnapshots(paths).length > 0
  const current = readJsonFile(paths.searchCheckpoint, SearchCheckpoint)
  if (current === undefined) {
    setAside({ paths, log }, paths.searchCheckpoint, 'it cannot be read')
    return true
  }
  // A file of an earlier release is not damaged, but it has to be made again as well.
  if (current.format !== SEARCH_FORMAT) return true
  const file = `${paths.search}/${current.file}`
  const isChanged = !existsSync(file) || seals.isChanged(file)
  const reason = isChanged ? CHANGED : findDamagedParts(file)
  if (reason === undefined) return false
  setAside({ paths, log }, file, reason)
  rmSync(paths.searchCheckpoint)
  return true
}

function isDamagedFile(seals: Seals, file: string): boolean {
  return statSync(file).size === 0 || seals.isChanged(file)
}

/** The commit that the serving store shows, and the reason to rebuild it. */
interface ServingState {
  seq: number
  damage?: string
  isOfOtherVersion?: boolean
}

/** Looks into the serving store as far as that is safe. */
async function lookIntoServing(paths: Paths, seals: Seals): Promise<ServingState> {
  const file = paths.servingFile
  if (!existsSync(file)) return { seq: 0 }
  const damage = findDamagedHead(file) ?? checkSeal(seals, file)
  if (damage !== undefined) return { seq: 0, damage }
  seals.beginTest()
  const store = ServingStore.open(file)
  const { seq, format } = store
  await store.close()
  return { seq, isOfOtherVersion: format !== undefined && format !== SERVING_FORMAT }
}

function checkSeal(seals: Seals, file: string): string | undefined {
  if (seals.isChanged(file)) return CHANGED
  return seals.wasStartInterrupted ? 'the previous start ended while opening it' : undefined
}

/** Changed keys are needed until they are projected; a little longer helps a person who looks. */
export const CHANGES_LISTED_MAX = 100

/** Rebuilds the serving store if it is damaged or missing, or cannot be brought up to the index. */
async function healServing(parts: HealingParts, state: ServingState): Promise<void> {
  const { paths, index, log } = parts
  const meta = await index.one<{ seq: number }>('select seq from meta')
  const { seq: committed } = meta ?? { seq: 0 }
  const { seq, damage, isOfOtherVersion } = state
  const isTooOld = committed - seq > CHANGES_LISTED_MAX || (seq === 0 && committed > 1)
  if (committed > 0 && !existsSync(paths.servingFile)) {
    setAside({ paths, log }, paths.servingFile, CHANGED)
  } else if (damage !== undefined) setAside({ paths, log }, paths.serving, damage)
  else if (isOfOtherVersion || isTooOld) {
    log.warn({ shows: seq, committed, isOfOtherVersion }, 'serving/ is rebuilt')
  } else return
  tellUnprojected(log, await makeServing(paths, parts))
}

function tellUnprojected(log: Log, unprojected: readonly Unprojected[]): void {
  for (const subject of unprojected)
    log.error(subject, 'not projected: quarantined, it has no answer')
}

/**
 * Rebuilds each damaged or missing event file; events missing at the end of the last one are appended later.
 */
async function healEventFiles({ paths, index, seals, log }: HealingParts): Promise<void> {
  const names = listEventFiles(paths)
  const files = new Set([
    ...names.map(name => `${paths.events}/${name}`),
    ...seals.listIn(paths.events),
  ])
  const last = names.at(-1)
  const damaged = [...files].filter(
    file =>
      seals.isChanged(file) || (basename(file) === last && readLastInFile(file) === 'damaged'),
  )
  const days = damaged.length === 0 && names.length > 0 ? [] : await listEventDays(index)
  const gone = names.length > 0 ? [] : days.map(day => paths.eventFile(day))
  for (const file of new Set([...damaged, ...gone])) {
    const day = basename(file, '.ndjson')
    setAside({ paths, log }, file, CHANGED)
    if (days.includes(day)) await makeEventFile(paths, index, day)
  }
}

async function listEventDays(index: Facts['index']): Promise<string[]> {
  const rows = await index.all<{ day: string }>(
    `select distinct ${DAY_OF_EVENT} as day from events order by day`,
  )
  return rows.map(({ day }) => day)
}

/** Lists every derived file, which is rebuilt when it is damaged. */
export function listDerived(paths: Paths): string[] {
  const checkpoint = readCheckpoint(paths)
  const search = readSearchCheckpoint(paths)
  return [
    paths.servingFile,
    paths.columnar,
    ...listEventFiles(paths).map(name => `${paths.events}/${name}`),
    ...(checkpoint ? [`${paths.snapshots}/${checkpoint.snapshot}`] : []),
    ...(search ? [`${paths.search}/${search.file}`] : []),
    ...listFilesBelow(paths.parquet),
  ]
}

/** Lists every file in a folder and below. */
export function listFilesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `${entry.parentPath}/${entry.name}`)
}
