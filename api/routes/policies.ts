import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { findHistory } from '../../pipeline/index/points/history.ts'
import { findPolicy } from '../../pipeline/index/points/policies.ts'
import { listPolicies } from '../../pipeline/index/queries/policies.ts'
import {
  PoliciesResolved,
  Policy,
  PolicyHistory,
  PolicyList,
  PolicySaved,
} from '../../pipeline/model/answers-policies.ts'
import {
  enforcements,
  PolicyContent,
  policyCategories,
  policyFields,
} from '../../pipeline/model/policy.ts'
import { submitOnce } from '../attempt.ts'
import { whole } from '../fields.ts'
import { fitting, LIST_BYTES, seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'
import { lenient } from './history.ts'
import { editorOf } from './saves.ts'

const PAGE = 20
const LARGEST_PAGE = 1_000
const LARGEST_HISTORY = 100
const LARGEST_BULK = 100
/** Callers refuse a longer answer. */
const POLICY_BYTES = 200 * 1024

const word = z.string().trim().max(200).optional()
const asId = z.string().trim().min(1, 'is required').max(255)

export const listRegisteredPolicies = operation({
  id: 'listPolicies',
  method: 'GET',
  path: '/api/policies/registry',
  group: 'Policy Registry',
  summary: 'List policies',
  description:
    'Approved policies by category and name, without their texts. `stats` count all that fit the ' +
    'filters. A policy without jurisdictions and regions holds everywhere.',
  access: 'public',
  cache: 'list',
  query: z.object({
    search: word.meta({ description: 'words of the name or the description, or a part of the id' }),
    category: z.enum(policyCategories).optional(),
    enforcement: z.enum(enforcements).optional(),
    jurisdiction: word.meta({ description: 'where it must hold: named, in a region, or global' }),
    policy_category: word,
    vertical: word.meta({ description: 'another name of `policy_category`' }),
    domain: word.meta({ description: 'one of its governance domains' }),
    limit: whole({ min: 0, max: LARGEST_PAGE, default: PAGE, clamp: true }),
    offset: whole({ min: 0, max: 1e9, default: 0 }),
  }),
  reply: { 200: PolicyList },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, services: { reader } }) => {
    const { snapshot } = reader
    const { vertical, policy_category = vertical, limit, ...asked } = query
    const filters = Object.fromEntries(
      Object.entries({ ...asked, policy_category }).filter(([, value]) => value !== ''),
    ) as typeof asked & { policy_category?: string }
    const nothing = { policies: [], stats: { total: 0, regulation: 0, standard: 0 } }
    const { policies, stats } = snapshot
      ? await listPolicies(snapshot, { ...filters, limit: limit || PAGE })
      : nothing
    return ok({ ...fitting('policies', policies), stats }, seqHeader(snapshot))
  },
})

export const resolvePolicy = operation({
  id: 'resolvePolicy',
  method: 'GET',
  path: '/api/policies/resolve',
  group: 'Policy Registry',
  summary: 'One policy with its text',
  description:
    'Approved or not: `review_status` says. With `version` only that one, and none where the policy ' +
    'stands at another: earlier versions are not kept.',
  access: 'public',
  cache: 'revalidate',
  query: z.object({ policy_id: asId, version: z.string().optional() }),
  reply: { 200: Policy },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { policy_id, version }, services: { reader } }) => {
    const found = findPolicy(reader, policy_id)
    if (found === undefined) return refused('not_found', `no policy ${policy_id}`, { policy_id })
    if (version === undefined || version === '' || found.version === version) return ok(found)
    const text = `the version of ${policy_id} is ${found.version}`
    return refused('not_found', text, { policy_id })
  },
})

export const resolvePoliciesBulk = operation({
  id: 'resolvePoliciesBulk',
  method: 'POST',
  path: '/api/policies/resolve/bulk',
  group: 'Policy Registry',
  summary: 'Many policies with their texts',
  description:
    'Approved or not; null for an id that no policy has. Where the texts are too long for one answer ' +
    '`omitted` names the ids that are missing.',
  access: 'public',
  cache: 'none',
  body: z.object({ policy_ids: z.array(z.string().max(255)).min(1).max(LARGEST_BULK) }),
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
    return ok(omitted.length === 0 ? { results } : { results, omitted })
  },
})

export const policyHistory = operation({
  id: 'policyHistory',
  method: 'GET',
  path: '/api/policies/history',
  group: 'Policy Registry',
  summary: 'How a policy was edited',
  description: 'Saves, newest first. The one that made the policy is neither listed nor counted.',
  access: 'public',
  cache: 'revalidate',
  query: z.object({
    policy_id: asId,
    limit: lenient({ least: 1, most: LARGEST_HISTORY, usual: PAGE }),
    offset: lenient({ least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 }),
  }),
  reply: { 200: PolicyHistory },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { policy_id, ...page }, services: { reader } }) => {
    const found = findHistory(reader, 'policy', policy_id, page)
    if (found === undefined) return refused('not_found', `no policy ${policy_id}`, { policy_id })
    const revisions = found.revisions.map(({ source: _, ...revision }) => revision)
    return ok({ policy_id, total: found.total, revisions })
  },
})

export const savePolicy = operation({
  id: 'savePolicy',
  method: 'POST',
  path: '/api/policies/save',
  group: 'Policy Registry',
  summary: 'Save a policy',
  description:
    'A new one waits for review and is not listed before; a community policy that was approved is ' +
    'replaced at once, as a whole: what is left out is null, or an empty list. The registry’s own ' +
    'policies, and those that wait for review, cannot be saved.',
  access: 'bearer',
  writes: true,
  once: true,
  cache: 'none',
  body: PolicyContent.safeExtend({
    verticals: policyFields.policy_categories.meta({
      description: 'another name of `policy_categories`',
    }),
  }),
  reply: { 200: PolicySaved },
  errors: [
    ...(['invalid_request', 'conflict', 'unavailable'] as const),
    ...(['too_large', 'unsupported_media_type'] as const),
  ],
  handle: async ({ body: { verticals, ...given }, principal, attempt, services }) => {
    const categories = given.policy_categories.length > 0 ? given.policy_categories : verticals
    const policy: PolicyContent = { ...given, policy_categories: categories }
    if (Buffer.byteLength(JSON.stringify(policy)) > POLICY_BYTES) {
      refuse('too_large', `a policy is at most ${POLICY_BYTES} bytes of JSON`)
    }
    const { policy_id } = policy
    const operation = { op: 'policy.save', policy, editor: editorOf(principal) } as const
    const saved = await submitOnce(
      services,
      attempt,
      { ...operation, review_id: attempt },
      { policy_id },
    )
    const revision_number = saved.revision_number as number | null
    const message = revision_number === null ? 'Policy waits for review' : 'Policy updated'
    return ok({ success: true, message, policy_id, revision_number })
  },
})
