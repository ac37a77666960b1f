import { z } from 'zod'
import { readJsonFile, replaceFile } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import { parseVerifierKey, type VerifierKey } from '../transparency/signed-note.ts'
import { KEY } from '../transparency/tile-names.ts'
import { parseHead, verifyHead } from '../transparency/tree-head.ts'
import { checkContinued, createTileReader } from '../transparency/verify-log.ts'
import type { PublishedManifest } from './manifest.ts'
import { findSignatureFault } from './manifest-signature.ts'
import type { Origin } from './origin.ts'

/** The key of the origin's log and its head as the replica last saw it; the log of a new registry has no head yet. */
const Remembered = z.object({
  key: z.string(),
  note: z.string().exactOptional(),
  /** Time of the newest manifest that was followed. */
  made_at: z.iso.datetime().exactOptional(),
})
type Remembered = z.infer<typeof Remembered>

/**
 * Checks that what the origin publishes is signed by the key of its log, and that this log only grows. A manifest
 * is refused where either does not hold.
 */
export class LogWatch {
  readonly #origin: Origin
  readonly #file: string
  readonly #expectedKey: string | undefined
  #remembered: Remembered | undefined
  /** Hash of the manifest that was checked last. */
  #checked: string | undefined

  /**
   * Watches the log of an origin. `expectedKey` is its key as the operator knows it; without it the first one
   * that is seen counts.
   */
  constructor(origin: Origin, paths: Pick<Paths, 'replicaLog'>, expectedKey?: string) {
    this.#origin = origin
    this.#file = paths.replicaLog
    this.#expectedKey = expectedKey
    this.#remembered = readJsonFile(this.#file, Remembered)
  }

  /** Returns the key that signs what is followed; undefined while nothing is signed. */
  get key(): string | undefined {
    return this.#remembered?.key
  }

  /**
   * Checks a manifest with this hash, and stores the head of its log. Rejects with a sentence if it is not to be
   * followed.
   */
  async check(
    { log: note, signature, made_at }: Pick<PublishedManifest, 'log' | 'signature' | 'made_at'>,
    hash: string,
  ): Promise<void> {
    if (hash === this.#checked) return
    const before = this.#remembered
    if (note === undefined && before?.note !== undefined)
      throw this.#refuse('it publishes no log anymore')
    const known = this.#expectedKey ?? before?.key
    const isUnsigned = note === undefined && signature === undefined && known === undefined
    if (!isUnsigned) {
      const text = known ?? (await this.#readKey())
      const key = parseVerifierKey(text)
      if (key === undefined)
        throw new Error(`${this.#origin.name} is not followed: the key of its log is missing`)
      const fault = findSignatureFault(signature, hash, key)
      if (fault !== undefined) throw this.#refuse(`of its manifest, ${fault}`)
      if (before?.made_at !== undefined && Date.parse(made_at) < Date.parse(before.made_at))
        throw this.#refuse(`it shows what it published before ${before.made_at}`)
      if (note !== undefined && note !== before?.note) await this.#checkHead(note, key)
      this.#remember({ key: text, made_at, ...(note !== undefined && { note }) })
    }
    this.#checked = hash
  }

  #remember(seen: Remembered): void {
    this.#remembered = seen
    replaceFile(this.#file, `${JSON.stringify(seen)}\n`)
  }

  async #readKey(): Promise<string> {
    return (await this.#origin.readLogFile(KEY))?.toString().trim() ?? ''
  }

  async #checkHead(note: string, key: VerifierKey): Promise<void> {
    const head = verifyHead(note, key)
    if (typeof head === 'string') throw this.#refuse(`of the head of its log, ${head}`)
    // It was verified when it was stored, maybe by the key before.
    const before = this.#remembered?.note
    const known = before === undefined ? undefined : parseHead(before)
    if (known === undefined) return
    const readTile = createTileReader({ read: name => this.#origin.readLogFile(name) })
    const [fault] = await checkContinued(known, head, readTile)
    if (fault !== undefined) throw this.#refuse(fault)
  }

  #refuse(why: string): Error {
    return new Error(
      `${this.#origin.name} is not followed, for its history may be rewritten: ${why}`,
    )
  }
}

/** Reads the head of the log that the replica in a folder follows; undefined where it follows none. */
export function readFollowedHead({ replicaLog }: Pick<Paths, 'replicaLog'>): string | undefined {
  return readJsonFile(replicaLog, Remembered)?.note
}
