import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { toSentence } from '../../../pipeline/core/error-sentence.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { provenances } from '../../../pipeline/model/contribution.ts'
import {
  type ResolvedIdentifier,
  ResolvedIdentifiers,
} from '../../../pipeline/model/responses/catalog.ts'
import {
  buildUnknownIdentifiers,
  findIdentifiers,
} from '../../../pipeline/read/queries/identifiers.ts'
import {
  findOwnMembership,
  requireEditor,
  requireWritingKey,
} from '../../auth/organization-access.ts'
import { explainIdentifierFault, listedTypes } from '../../inputs/identifier.ts'
import { saveLimits } from '../../limits/save-quota.ts'
import { defineOperation } from '../../operation/operation.ts'
import { buildSeqHeader, getSnapshot } from '../../responses/lists.ts'
import { replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'
import { contribute } from './contribute.ts'

const IDENTIFIERS_MAX = 10_000
const IDENTIFIER_CHARS_MAX = 2_048

const part = z.string().trim().min(1, 'must not be empty').max(IDENTIFIER_CHARS_MAX)
const type = part.meta({
  ...listedTypes,
  description: 'Type of identifier, such as `domain` or `ios_bundle`',
})
const value = part.describe('The identifier itself')

export const resolveIdentifiers = defineOperation({
  id: 'resolveIdentifiers',
  limits: saveLimits,
  method: 'POST',
  path: '/api/registry/resolve',
  group: 'Property Resolution',
  summary: 'Resolve identifiers to properties',
  description:
    '`mode=lookup` returns one result per identifier, in the given order; unknown identifiers are `excluded` and counted as `not_found`. `mode=resolve` requires a credential, counts as a save, ' +
    'and adds unknown identifiers to the catalog, except hosts of advertising systems.',
  access: 'optional',
  writes: true,
  cache: 'none',
  body: z.object({
    identifiers: z
      .array(z.object({ type, value }))
      .min(1)
      .max(IDENTIFIERS_MAX)
      .describe('Identifiers, at most 10,000 at a time'),
    provenance: z
      .object({
        type: z.enum(provenances).describe('Type of source that the identifiers come from'),
        context: z.unknown().optional().describe('Details about the source; not stored'),
      })
      .describe('Where the identifiers come from'),
    mode: z
      .enum(['resolve', 'lookup'])
      .default('resolve')
      .describe('`resolve` adds unknown identifiers to the catalog, `lookup` does not'),
  }),
  reply: { 200: ResolvedIdentifiers },
  responseHeaders: ['X-Registry-Seq'],
  errors: [...writeErrors, 'unauthenticated', 'rate_limited'] as const,
  handle: async ({ body: { identifiers, provenance, mode }, principal, services }) => {
    const { reader } = services
    const snapshot = getSnapshot(reader)
    if (mode === 'resolve') {
      if (principal === undefined) {
        return refuse('unauthenticated', 'mode resolve requires a credential; lookup does not')
      }
      requireWritingKey(principal)
      const membership = findOwnMembership(principal)
      if (membership) requireEditor(membership)
    }
    const found = snapshot
      ? await findIdentifiers(snapshot, identifiers)
      : buildUnknownIdentifiers(identifiers)
    const origin = { provenance: provenance.type, since: snapshot?.seq ?? 0 }
    const { resolved, headers } =
      mode === 'resolve' && principal
        ? await contribute(found, { principal, ...origin }, services)
        : { resolved: found, headers: {} }
    const count = (status: string) => resolved.filter(answer => answer.status === status).length
    const [existing, created, excluded] = [count('existing'), count('created'), count('excluded')]
    const left =
      mode === 'resolve' ? { excluded, not_found: 0 } : { excluded: 0, not_found: excluded }
    const summary = { total: resolved.length, resolved: existing + created, created, ...left }
    return replyOk(
      { resolved: resolved.map(withFault), summary, server_timestamp: toIso(reader.now()) },
      { ...buildSeqHeader(snapshot), ...headers },
    )
  },
})

/** Adds to an identifier without a property why it can have none, where it was mistyped. */
function withFault(answer: ResolvedIdentifier): ResolvedIdentifier {
  const fault = answer.status === 'excluded' ? explainIdentifierFault(answer.identifier) : undefined
  return fault === undefined ? answer : { ...answer, error: toSentence(fault) }
}
