import { z } from 'zod'
import { countThings } from '../../pipeline/core/counts.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import {
  LogCheckpoint,
  LogConsistency,
  LogInclusion,
} from '../../pipeline/model/responses/event-log.ts'
import {
  findLeafIndex,
  readConsistencyProof,
  readInclusionProof,
  readSignedHead,
  type SignedHead,
} from '../../pipeline/read/lookups/event-log.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { defineOperation } from '../operation/operation.ts'
import { replyOk } from '../responses/reply.ts'

const place = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .optional()
const eventId = z
  .uuid()
  .transform(id => id.toLowerCase())
  .optional()

export const readLogCheckpoint = defineOperation({
  id: 'readLogCheckpoint',
  method: 'GET',
  path: '/api/log/checkpoint',
  group: 'Change Feed',
  summary: 'Read the signed head of the log',
  description:
    'Every event of the feed is a leaf of a Merkle tree (C2SP tlog-tiles, below `/log/`). Store this response: if a later one does not continue it, history was rewritten.',
  access: 'public',
  cache: 'unshared',
  reply: { 200: LogCheckpoint },
  errors: ['not_found'],
  handle: async ({ services: { reader } }) => {
    const { head, key, note } = await findHead(reader)
    return replyOk({ origin: head.origin, size: head.size, root: encode(head.root), key, note })
  },
})

export const proveInclusion = defineOperation({
  id: 'proveInclusion',
  method: 'GET',
  path: '/api/log/inclusion',
  group: 'Change Feed',
  summary: 'Prove that an event is in the log',
  description:
    'Name the event by `event_id` or by `index`. Hash the entry, then combine the result with each hash of the proof in turn. ' +
    'The final hash must be the root (RFC 9162, section 2.1.3.2).',
  access: 'public',
  cache: 'unshared',
  query: z.object({
    event_id: eventId.meta({
      description: 'ID of the event in the feed, a UUID v7',
    }),
    index: place.meta({ description: 'Index of an event in the log, from 0', type: 'string' }),
    size: place.meta({
      description:
        'Number of events in the tree that the proof is for; defaults to the current tree',
      type: 'string',
    }),
  }),
  reply: { 200: LogInclusion },
  errors: ['invalid_request', 'not_found'],
  handle: async ({ query, services: { reader } }) => {
    if ((query.event_id === undefined) === (query.index === undefined))
      refuse('invalid_request', 'event_id: specify either `event_id` or `index`')
    const { head, note } = await findHead(reader)
    const size = checkSize('size', query.size ?? head.size, head.size)
    const index =
      query.index ?? findLeafIndex(reader.paths, size, requireValue(query.event_id, 'event_id'))
    if (index === undefined || index >= size)
      return refuse(
        'not_found',
        `the log has ${countThings(size, 'event')}; ${index === undefined ? 'this one is not among them' : `there is none at index ${index}`}`,
      )
    const { leafHash, proof, entry } = await readInclusionProof(
      reader.paths,
      index,
      size,
      head.size,
    )
    const { toRoot } = await readConsistencyProof(reader.paths, size, size, head.size)
    const body = { index, size, leaf_hash: encode(leafHash), proof: proof.map(encode) }
    return replyOk({ ...body, root: encode(toRoot), entry, note })
  },
})

export const proveConsistency = defineOperation({
  id: 'proveConsistency',
  method: 'GET',
  path: '/api/log/consistency',
  group: 'Change Feed',
  summary: 'Prove that the log is append-only',
  description:
    '`from` is the size of a head that you have stored. The proof yields its root and the ' +
    'current one (RFC 9162, section 2.1.4.2), unless earlier history was changed.',
  access: 'public',
  cache: 'unshared',
  query: z.object({
    from: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1')
      .transform(Number)
      .meta({ description: 'Number of events in the earlier tree', type: 'string' }),
    to: place.meta({
      description: 'Number of events in the later tree; defaults to the current tree',
      type: 'string',
    }),
  }),
  reply: { 200: LogConsistency },
  errors: ['invalid_request', 'not_found'],
  handle: async ({ query, services: { reader } }) => {
    const { head, note } = await findHead(reader)
    const to = checkSize('to', query.to ?? head.size, head.size)
    if (query.from > to)
      refuse('invalid_request', `from: must not exceed ${to}, the size of the later tree`)
    const found = await readConsistencyProof(reader.paths, query.from, to, head.size)
    const roots = { from_root: encode(found.fromRoot), to_root: encode(found.toRoot) }
    return replyOk({ from: query.from, to, ...roots, proof: found.proof.map(encode), note })
  },
})

async function findHead({ paths }: Reader): Promise<SignedHead> {
  const found = await readSignedHead(paths)
  return found ?? refuse('not_found', 'this registry has no event log yet')
}

function checkSize(field: string, size: number, current: number): number {
  if (size >= 1 && size <= current) return size
  return refuse('invalid_request', `${field}: must be from 1 to ${current}`)
}

function encode(hash: Buffer): string {
  return hash.toString('base64')
}
