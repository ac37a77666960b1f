import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { POLICIES_KEY } from '../../../pipeline/core/surrogate-keys.ts'
import {
  enforcements,
  PolicyContent,
  policyCategories,
  policyFields,
} from '../../../pipeline/model/policy.ts'
import {
  PoliciesResolved,
  Policy,
  PolicyHistory,
  PolicyList,
  PolicySaved,
} from '../../../pipeline/model/responses/policies.ts'
import { findHistory } from '../../../pipeline/read/lookups/history.ts'
import { findPolicy } from '../../../pipeline/read/lookups/records.ts'
import { listPolicies } from '../../../pipeline/read/queries/policies.ts'
import { toEditor } from '../../auth/editor.ts'
import { createPageSize, pageCursor, pageOffset } from '../../inputs/fields.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation } from '../../operation/operation.ts'
import {
  buildPageEnd,
  buildSeqHeader,
  fitItems,
  getSnapshot,
  LIST_BYTES,
} from '../../responses/lists.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'
import { createRevisionLimit, revisionOffset } from './history.ts'

const PAGE_ROWS_DEFAULT = 20
const PAGE_ROWS_MAX = 1_000
const HISTORY_ROWS_MAX = 100
const BULK_POLICIES_MAX = 100
/** Maximum bytes of an answer; callers refuse a longer one. */
const POLICY_BYTES = 200 * 1024

const word = z.string().trim().max(200).optional()
const asId = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(255)
  .describe('ID of the policy, such as `gdpr`')

export const listRegisteredPolicies = defineOperation({
  id: 'listPolicies',
  method: 'GET',
  path: '/api/policies/registry',
  group: 'Policy Registry',
  summary: 'List policies',
  description:
    'Returns approved policies without their texts, sorted by category and name. `stats` counts all that match the filters. A policy without jurisdictions and regions applies everywhere.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: z.object({
    search: word.meta({ description: 'Words in the name or the description, or part of the ID' }),
    category: z.enum(policyCategories).optional().describe('Only laws, or only standards'),
    enforcement: z.enum(enforcements).optional().describe('Only policies with this enforcement'),
    jurisdiction: word.meta({
      description:
        'Only policies that apply in this jurisdiction: by name, by its region, or everywhere',
    }),
    policy_category: word.describe('Only policies that apply to this industry'),
    vertical: word.meta({ description: 'Another name for `policy_category`' }),
    domain: word.meta({ description: 'Only policies in this governance domain' }),
    limit: createPageSize({ defaultSize: PAGE_ROWS_DEFAULT, max: PAGE_ROWS_MAX }),
    offset: pageOffset,
    cursor: pageCursor,
  }),
  reply: { 200: PolicyList },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, services: { reader } }) => {
    const snapshot = getSnapshot(reader)
    const { vertical, policy_category = vertical, cursor, ...others } = query
    const offset = cursor === undefined ? query.offset : Number(cursor)
    const filters = Object.fromEntries(
      Object.entries({ ...others, policy_category }).filter(([, value]) => value !== ''),
    ) as typeof others & { policy_category?: string }
    const nothing = { policies: [], stats: { total: 0, regulation: 0, standard: 0 } }
    const { policies, stats } = snapshot
      ? await listPolicies(snapshot, { ...filters, limit: query.limit, offset })
      : nothing
    const shown = fitItems('policies', policies) as { policies: typeof policies }
    const end = buildPageEnd(offset, shown.policies.length, stats.total)
    return replyOk({ ...shown, stats, ...end }, buildSeqHeader(snapshot))
  },
})

export const resolvePolicy = defineOperation({
  id: 'resolvePolicy',
  method: 'GET',
  path: '/api/policies/resolve',
  group: 'Policy Registry',
  summary: 'Get a policy with its text',
  description:
    'Also returns policies that are not approved; see `review_status`. With `version`, returns 404 unless that is the current version, because earlier versions are not stored.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: [POLICIES_KEY],
  query: z.object({
    policy_id: asId,
    version: z
      .string()
      .optional()
      .describe('Version that must be the current one; without it, the current one is returned'),
  }),
  reply: { 200: Policy },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { policy_id, version }, services: { reader } }) => {
    const found = findPolicy(reader, policy_id)
    if (found === undefined)
      return replyRefused('not_found', `no policy with ID "${policy_id}"`, { policy_id })
    if (version === undefined || version === '' || found.version === version) return replyOk(found)
    const text = `the version of ${policy_id} is ${found.version}`
    return replyRefused('not_found', text, { policy_id })
  },
})

