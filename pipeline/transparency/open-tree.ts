import { existsSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countThings, formatCount } from '../core/counts.ts'
import { getLast, requireValue } from '../core/present.ts'
import { replaceFolder } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import { EventTail } from './event-tail.ts'
import { countIds, readLeafId } from './leaf-ids.ts'
import { LogFolder } from './log-folder.ts'
import { RightEdge } from './right-edge.ts'
import { type LogSigner, toVerifierKey } from './signed-note.ts'
import { loadRoot } from './tile-hashes.ts'
import { HEAD } from './tile-names.ts'
import { appendEvents } from './tree-files.ts'
import { parseHead, type TreeHead, verifyHead } from './tree-head.ts'

const BATCH_EVENTS = 4_096
const IDS = 'ids'

export type TreePaths = Pick<Paths, 'events' | 'log' | 'logIds' | 'logHead'>

/** Finds the head that was signed last. Throws where it is of another log, or is not signed by this key. */
export async function findSignedHead(
  { logHead }: Pick<Paths, 'logHead'>,
  signer: LogSigner,
): Promise<TreeHead | undefined> {
  if (!existsSync(logHead)) return undefined
  const note = await readFile(logHead, 'utf8')
  const head = verifyHead(note, toVerifierKey(signer))
  if (typeof head !== 'string') return head
  const known = parseHead(note)
  if (known !== undefined && known.origin !== signer.origin)
    throw new Error(
      `the log of this folder is ${known.origin}, not ${signer.origin}: set LOG_ORIGIN to it`,
    )
  throw new Error(`the head of the log cannot be continued: ${head} (${logHead}, LOG_SIGNING_KEY)`)
}

/** Finds the id of the last event that was signed; undefined where there is none, or the log is damaged. */
export function findLastLogged({
  logHead,
  logIds,
}: Pick<TreePaths, 'logHead' | 'logIds'>): string | undefined {
  if (!existsSync(logHead) || !existsSync(logIds)) return undefined
  const size = parseHead(readFileSync(logHead, 'utf8'))?.size ?? 0
  return size > 0 && countIds(logIds) >= size ? readLeafId(logIds, size - 1) : undefined
}

/**
 * Opens the tree whose head was signed last. If its files are damaged or missing, it is rebuilt from the
 * event files. Throws, and changes nothing, if that results in another tree: some of its events are then
 * missing, and a tree without them must not be signed.
 */
export async function openTree(paths: TreePaths, head: TreeHead | undefined): Promise<RightEdge> {
  if (head === undefined) return RightEdge.load(0, new LogFolder(paths.log).readTile)
  const stored = await loadTree(paths, head)
  if (stored !== undefined) return stored
  await makeTreeAgain(paths, head)
  return requireValue(await loadTree(paths, head), 'tree after it was made')
}

async function loadTree(
  paths: TreePaths,
  { size, root }: TreeHead,
): Promise<RightEdge | undefined> {
  const { readTile } = new LogFolder(paths.log)
  try {
    if (size > 0 && countIds(paths.logIds) < size) return undefined
    const edge = await RightEdge.load(size, readTile)
    return edge.root.equals(root) && (await loadRoot(size, readTile)).equals(root)
      ? edge
      : undefined
  } catch {
    return undefined
  }
}

async function makeTreeAgain(paths: TreePaths, { size, root, origin }: TreeHead): Promise<void> {
  const fresh = `${paths.log}.new`
  rmSync(fresh, { recursive: true, force: true })
  const folder = new LogFolder(fresh)
  const edge = await RightEdge.load(0, folder.readTile)
  const tail = new EventTail(paths)
  let last: string | undefined
  while (edge.size < size) {
    const events = tail.read(last, BATCH_EVENTS).slice(0, size - edge.size)
    if (events.length === 0) break
    await appendEvents(folder, join(fresh, IDS), edge, events)
    last = getLast(events).id
  }
  if (edge.size !== size || !edge.root.equals(root)) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(
      `the log ${origin} was signed with ${countThings(size, 'event')}, and neither ${paths.log} nor the event files ` +
        'make that tree: nothing is signed. Put back that folder from a backup or a copy',
    )
  }
  replaceFolder(fresh, paths.log)
}

/** Reads the head of a copy, to tell whether it is ahead of what was signed here. */
export async function checkCopy(
  copy: LogFolder,
  head: TreeHead | undefined,
  signer: LogSigner,
): Promise<void> {
  const note = await copy.readText(HEAD)
  if (note === undefined) return
  const published = verifyHead(note, toVerifierKey(signer))
  if (typeof published === 'string' || published.size <= (head?.size ?? 0)) return
  throw new Error(
    `${copy.path} has the log ${published.origin} with ${countThings(published.size, 'event')}, and this registry has ` +
      `${formatCount(head?.size ?? 0)}: nothing is signed. Copy that folder back first`,
  )
}
