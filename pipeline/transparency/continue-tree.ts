import { existsSync, readFileSync } from 'node:fs'
import { countThings } from '../core/counts.ts'
import { getLast } from '../core/present.ts'
import { replaceFile } from '../store/durable-files.ts'
import { findEventId } from './entries.ts'
import { LogFolder } from './log-folder.ts'
import type { TreePaths } from './open-tree.ts'
import { RightEdge } from './right-edge.ts'
import { appendEvents } from './tree-files.ts'
import { parseHead } from './tree-head.ts'

const PRIVATE_FILE = 0o600

/** Events of the log, and how many there were before them. */
export interface LogPart {
  from: number
  lines: readonly Buffer[]
}

/**
 * Continues the stored tree with events that were signed elsewhere, up to that head, which becomes the head that
 * was signed last; a tree that is as long or longer stays. Events that it has already are skipped. Throws where they
 * do not make that tree; nothing refers to what was written then. Returns the id of the last event.
 */
export async function continueTree(
  paths: TreePaths,
  parts: AsyncIterable<LogPart>,
  note: string,
): Promise<string | undefined> {
  const head = parseHead(note)
  if (head === undefined) throw new Error('the head of the log cannot be read')
  const folder = new LogFolder(paths.log)
  const known = existsSync(paths.logHead)
    ? parseHead(readFileSync(paths.logHead, 'utf8'))
    : undefined
  if (known !== undefined && known.size >= head.size) return undefined
  const edge = await RightEdge.load(known?.size ?? 0, folder.readTile)
  let lastId: string | undefined
  for await (const { from, lines } of parts) {
    const missing = lines.slice(Math.max(0, edge.size - from), head.size - from)
    if (from > edge.size) throw new Error(`events ${edge.size} to ${from} of the log are missing`)
    if (missing.length === 0) continue
    const events = missing.map(line => ({ id: findEventId(line), line }))
    await appendEvents(folder, paths.logIds, edge, events)
    lastId = getLast(events).id
  }
  if (edge.size !== head.size || !edge.root.equals(head.root))
    throw new Error(
      `the log ${head.origin} was signed with ${countThings(head.size, 'event')}, and the backup makes another tree`,
    )
  replaceFile(paths.logHead, note, PRIVATE_FILE)
  return lastId
}
