import { cpSync, existsSync, lstatSync, rmSync, statSync } from 'node:fs'
import { Fatal } from '../core/errors.ts'
import { getLast } from '../core/present.ts'
import { replaceFile } from '../store/durable-files.ts'
import { copyLog } from './copy-log.ts'
import { eraseEntries } from './erase-entries.ts'
import { type EventLine, EventTail } from './event-tail.ts'
import { countIds, findFirstLeaf, readLeafId } from './leaf-ids.ts'
import { LogFolder } from './log-folder.ts'
import { checkCopy, findSignedHead, openTree, type TreePaths } from './open-tree.ts'
import type { RightEdge } from './right-edge.ts'
import { formatVerifierKey, type LogSigner, toVerifierKey } from './signed-note.ts'
import { HEAD, KEY, nameTile, TILE_WIDTH } from './tile-names.ts'
import { appendEvents, listFilled } from './tree-files.ts'
import { signHead } from './tree-head.ts'

/** Events that are appended under one signed head. */
const BATCH_EVENTS = 4_096
const PRIVATE_FILE = 0o600

/** A head that is about to be signed for everybody, with the events that the one before lacks. */
export interface NewHead {
  from: number
  to: number
  lines: readonly Buffer[]
  note: string
}

/** Keeps a head elsewhere; when it rejects, nobody sees that head. */
export type KeepHead = (head: NewHead) => Promise<void>

/** Says that a head is not signed yet, since it could not be kept elsewhere: nothing is wrong with the log. */
class UnkeptHead extends Error {}

/** Why nothing is signed: because the tree cannot be continued, or because the next head cannot be kept elsewhere. */
export interface LogStop {
  why: string
  isWaiting: boolean
}

/** Parts of a log. */
export interface TreeLogParts {
  paths: TreePaths
  /** Without a signer nothing is appended; events that are taken down are erased all the same. */
  signer?: LogSigner | undefined
  /** Folder that gets the same files. */
  copyTo?: string | undefined
  keepHead?: KeepHead | undefined
}

/**
 * The tamper-evident log of the registry: a leaf for each event of the feed, in its order. It follows the
 * event files, so what a crash interrupts is appended by the next `update`. A head is on disk before anybody
 * can read it, and a tree that does not continue the last signed one is never signed.
 */
export class TreeLog {
  readonly #parts: TreeLogParts
  readonly #folder: LogFolder
  readonly #copy: LogFolder | undefined
  #tail: EventTail
  #edge: RightEdge | undefined
  #lastId: string | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #stop: LogStop | undefined

  /** Signs in the name of this log; undefined where nothing is signed. */
  get signer(): LogSigner | undefined {
    return this.#parts.signer
  }

  constructor(parts: TreeLogParts) {
    this.#parts = parts
    this.#folder = new LogFolder(parts.paths.log)
    this.#copy = parts.copyTo === undefined ? undefined : new LogFolder(parts.copyTo)
    this.#tail = new EventTail(parts.paths)
  }

