import { z } from 'zod'
import { type Instant, SECOND, toIso } from '../core/clock.ts'
import { SERVING_FORMAT, spaces } from '../serving/lmdb.ts'
import { type ReplicaState, readReplicaState, writeReplicaState } from '../store/replica-state.ts'
import { removeAbandonedCopies } from './fetch-file.ts'
import { FileFollower, type FollowerParts } from './file-follower.ts'
import { LogWatch } from './log-watch.ts'
import {
  findMissingCommits,
  listPublishedFiles,
  MANIFEST_FORMAT,
  PublishedManifest,
} from './manifest.ts'
import { hashManifest } from './manifest-signature.ts'
import type { Origin } from './origin.ts'
import { ServingFollower } from './serving-follower.ts'

/** Interval at which the state is written if nothing else has changed. */
const STATE_EVERY_MS = SECOND

const Formats = z.object({ format: z.int(), serving_format: z.int() })
type Formats = z.infer<typeof Formats>
const OWN_FORMATS: Formats = { format: MANIFEST_FORMAT, serving_format: SERVING_FORMAT }

/** A manifest, and the hash of all of it, also of what this version does not know. */
interface FoundManifest {
  manifest: PublishedManifest
  hash: string
}

/**
 * Keeps a copy of what a registry publishes: the serving store commit by commit, the snapshot and the search
 * file as they come. The API of this folder needs no message: it notices newer files, as it does beside a
 * writer.
 */
export class Follower {
  readonly #parts: FollowerParts
  readonly #serving: ServingFollower
  readonly #files: FileFollower
  readonly #log: LogWatch
  /** The last manifest, or why it cannot be followed. */
  #found: FoundManifest | Error | undefined
  #isWarned = false
  #caughtUpAt: Instant | undefined
  #writtenAt = 0

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#serving = new ServingFollower(parts)
    this.#files = new FileFollower(parts)
    this.#log = new LogWatch(parts.origin, parts.paths, parts.logKey)
    const stored = this.#serving.isEmpty ? undefined : readReplicaState(parts.paths)
    if (stored?.origin === parts.origin.name && stored.caught_up_at !== null)
      this.#caughtUpAt = Date.parse(stored.caught_up_at)
  }

  /** Copies what is new. Rejects with the error; the next call continues where this one ended. */
  async follow(): Promise<void> {
    try {
      await this.#follow()
      await this.#files.failure
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error))
      throw error
    }
  }

  /** Resolves when the snapshot and the search file are those of the last manifest too. */
  async settle(): Promise<void> {
    await this.#files.settle()
  }

  async close(): Promise<void> {
    await this.#files.settle().catch(() => undefined)
    await this.#serving.close()
  }

  async #follow(): Promise<void> {
    const { origin, paths, clock } = this.#parts
    const askedAt = clock.now()
    const text = await origin.readManifest()
    if (text !== undefined) this.#found = readManifest(text, origin)
    if (this.#found instanceof Error) throw this.#found
    if (this.#found === undefined) throw new Error(`${origin.name} has no manifest yet`)
    const { manifest, hash } = this.#found
    await this.#log.check(manifest, hash)
    if (this.#log.key === undefined) this.#warnUnsigned()
    if (text !== undefined && !this.#files.isCopying)
      removeAbandonedCopies(paths.copying, listPublishedFiles(manifest))
    // An empty replica answers nothing yet, so all its files are copied at once.
    if (this.#serving.isEmpty) this.#files.follow(manifest)
    await this.#serving.follow(manifest)
    this.#files.follow(manifest)
    this.#caughtUpAt = askedAt
    if (text !== undefined || clock.now() - this.#writtenAt >= STATE_EVERY_MS) this.#tell()
  }

  #warnUnsigned(): void {
    if (this.#isWarned) return
    this.#isWarned = true
    const { origin, log } = this.#parts
    log.warn({ origin: origin.name }, 'what is followed is not signed, for its registry has no log')
  }

  #tell(problem?: string): void {
    const { origin, paths, clock } = this.#parts
    const manifest = this.#found instanceof Error ? undefined : this.#found?.manifest
    const state: ReplicaState = {
      origin: origin.name,
      ...(manifest?.base_url !== undefined && { base_url: manifest.base_url }),
      seq: this.#serving.seq,
      origin_seq: manifest?.seq ?? 0,
      ...(this.#log.key !== undefined && { log_key: this.#log.key }),
      caught_up_at: this.#caughtUpAt === undefined ? null : toIso(this.#caughtUpAt),
      ...(problem !== undefined && { problem }),
    }
    writeReplicaState(paths, state)
    this.#writtenAt = clock.now()
  }
}

/** Parses a manifest; returns an error with a sentence if this version cannot follow it. */
function readManifest(text: string, { name }: Origin): FoundManifest | Error {
  const content = parseJson(text)
  const formats = Formats.safeParse(content).data
  const [theirs, ours] = [formats && describeFormat(formats), describeFormat(OWN_FORMATS)]
  if (theirs !== undefined && theirs !== ours)
    return new Error(
      `${name} publishes format ${theirs}, and this version reads ${ours}: update the older of the two`,
    )
  const parsed = PublishedManifest.safeParse(content)
  if (parsed.data === undefined) return new Error(`${name} has no valid manifest`)
  if (parsed.data.spaces.join() !== spaces.join())
    return new Error(`${name} publishes other key spaces than this version reads: update the older`)
  const missing = findMissingCommits(parsed.data)
  if (missing !== undefined) return new Error(`the manifest of ${name} has a gap: ${missing}`)
  return { manifest: parsed.data, hash: hashManifest(content as object) }
}

function describeFormat({ format, serving_format }: Formats): string {
  return `${format}.${serving_format}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
