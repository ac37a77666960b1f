import { z } from 'zod'
import { fileKinds } from '../../pipeline/model/observation.ts'
import { ManifestLookup } from '../../pipeline/model/responses/manifests.ts'
import { findFileFreshness } from '../../pipeline/read/lookups/stored.ts'
import { findManifestReference } from '../../pipeline/read/queries/manifests.ts'
import { PastedDomain } from '../inputs/fields.ts'
import { defineOperation } from '../operation/operation.ts'
import { buildSeqHeader, getSnapshot } from '../responses/lists.ts'
import { replyOk } from '../responses/reply.ts'

export const lookUpManifest = defineOperation({
  id: 'lookUpManifest',
  method: 'GET',
  path: '/api/manifest-refs/lookup',
  group: 'Search',
  summary: 'Look up a domain’s manifest',
  description:
    'Returns the file at the well-known URL, the file it points to, or the brand agent. If the domain has none, the response is 200 with `found` false.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  query: z.object({
    domain: PastedDomain,
    type: z.enum(fileKinds).default('brand.json').describe('File of the domain to look up'),
  }),
  reply: { 200: ManifestLookup },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { domain, type }, services: { reader } }) => {
    const snapshot = getSnapshot(reader)
    const reference = snapshot && (await findManifestReference(snapshot, type, domain))
    const found = reference !== undefined
    const freshness = findFileFreshness(reader, type, domain)
    return replyOk(
      { success: found, found, ...(found && { reference }), freshness },
      buildSeqHeader(snapshot),
    )
  },
})