  /**
   * Appends the events that the log lacks from the event files, and signs the new head. Rejects with a
   * sentence, and signs nothing, if the stored tree is not the last signed one and cannot be rebuilt.
   */
  update(): Promise<void> {
    return this.#take(async () => {
      try {
        await this.#update()
        this.#stop = undefined
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        this.#stop = { why, isWaiting: error instanceof UnkeptHead }
        throw error
      }
    })
  }

  /** Returns why the last update failed; undefined where it did not. */
  get stop(): LogStop | undefined {
    return this.#stop
  }

  /** Erases the entries of events; their hashes stay. Events without a leaf get one first. Safe to repeat. */
  erase(eventIds: readonly string[]): Promise<void> {
    return this.#take(async () => {
      await this.#update().catch(() => undefined)
      await eraseEntries(this.#folders(), this.#parts.paths.logIds, eventIds)
    })
  }

  /** Deletes full bundles whose entries are all older than an event; their hashes stay. */
  dropEntriesBefore(eventId: string): Promise<void> {
    return this.#take(async () => {
      const { logIds } = this.#parts.paths
      if (!existsSync(logIds)) return
      const first = findFirstLeaf(logIds, countIds(logIds), eventId)
      for (let index = Math.floor(first / TILE_WIDTH) - 1; index >= 0; index--) {
        const name = nameTile({ level: 'entries', index, width: TILE_WIDTH })
        if (!existsSync(this.#folder.resolve(name))) break
        for (const folder of this.#folders()) rmSync(folder.resolve(name), { force: true })
      }
    })
  }

  /**
   * Copies the log and its signed head to the folder of a backup, after appending the latest events if that
   * is possible. Later updates wait.
   */
  copyTo(folder: string): Promise<void> {
    return this.#take(async () => {
      await this.#update().catch(() => undefined)
      await copyLog(this.#parts.paths, folder)
    })
  }

  /** Resolves when nothing is being written anymore. */
  async settle(): Promise<void> {
    await this.#turn
  }

  #take<Result>(work: () => Promise<Result>): Promise<Result> {
    const taken = this.#turn.then(work)
    this.#turn = taken.catch(() => undefined)
    return taken
  }

  #folders(): LogFolder[] {
    return this.#copy ? [this.#folder, this.#copy] : [this.#folder]
  }

  async #update(): Promise<void> {
    const { signer } = this.#parts
    if (signer === undefined) return
    const edge = this.#edge ?? (await this.#open(signer))
    this.#edge = edge
    for (;;) {
      const events = this.#tail.read(this.#lastId, BATCH_EVENTS)
      if (events.length === 0) return
      await this.#append(edge, events, signer)
    }
  }

  async #open(signer: LogSigner): Promise<RightEdge> {
    const { paths } = this.#parts
    const head = await findSignedHead(paths, signer)
    if (this.#copy) await checkCopy(this.#copy, head, signer)
    const edge = await openTree(paths, head)
    // What a failed append had read is read again.
    this.#tail = new EventTail(paths)
    const key = `${formatVerifierKey(toVerifierKey(signer))}\n`
    for (const folder of this.#folders()) await folder.replace(KEY, key)
    if (edge.size > 0) {
      this.#lastId = readLeafId(paths.logIds, edge.size - 1)
      await this.#publish(edge, signer)
    }
    return edge
  }

  /** Appends events. If that fails, the next update opens the tree again. */
  async #append(edge: RightEdge, events: readonly EventLine[], signer: LogSigner): Promise<void> {
    const { logIds } = this.#parts.paths
    const before = edge.size
    this.#edge = undefined
    const files = await appendEvents(this.#folder, logIds, edge, events)
    const lines = events.map(({ line }) => line)
    const head = { from: before, to: edge.size, lines, note: signHead(edge, signer) }
    await this.#keep(head)
    await this.#copy?.write(files)
    await this.#publishHead(edge, signer)
    for (const tile of listFilled(before, edge.size))
      for (const folder of this.#folders()) await folder.removePartials(tile)
    this.#lastId = getLast(events).id
    this.#edge = edge
  }

  async #keep(head: NewHead): Promise<void> {
    try {
      await this.#parts.keepHead?.(head)
    } catch (error) {
      if (error instanceof Fatal || !(error instanceof Error)) throw error
      throw new UnkeptHead(error.message, { cause: error })
    }
  }

  /** Completes the copy and publishes the head. */
  async #publish(edge: RightEdge, signer: LogSigner): Promise<void> {
    const { paths } = this.#parts
    if (this.#copy) completeCopy(this.#folder, this.#copy, paths.logIds)
    await this.#publishHead(edge, signer)
  }

  async #publishHead(edge: RightEdge, signer: LogSigner): Promise<void> {
    const note = signHead(edge, signer)
    replaceFile(this.#parts.paths.logHead, note, PRIVATE_FILE)
    for (const folder of this.#folders()) await folder.replace(HEAD, note)
  }
}

/** Copies the files that are missing in a copy, or have another size there: those with erased entries. */
function completeCopy(folder: LogFolder, copy: LogFolder, idsFile: string): void {
  const ownFiles = [idsFile, folder.resolve(HEAD)]
  cpSync(folder.path, copy.path, {
    recursive: true,
    filter: (from, to) =>
      !ownFiles.includes(from) &&
      (lstatSync(from).isDirectory() ||
        statSync(to, { throwIfNoEntry: false })?.size !== statSync(from).size),
  })
}
