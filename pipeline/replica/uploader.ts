import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Instant, MINUTE } from '../core/clock.ts'
import { countThings, formatCount } from '../core/counts.ts'
import type { Paths } from '../store/paths.ts'
import { parseVerifierKey } from '../transparency/signed-note.ts'
import { HEAD, KEY } from '../transparency/tile-names.ts'
import { verifyHead } from '../transparency/tree-head.ts'
import type { Bucket, ObjectHeaders } from './bucket.ts'
import { copyTablesTo } from './data-tree.ts'
import { FILES, listPublishedFiles, MANIFEST, type PublishedManifest } from './manifest.ts'
import { PublishedFolder } from './published-folder.ts'
import { TileListing } from './tile-listing.ts'

const LOG = 'log'
/** Interval at which a bucket is asked whether it has what was uploaded, while nothing changes. */
const CHECK_EVERY_MS = MINUTE / 2
const BINARY = 'application/octet-stream'
const forEver: ObjectHeaders = { type: BINARY, caching: 'public, max-age=31536000, immutable' }
/** Entries are erased where their events are taken down. */
const forAMinute: ObjectHeaders = { type: BINARY, caching: 'public, max-age=60' }
const manifestHeaders: ObjectHeaders = { type: 'application/json', caching: 'public, no-cache' }
const noteHeaders: ObjectHeaders = {
  type: 'text/plain; charset=utf-8',
  caching: 'public, no-cache',
}

/**
 * Copies a published folder and the log to a bucket. The files that a manifest names are written before the
 * manifest, so after a crash at any point readers still find the previous one. Objects that already exist
 * with the same name and size are not written again; those that the folder no longer has are deleted.
 */
export class Uploader {
  readonly #root: string
  readonly #folder: PublishedFolder
  readonly #paths: Pick<Paths, 'log'>
  readonly #bucket: Bucket
  /** Objects in the bucket with their sizes; undefined until they were listed. */
  #stored: Map<string, number> | undefined
  readonly #tiles: TileListing
  readonly #clock: Clock
  #uploaded = ''
  #checkedAt: Instant = 0

  constructor(folder: string, paths: Pick<Paths, 'log'>, bucket: Bucket, clock: Clock) {
    this.#root = folder
    this.#folder = new PublishedFolder(folder)
    this.#paths = paths
    this.#tiles = new TileListing(paths.log)
    this.#bucket = bucket
    this.#clock = clock
  }

  /** Copies what is new. Rejects with the error; the next call continues where this one ended. */
  async upload(): Promise<void> {
    const manifest = this.#folder.readManifest()
    const text = `${JSON.stringify(manifest)}\n`
    if (manifest === undefined) return
    if (text === this.#uploaded && (await this.#isThere())) return
    const stored = this.#stored ?? (await this.#open(manifest))
    const tiles = await this.#uploadLog(manifest, stored)
    for (const { name, bytes } of listPublishedFiles(manifest)) {
      if (stored.get(`${FILES}/${name}`) === bytes) continue
      await this.#bucket.writeFile(`${FILES}/${name}`, this.#folder.getPath(name), forEver)
      stored.set(`${FILES}/${name}`, bytes)
    }
    await copyTablesTo(this.#root, this.#bucket)
    await this.#bucket.write(MANIFEST, Buffer.from(text), manifestHeaders)
    await this.#removeOld(stored, tiles)
    this.#uploaded = text
    this.#checkedAt = this.#clock.now()
  }

  /** Asks the bucket now and then for the manifest. Where it is another one, all else is looked for again too. */
  async #isThere(): Promise<boolean> {
    const now = this.#clock.now()
    if (now - this.#checkedAt < CHECK_EVERY_MS) return true
    const isSame = (await this.#bucket.read(MANIFEST))?.toString() === this.#uploaded
    if (!isSame) this.#stored = undefined
    this.#checkedAt = now
    return isSame
  }

  async #open(manifest: PublishedManifest): Promise<Map<string, number>> {
    await this.#checkLog(manifest)
    const [files, tiles] = [
      await this.#bucket.list(`${FILES}/`),
      await this.#bucket.list(`${LOG}/`),
    ]
    this.#stored = new Map([...files, ...tiles])
    return this.#stored
  }

  /** Refuses a bucket with the log of another registry, or with more events than this registry's log has. */
  async #checkLog({ log: note }: PublishedManifest): Promise<void> {
    const there = await this.#bucket.read(`${LOG}/${HEAD}`)
    if (there === undefined) return
    const refuse = (why: string) => new Error(`nothing is uploaded to ${this.#bucket.name}: ${why}`)
    if (note === undefined) throw refuse('it has a log of events, and this registry has none')
    const keyFile = join(this.#paths.log, KEY)
    const key = existsSync(keyFile) && parseVerifierKey(readFileSync(keyFile, 'utf8').trim())
    if (!key) throw refuse('the key of the log is missing')
    const [own, other] = [verifyHead(note, key), verifyHead(there.toString(), key)]
    if (typeof own === 'string') throw refuse(own)
    if (typeof other === 'string') throw refuse(`it has the log of another registry: ${other}`)
    if (other.size > own.size)
      throw refuse(
        `its log has ${countThings(other.size, 'event')}, and this registry's has ${formatCount(own.size)}`,
      )
  }

  /**
   * Copies the tiles, and last the head that the manifest names: tiles beyond it may be incomplete still, and
   * are copied again when they have another size. Returns the names of all tiles that exist.
   */
  async #uploadLog({ log: note, signature }: PublishedManifest, stored: Map<string, number>) {
    const { log } = this.#paths
    const tiles = new Set<string>()
    // The key signs manifests before the log has its first event.
    if (signature !== undefined)
      await this.#bucket.write(`${LOG}/${KEY}`, readFileSync(join(log, KEY)), noteHeaders)
    if (note === undefined) return tiles
    for (const [tile, bytes] of this.#tiles.list()) {
      const name = `${LOG}/${tile}`
      tiles.add(name)
      if (stored.get(name) === bytes) continue
      const caching = tile.startsWith('tile/entries/') ? forAMinute : forEver
      await this.#bucket.write(name, readFileSync(join(log, tile)), caching)
      stored.set(name, bytes)
    }
    await this.#bucket.write(`${LOG}/${HEAD}`, Buffer.from(note), noteHeaders)
    return tiles
  }

  async #removeOld(stored: Map<string, number>, tiles: Set<string>): Promise<void> {
    const files = new Set(this.#folder.list().map(name => `${FILES}/${name}`))
    const texts = [`${LOG}/${KEY}`, `${LOG}/${HEAD}`]
    for (const name of stored.keys()) {
      if (files.has(name) || tiles.has(name) || texts.includes(name)) continue
      await this.#bucket.remove(name)
      stored.delete(name)
    }
  }
}
