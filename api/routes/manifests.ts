import { z } from 'zod'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import { manifestReference } from '../../pipeline/index/queries/manifests.ts'
import { ManifestLookup } from '../../pipeline/model/answers-manifests.ts'
import { fileKinds } from '../../pipeline/model/observation.ts'
import { PastedDomain } from '../fields.ts'
import { seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

export const lookUpManifest = operation({
  id: 'lookUpManifest',
  method: 'GET',
  path: '/api/manifest-refs/lookup',
  group: 'Search',
  summary: 'Where the manifest of a domain is',
  description:
    'The file at the well-known place, the one it leads to, or the agent that speaks for the brand. ' +
    'A domain without any answers 200 with `found` false.',
  access: 'public',
  cache: 'list',
  query: z.object({ domain: PastedDomain, type: z.enum(fileKinds).default('brand.json') }),
  reply: { 200: ManifestLookup },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { domain, type }, services: { reader } }) => {
    const { snapshot } = reader
    const reference = snapshot && (await manifestReference(snapshot, type, domain))
    const found = reference !== undefined
    const freshness = freshnessOf(reader, type, domain)
    return ok(
      { success: found, found, ...(found && { reference }), freshness },
      seqHeader(snapshot),
    )
  },
})
