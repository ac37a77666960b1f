import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import { type AccountRef, nameAccount, resolveAccount } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Content standards, by tenant and id. */
    content_standards: ContentStandards
  }
}

const POLICY_CHARS_MAX = 5_000
const POLICIES_MAX = 200
const EXEMPLARS_MAX = 200

const Words = z.array(z.string().min(1).max(200)).min(1).max(POLICIES_MAX)

/** A rule about content, in plain words. */
export const Policy = z.looseObject({
  policy_id: z.string().min(1).max(200),
  enforcement: z.enum(['must', 'should', 'may']),
  policy: z.string().min(1).max(POLICY_CHARS_MAX).describe('The rule, such as: No gambling'),
  channels: Words.optional().describe('Channels that it is for; all without it'),
})
export type Policy = z.infer<typeof Policy>

/** A piece of content: a page, an ad, an episode. */
export const Artifact = z.looseObject({
  property_rid: z.string().min(1).max(200),
  artifact_id: z.string().min(1).max(200),
  url: z.string().max(2_000).optional(),
  assets: z.array(z.looseObject({ type: z.string() })).max(200),
})
export type Artifact = z.infer<typeof Artifact>

const Exemplar = z.union([
  z.looseObject({ type: z.literal('url'), value: z.string().max(2_000) }),
  Artifact,
])
export type Exemplar = z.infer<typeof Exemplar>

const Scope = z
  .looseObject({
    countries_all: Words.optional(),
    channels_any: Words.optional(),
    languages_any: Words,
    description: z.string().max(2_000).optional(),
  })
  .describe('The content that they are for')

/** The part of standards that a caller writes. */
export const StandardsContent = z.object({
  scope: Scope,
  policies: z.array(Policy).min(1).max(POLICIES_MAX),
  calibration_exemplars: z
    .looseObject({
      pass: z.array(Exemplar).max(EXEMPLARS_MAX).optional(),
      fail: z.array(Exemplar).max(EXEMPLARS_MAX).optional(),
    })
    .optional()
    .describe('Content whose verdict is known'),
})

/** A change: parts of the scope may be given alone. */
export const StandardsChange = StandardsContent.partial().extend({
  scope: Scope.partial().optional(),
})

export interface ContentStandards {
  standards_id: string
  content: z.infer<typeof StandardsContent>
  account?: AccountRef
  createdAt: Instant
}

/** Refuses rules that are named by ids of a registry, which this agent does not read. */
export function refuseRegistryPolicies(ids: readonly string[] | undefined): void {
  if (ids === undefined || ids.length === 0) return
  const message = 'registry_policy_ids: this agent reads no registry; send the rules as policies'
  throw new TaskError('UNSUPPORTED_FEATURE', message, { field: 'registry_policy_ids' })
}

/** Finds standards of an account, or of whichever account where none is named. Throws if there are none. */
export function findStandards(
  standards_id: string,
  account: AccountRef | undefined,
  context: TaskContext,
): ContentStandards {
  if (account) resolveAccount(account, context)
  const standards = context.state.get('content_standards', context.tenant, standards_id)
  if (standards && isOfAccount(standards, account)) return standards
  throw new TaskError('REFERENCE_NOT_FOUND', 'standards_id: there are no such standards here', {
    field: 'standards_id',
  })
}

/** Lists the standards of an account, or of all accounts, the oldest first. */
export function listStandards(
  account: AccountRef | undefined,
  { state, tenant }: TaskContext,
): ContentStandards[] {
  return state
    .list('content_standards', tenant)
    .filter(standards => isOfAccount(standards, account))
    .sort((one, other) => one.createdAt - other.createdAt)
}

export function saveStandards(
  standards: ContentStandards,
  { state, tenant, now }: TaskContext,
): void {
  state.put('content_standards', tenant, standards.standards_id, standards, { now })
}

function isOfAccount({ account: own }: ContentStandards, account: AccountRef | undefined): boolean {
  return !account || (own !== undefined && nameAccount(own) === nameAccount(account))
}
