import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { MINUTE, SECOND } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'

/** Bytes of one part of a large file; an object has at most 10,000 parts. */
const PART_BYTES = 16 * 1024 * 1024

/** Says how an object is served. */
export interface ObjectHeaders {
  type: string
  caching: string
}

/** An object as it was read. */
export interface StoredObject {
  content: Buffer
  etag: string | undefined
}

/**
 * A bucket of objects by name, below the prefix of its address. Failures are thrown; every call may be
 * repeated.
 */
export interface Bucket {
  /** Its address, for people. */
  name: string
  /** Lists the objects whose names have this prefix, with their sizes. */
  list(prefix: string): Promise<Map<string, number>>
  /** Reads a small object, in a storage of others of at most `maxBytes`; undefined where there is none. */
  read(name: string, maxBytes?: number): Promise<Buffer | undefined>
  /** Reads an object of at most `maxBytes`, unless it still has this ETag; then undefined. */
  readNewer(
    name: string,
    etag: string | undefined,
    maxBytes: number,
  ): Promise<StoredObject | undefined>
  /** Reads bytes of an object from `first` to `last`, which is included. */
  readRange(name: string, first: number, last: number): Promise<Buffer>
  /** Writes an object in one step: until it is whole, readers find the one before. */
  write(name: string, content: Uint8Array, headers: ObjectHeaders): Promise<void>
  /** Writes a file of any size as an object, also in one step. */
  writeFile(name: string, path: string, headers: ObjectHeaders): Promise<void>
  /** Copies an object of any size to a file. */
  copyTo(name: string, path: string): Promise<void>
  remove(name: string): Promise<void>
}

/**
 * Opens a bucket of an object storage that speaks S3. Its endpoint, region and credentials are those that the
 * AWS SDK finds in the environment. `signal` ends what is under way.
 */
export function openBucket(address: string, signal: AbortSignal): Bucket {
  const [, bucket, path] = requireValue(
    /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(address),
    'bucket address',
  )
  const root = path === '' ? '' : `${path}/`
  const client = new S3Client({
    // Other servers than AWS address buckets by path, and may reject checksums that the protocol does not require.
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5 * SECOND, requestTimeout: 2 * MINUTE },
  })
  const locate = (name: string) => ({ Bucket: bucket, Key: `${root}${name}` })
  const describe = (name: string, { type, caching }: ObjectHeaders) => ({
    ...locate(name),
    ContentType: type,
    CacheControl: caching,
  })
  const options = { abortSignal: signal }
  const get = async (
    name: string,
    how: { Range?: string; IfNoneMatch?: string } = {},
    maxBytes = Infinity,
  ) => {
    const ask = new GetObjectCommand({ ...locate(name), ...how })
    const { Body, ETag: etag } = await client.send(ask, options)
    return { content: await readAtMost(Body as Readable, maxBytes, name), etag }
  }
  return {
    name: address,
    async list(prefix) {
      const found = new Map<string, number>()
      const ask = { Bucket: bucket, Prefix: `${root}${prefix}` }
      for await (const page of paginateListObjectsV2({ client }, ask, options))
        for (const { Key = '', Size = 0 } of page.Contents ?? [])
          found.set(Key.slice(root.length), Size)
      return found
    },
    async read(name, maxBytes) {
      try {
        return (await get(name, {}, maxBytes)).content
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    async readNewer(name, etag, maxBytes) {
      try {
        return await get(name, etag === undefined ? {} : { IfNoneMatch: etag }, maxBytes)
      } catch (error) {
        const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
        if ($metadata?.httpStatusCode === 304) return undefined
        throw error
      }
    },
    async readRange(name, first, last) {
      return (await get(name, { Range: `bytes=${first}-${last}` }, last - first + 1)).content
    },
    async write(name, content, headers) {
      const put = new PutObjectCommand({ ...describe(name, headers), Body: content })
      await client.send(put, options)
    },
    async writeFile(name, path, headers) {
      const params = { ...describe(name, headers), Body: createReadStream(path) }
      const upload = new Upload({ client, params, partSize: PART_BYTES })
      signal.addEventListener('abort', () => void upload.abort(), { once: true })
      signal.throwIfAborted()
      await upload.done()
    },
    async copyTo(name, path) {
      const { Body } = await client.send(new GetObjectCommand(locate(name)), options)
      await pipeline(Body as Readable, createWriteStream(path))
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(locate(name)), options)
    },
  }
}

/** Reads a body, and gives it up as soon as it is larger than it may be: a storage may answer with anything. */
async function readAtMost(body: Readable, maxBytes: number, name: string): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  // Leaving the loop ends the connection.
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxBytes)
      throw new Error(`${name} is larger than the ${maxBytes} bytes that are read`)
    parts.push(part)
  }
  return Buffer.concat(parts, bytes)
}
