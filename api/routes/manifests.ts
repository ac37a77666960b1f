import { z } from 'zod'
import { type Domain, stripWww } from '../../pipeline/core/domain.ts'
import { type FileKind, fileKinds } from '../../pipeline/model/observation.ts'
import { ManifestLookup } from '../../pipeline/model/responses/manifests.ts'
import { findFileFreshness } from '../../pipeline/read/lookups/stored.ts'
import { findManifestReference } from '../../pipeline/read/queries/manifests.ts'
import type { Snapshot } from '../../pipeline/read/reader.ts'
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
      {
        success: found,
        found,
        ...(found && { reference }),
        ...(snapshot && !found && (await findMeant(snapshot, type, domain))),
        freshness,
      },
      buildSeqHeader(snapshot),
    )
  },
})

/** Finds the domain without `www.`, as a member of the answer about one without a manifest. */
async function findMeant(snapshot: Snapshot, type: FileKind, domain: Domain) {
  const meant = stripWww(domain)
  const isKnown =
    meant !== undefined && (await findManifestReference(snapshot, type, meant)) !== undefined
  return isKnown ? { did_you_mean: [meant] } : {}
}