export const resolvePoliciesBulk = defineOperation({
  id: 'resolvePoliciesBulk',
  method: 'POST',
  path: '/api/policies/resolve/bulk',
  group: 'Policy Registry',
  summary: 'Resolve many policies in one call',
  description:
    'Also returns policies that are not approved, and null for unknown IDs. If the texts are too long for one response, ' +
    '`omitted` names the IDs that are missing.',
  access: 'public',
  cache: 'none',
  body: z.object({
    policy_ids: z
      .array(z.string().max(255))
      .min(1)
      .max(BULK_POLICIES_MAX)
      .describe('IDs of the policies; duplicates count once'),
  }),
  reply: { 200: PoliciesResolved },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type'],
  handle: ({ body: { policy_ids }, services: { reader } }) => {
    const ids = [...new Set(policy_ids)]
    const found: [string, Policy | null][] = []
    let bytes = 0
    for (const id of ids) {
      const policy = findPolicy(reader, id) ?? null
      bytes += Buffer.byteLength(JSON.stringify([id, policy]))
      if (bytes > LIST_BYTES) break
      found.push([id, policy])
    }
    const omitted = ids.slice(found.length)
    const results = Object.fromEntries(found)
    return replyOk(omitted.length === 0 ? { results } : { results, omitted })
  },
})

export const policyHistory = defineOperation({
  id: 'policyHistory',
  method: 'GET',
  path: '/api/policies/history',
  group: 'Policy Registry',
  summary: 'List a policy’s revisions',
  description: 'Returns the edits, newest first, back to revision 1, which created the policy.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: [POLICIES_KEY],
  query: z.object({
    policy_id: asId,
    limit: createRevisionLimit(HISTORY_ROWS_MAX, PAGE_ROWS_DEFAULT),
    offset: revisionOffset,
    cursor: pageCursor,
  }),
  reply: { 200: PolicyHistory },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { policy_id, limit, cursor, ...query }, services: { reader } }) => {
    const offset = cursor === undefined ? query.offset : Number(cursor)
    const found = findHistory(reader, 'policy', policy_id, { limit, offset })
    if (found === undefined)
      return replyRefused('not_found', `no policy with ID "${policy_id}"`, { policy_id })
    const revisions = found.revisions.map(({ source: _, ...revision }) => revision)
    const end = buildPageEnd(offset, revisions.length, found.total)
    return replyOk({ policy_id, total: found.total, revisions, ...end })
  },
})

export const savePolicy = defineOperation({
  id: 'savePolicy',
  method: 'POST',
  path: '/api/policies/save',
  group: 'Policy Registry',
  summary: 'Save a policy',
  description:
    'A new policy is reviewed before it is listed. Saving an approved community policy overwrites ' +
    'the whole policy: fields that you leave out become null or empty. The registry’s own ' +
    'policies and those waiting for review cannot be edited.',
  access: 'bearer',
  writes: true,
  isIdempotent: true,
  cache: 'none',
  body: PolicyContent.safeExtend({
    verticals: policyFields.policy_categories.meta({
      description: 'Another name for `policy_categories`',
    }),
  }),
  reply: { 200: PolicySaved },
  errors: [
    'invalid_request',
    'conflict',
    'unavailable',
    'too_large',
    'unsupported_media_type',
  ] as const,
  handle: async ({ body: { verticals, ...content }, principal, submissionId, services }) => {
    const categories = content.policy_categories.length > 0 ? content.policy_categories : verticals
    const policy: PolicyContent = { ...content, policy_categories: categories }
    if (Buffer.byteLength(JSON.stringify(policy)) > POLICY_BYTES) {
      refuse('too_large', `a policy must have at most ${POLICY_BYTES} bytes of JSON`)
    }
    const { policy_id } = policy
    const operation = { op: 'policy.save', policy, editor: toEditor(principal) } as const
    const saved = await submitIdempotent(
      services,
      submissionId,
      { ...operation, review_id: submissionId },
      { policy_id },
    )
    const revision_number = saved.revision_number as number | null
    const message = revision_number === null ? 'The policy is waiting for review' : 'Policy updated'
    return replyOk({ success: true, message, policy_id, revision_number })
  },
})
