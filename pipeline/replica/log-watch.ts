import { z } from 'zod'
import { readJsonFile, replaceFile } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import { parseVerifierKey } from '../transparency/signed-note.ts'
import { KEY } from '../transparency/tile-names.ts'
import { type TreeHead, verifyHead } from '../transparency/tree-head.ts'
import { checkContinued, createTileReader } from '../transparency/verify-log.ts'
import type { PublishedManifest } from './manifest.ts'
import type { Origin } from './origin.ts'

/** The log of the origin as the replica last saw it, with the key that it saw first. */
const Remembered = z.object({ key: z.string(), note: z.string() })
type Remembered = z.infer<typeof Remembered>

/** Checks that the origin's log only grows: a manifest whose log does not continue the known one is refused. */
export class LogWatch {
  readonly #origin: Origin
  readonly #file: string
  #remembered: Remembered | undefined

  constructor(origin: Origin, paths: Pick<Paths, 'replicaLog'>) {
    this.#origin = origin
    this.#file = paths.replicaLog
    this.#remembered = readJsonFile(this.#file, Remembered)
  }

  /**
   * Compares the log of a manifest with the known one, and stores it. Rejects with a sentence if it does not
   * continue that one.
   */
  async check({ log: note }: Pick<PublishedManifest, 'log'>): Promise<void> {
    const before = this.#remembered
    if (note === before?.note) return
    const refuse = (why: string) =>
      new Error(`${this.#origin.name} is not followed, for its history may be rewritten: ${why}`)
    if (note === undefined) throw refuse('it publishes no log any more')
    const text = before?.key ?? (await this.#origin.readLogFile(KEY))?.toString().trim() ?? ''
    const key = parseVerifierKey(text)
    if (key === undefined) throw refuse('the key of its log is missing')
    const read = (which: string): TreeHead => {
      const head = verifyHead(which, key)
      if (typeof head === 'string') throw refuse(`of the head of its log, ${head}`)
      return head
    }
    const head = read(note)
    if (before !== undefined) {
      const readTile = createTileReader({ read: name => this.#origin.readLogFile(name) })
      const [fault] = await checkContinued(read(before.note), head, readTile)
      if (fault !== undefined) throw refuse(fault)
    }
    this.#remembered = { key: text, note }
    replaceFile(this.#file, `${JSON.stringify(this.#remembered)}\n`)
  }
}
