import { z } from 'zod'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { SNAPSHOT_KEY } from '../../pipeline/core/surrogate-keys.ts'
import { isUrl, parseSource, type Source } from '../../pipeline/model/observation.ts'
import { type ProposedKind, proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { type FileBytes, readFileBytes } from '../../pipeline/read/queries/file-bytes.ts'
import { defineOperation } from '../operation/operation.ts'
import { getSnapshot } from '../responses/lists.ts'
import type { Sent } from '../responses/reply.ts'
import { toShownText } from './shown-text.ts'
import { isTooLong, mayBePersonal, WITHHELD_REASON } from './withheld-file.ts'

const LOCATION_CHARS = 2_048

/**
 * Serves a file byte for byte as the crawler fetched it, as text that no browser treats as a page. Contact
 * data of people is left out, even though its site publishes it, and a header says so.
 */
export const rawFile = defineOperation({
  id: 'rawFile',
  method: 'GET',
  path: '/file/:kind/:location',
  summary: 'Get a file as it was last read',
  access: 'public',
  cache: 'revalidate',
  dependsOn: [SNAPSHOT_KEY],
  queriesSnapshot: true,
  cacheKey: () => '',
  isPage: true,
  params: z.object({
    kind: z.enum(proposedKinds).describe('Kind of the file'),
    location: z
      .string()
      .max(LOCATION_CHARS)
      .describe('A domain (the well-known place) or the https URL of the file'),
  }),
  reply: { 200: { type: 'text/plain' } },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: async ({ params: { kind, location }, services: { reader, config } }) => {
    const source = findSource(kind, location)
    const snapshot = getSnapshot(reader)
    const maxBytes = config.LIMITS.adagentsBytes
    const found = source && snapshot && (await readFileBytes(reader, snapshot, source, maxBytes))
    if (!found) return refuse('not_found', 'the registry has no copy of this file')
    return replyFile(source, found)
  },
})

function findSource(kind: ProposedKind, location: string): Source | undefined {
  if (isUrl(location)) return parseSource(kind, location)
  const domain = parseDomain(location)
  return domain && { kind, location: domain }
}

function replyFile({ kind, location }: Source, { bytes, sha256 }: FileBytes): Sent {
  const name = `${location.replace(/[^\w.-]+/g, '-').slice(0, 100)}-${kind}`
  const headers = {
    'content-disposition': `inline; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  }
  const type = 'text/plain; charset=utf-8'
  const text = bytes.toString('utf8')
  if (!mayBePersonal(text)) return { status: 200, body: bytes, type, etag: sha256, headers }
  if (isTooLong(bytes.length)) return refuse('not_found', WITHHELD_REASON)
  const shown = toShownText(text)
  if (shown.isComplete) return { status: 200, body: bytes, type, etag: sha256, headers }
  const omitted = { ...headers, 'x-registry-omitted': 'contacts' }
  return { status: 200, body: shown.text, type, headers: omitted }
}
