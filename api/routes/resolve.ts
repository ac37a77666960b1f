import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { lookUpIdentifiers, unknownIdentifiers } from '../../pipeline/index/queries/identifiers.ts'
import { ResolvedIdentifiers } from '../../pipeline/model/answers-catalog.ts'
import { provenances } from '../../pipeline/model/contribution.ts'
import { contribute } from '../contribute.ts'
import { seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const IDENTIFIERS = 10_000
const CHARS = 2_048

const part = z.string().trim().min(1, 'must not be empty').max(CHARS)

export const resolveIdentifiers = operation({
  id: 'resolveIdentifiers',
  method: 'POST',
  path: '/api/registry/resolve',
  group: 'Property Resolution',
  summary: 'Which properties identifiers belong to',
  description:
    'With `mode` `lookup` one answer an identifier, in their order; an unknown one is `excluded` and ' +
    'counted as `not_found`. `resolve` needs a credential and takes unknown ones into the catalog, but ' +
    'not hosts of advertising systems; it counts as a save.',
  access: 'optional',
  writes: true,
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
  errors: [
    ...(['invalid_request', 'unauthenticated', 'rate_limited', 'unavailable'] as const),
    ...(['too_large', 'unsupported_media_type'] as const),
  ],
  handle: async ({ body: { identifiers, provenance, mode }, principal, services }) => {
    const { reader } = services
    const { snapshot } = reader
    if (mode === 'resolve' && principal === undefined) {
      return refuse('unauthenticated', 'mode resolve needs a credential; lookup does not')
    }
    const found = snapshot
      ? await lookUpIdentifiers(snapshot, identifiers)
      : unknownIdentifiers(identifiers)
    const asked = { provenance: provenance.type, since: snapshot?.seq ?? 0 }
    const resolved =
      mode === 'resolve' && principal
        ? await contribute(found, { principal, ...asked }, services)
        : found
    const count = (status: string) => resolved.filter(one => one.status === status).length
    const [existing, created, excluded] = [count('existing'), count('created'), count('excluded')]
    const left =
      mode === 'resolve' ? { excluded, not_found: 0 } : { excluded: 0, not_found: excluded }
    const summary = { total: resolved.length, resolved: existing + created, created, ...left }
    return ok({ resolved, summary, server_timestamp: isoOf(reader.now()) }, seqHeader(snapshot))
  },
})
