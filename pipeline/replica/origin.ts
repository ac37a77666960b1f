import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fetcher, FetchOptions } from '../fetch/http.ts'
import type { Bucket } from './bucket.ts'
import { FILES, MANIFEST, MANIFEST_BYTES_MAX } from './manifest.ts'

/**
 * Reads published files. Throws an error with a sentence if a file cannot be read; the follower tries again.
 */
export interface Origin {
  /** Its address, for people. */
  name: string
  /** Reads the manifest as text; undefined while it is the one that was read before. */
  readManifest(): Promise<string | undefined>
  /** Reads bytes of a file from `first` to `last`, which is included. */
  readRange(name: string, first: number, last: number): Promise<Buffer>
  /**
   * Reads a file of the log of events, of at most `maxBytes` (64 KiB by default, more than any check of a head
   * needs); undefined where there is none.
   */
  readLogFile(name: string, maxBytes?: number): Promise<Buffer | undefined>
}

/** Folder of the log of events, beside the manifest; an API has it at its root. */
const LOG = 'log'
const LOG_FILE_BYTES_MAX = 64 * 1024
const MANIFEST_MS = 10_000
const LOG_FILE_MS = 60_000
const PART_MS = 120_000

/** Says why a place has no manifest. */
function describeUnpublished(place: string): string {
  return `${place} publishes nothing to follow: the operator of the registry has to set PUBLISH_TO`
}

/** Opens a folder that a registry publishes to, or a mirror of it. */
export function openFolderOrigin(folder: string): Origin {
  let lastMark = ''
  const file = join(folder, MANIFEST)
  return {
    name: folder,
    async readManifest() {
      const { mtimeMs, size, ino } = await stat(file).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new Error(describeUnpublished(folder)) : error
      })
      const mark = `${mtimeMs} ${size} ${ino}`
      if (mark === lastMark) return undefined
      if (size > MANIFEST_BYTES_MAX) throw new Error(`${file} is larger than any manifest`)
      const text = await readFile(file, 'utf8')
      lastMark = mark
      return text
    },
    readLogFile: name =>
      readFile(join(folder, LOG, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      }),
    async readRange(name, first, last) {
      const handle = await open(join(folder, FILES, name))
      try {
        const buffer = Buffer.alloc(last - first + 1)
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, first)
        return buffer.subarray(0, bytesRead)
      } finally {
        await handle.close()
      }
    },
  }
}

/** Opens a bucket that a registry publishes to, or a mirror of it. */
export function openBucketOrigin(bucket: Bucket): Origin {
  let etag: string | undefined
  const explain = (file: string) => (error: unknown) => {
    throw new Error(`${bucket.name}/${file}: ${error instanceof Error ? error.message : error}`)
  }
  return {
    name: bucket.name,
    async readManifest() {
      const found = await bucket
        .readNewer(MANIFEST, etag, MANIFEST_BYTES_MAX)
        .catch(explain(MANIFEST))
      if (found === undefined) return undefined
      etag = found.etag
      return found.content.toString()
    },
    readLogFile: (file, maxBytes = LOG_FILE_BYTES_MAX) =>
      bucket.read(`${LOG}/${file}`, maxBytes).catch(explain(file)),
    readRange: (file, first, last) =>
      bucket.readRange(`${FILES}/${file}`, first, last).catch(explain(file)),
  }
}

/**
 * Opens the published files of an API, or any web server with a copy of them: `url` is that of the API, or
 * that of the manifest. The operator names it, so it may be in a private network; redirects are not followed.
 */
export function openHttpOrigin(fetcher: Fetcher, url: string): Origin {
  const manifest = url.endsWith('.json') ? url : `${url.replace(/\/+$/, '')}/data/${MANIFEST}`
  const log = url.endsWith('.json')
    ? new URL(LOG, manifest).href
    : `${url.replace(/\/+$/, '')}/${LOG}`
  const { protocol, hostname } = new URL(manifest)
  const operated = fetcher.for({ kind: 'operator' })
  const ask: Omit<FetchOptions, 'maxBytes' | 'deadlineMs'> = {
    redirects: 'none',
    maxRedirects: 0,
    accept: '*/*',
    allow: { http: protocol === 'http:', anyPort: true, privateHost: hostname },
  }
  let etag: string | undefined
  return {
    name: url,
    async readManifest() {
      const limits = { maxBytes: MANIFEST_BYTES_MAX, deadlineMs: MANIFEST_MS }
      const fetched = await operated.fetchDocument(manifest, { ...ask, ...limits, etag })
      if (fetched.kind === 'unchanged') return undefined
      if (fetched.kind === 'failed')
        throw new Error(
          fetched.status === 404 ? describeUnpublished(url) : `${manifest}: ${fetched.detail}`,
        )
      etag = fetched.etag
      return fetched.body.toString()
    },
    async readLogFile(name, maxBytes = LOG_FILE_BYTES_MAX) {
      const place = `${log}/${name}`
      const limits = { maxBytes, deadlineMs: LOG_FILE_MS }
      const fetched = await operated.fetchDocument(place, { ...ask, ...limits })
      if (fetched.kind === 'ok') return fetched.body
      if (fetched.kind === 'failed' && fetched.status === 404) return undefined
      throw new Error(`${place}: ${fetched.kind === 'failed' ? fetched.detail : 'no body'}`)
    },
    async readRange(name, first, last) {
      const place = new URL(`${FILES}/${name}`, manifest).href
      const range = { first, last }
      const limits = { maxBytes: last - first + 1, deadlineMs: PART_MS }
      const fetched = await operated.fetchDocument(place, { ...ask, ...limits, range })
      if (fetched.kind !== 'ok')
        throw new Error(`${place}: ${fetched.kind === 'failed' ? fetched.detail : 'no body'}`)
      if (fetched.status === 200 && first > 0) throw new Error(`${place}: no ranges are served`)
      return fetched.body
    },
  }
}
