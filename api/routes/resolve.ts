import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { lookUpIdentifiers, unknownIdentifiers } from '../../pipeline/index/queries/identifiers.ts'
import { ResolvedIdentifiers } from '../../pipeline/model/answers-catalog.ts'
import { seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const IDENTIFIERS = 10_000
const CHARS = 2_048

const provenances = [
  'agency_allowlist',
  'publisher_declaration',
  'impression_log',
  'ssp_inventory',
  'deal_history',
  'crawl',
  'data_partner',
  'member_assertion',
] as const

const part = z.string().trim().min(1, 'must not be empty').max(CHARS)

export const resolveIdentifiers = operation({
  id: 'resolveIdentifiers',
  method: 'POST',
  path: '/api/registry/resolve',
  group: 'Property Resolution',
  summary: 'Which properties identifiers belong to',
  description:
    'With `mode` `lookup` one answer an identifier, in their order; an unknown one is `excluded` and ' +
    'counted as `not_found`. `resolve`, which would take unknown ones into the catalog, is refused.',
  access: 'public',
  cache: 'none',
  body: z.object({
    identifiers: z
      .array(z.object({ type: part, value: part }))
      .min(1)
      .max(IDENTIFIERS),
    provenance: z.object({ type: z.enum(provenances), context: z.unknown().optional() }),
    mode: z.enum(['resolve', 'lookup']).default('resolve'),
  }),
  reply: { 200: ResolvedIdentifiers },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type'],
  handle: async ({ body: { identifiers, mode }, services: { reader } }) => {
    if (mode === 'resolve') {
      return refuse('invalid_request', 'mode: must be lookup: nothing is taken in this way yet')
    }
    const { snapshot } = reader
    const resolved = snapshot
      ? await lookUpIdentifiers(snapshot, identifiers)
      : unknownIdentifiers(identifiers)
    const found = resolved.filter(({ status }) => status === 'existing').length
    const summary = {
      total: resolved.length,
      resolved: found,
      ...{ created: 0, excluded: 0 },
      not_found: resolved.length - found,
    }
    return ok({ resolved, summary, server_timestamp: isoOf(reader.now()) }, seqHeader(snapshot))
  },
})
