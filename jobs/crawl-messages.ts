import { randomUUID } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { CrawlTarget, Observation } from '../pipeline/model/observation.ts'
import { REDIS_PREFIX, type Redis } from './redis.ts'

/** Parts of a message whose job is lost expire after this. */
const PARTS_TTL_S = 86_400

export interface CrawlMessage {
  targets: CrawlTarget[]
}

/**
 * Observations on their way to the sequencer: gzip in base64, JSON followed by the raw bodies. What
 * does not fit into one message is stored in keys of its own, each as large as a message may be.
 */
export interface ObservationsMessage {
  payload: string
  parts: string[]
  /** Bytes after unpacking. */
  bytes: number
}

/** Packs observations into messages of at most `maxBytes` each; only a single large one has parts. */
export async function packObservations(
  observations: readonly Observation[],
  maxBytes: number,
  redis: Redis,
): Promise<ObservationsMessage[]> {
  if (observations.length === 0) return []
  const { packed, bytes } = pack(observations)
  if (packed.length <= maxBytes) return [{ payload: packed, parts: [], bytes }]
  if (observations.length > 1) {
    const middle = observations.length >> 1
    return [
      ...(await packObservations(observations.slice(0, middle), maxBytes, redis)),
      ...(await packObservations(observations.slice(middle), maxBytes, redis)),
    ]
  }
  const parts: string[] = []
  for (let start = maxBytes; start < packed.length; start += maxBytes) {
    const key = `${REDIS_PREFIX}:part:${randomUUID()}`
    await redis.set(key, packed.slice(start, start + maxBytes), 'EX', PARTS_TTL_S)
    parts.push(key)
  }
  return [{ payload: packed.slice(0, maxBytes), parts, bytes }]
}

/** Throws when a part is missing: the files of the message are fetched again when they are due. */
export async function unpackObservations(
  { payload, parts }: ObservationsMessage,
  redis: Redis,
): Promise<Observation[]> {
  const rest = parts.length === 0 ? [] : await redis.mget(parts)
  if (rest.some(part => part === null)) throw new Error('a part of the message is gone')
  return unpack(payload + rest.join(''))
}

/**
 * Packs observations: length of the JSON, the JSON with the length of each body, the bodies. Cheaper than
 * escaping bodies.
 */
function pack(observations: readonly Observation[]): { packed: string; bytes: number } {
  const bodies: Uint8Array[] = []
  const entries = observations.map(({ body, ...rest }) => {
    if (body === undefined) return rest
    bodies.push(body)
    return { ...rest, body_bytes: body.length }
  })
  const json = Buffer.from(JSON.stringify(entries))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(json.length)
  const unpacked = Buffer.concat([head, json, ...bodies])
  return { packed: gzipSync(unpacked, { level: 1 }).toString('base64'), bytes: unpacked.length }
}

function unpack(packed: string): Observation[] {
  const bytes = gunzipSync(Buffer.from(packed, 'base64'))
  let at = 4 + bytes.readUInt32BE()
  const entries = JSON.parse(bytes.toString('utf8', 4, at)) as (Observation & {
    body_bytes?: number
  })[]
  return entries.map(({ body_bytes, ...rest }) => {
    if (body_bytes === undefined) return rest
    at += body_bytes
    return { ...rest, body: bytes.subarray(at - body_bytes, at) }
  })
}

export async function dropParts({ parts }: ObservationsMessage, redis: Redis): Promise<void> {
  if (parts.length > 0) await redis.del(parts)
}
