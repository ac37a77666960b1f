import { z } from 'zod'
import { AccountRef, CallersId, resolveAccount, saveAccount } from '../accounts.ts'
import { type Audience, applyMembers, describeAudience, Member } from '../measurement/audience.ts'
import { removeOthers } from '../state/sync.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const AudienceInput = z.looseObject({
  audience_id: CallersId,
  name: z.string().max(500).optional(),
  description: z.string().max(2000).optional(),
  audience_type: z.enum(['crm', 'suppression', 'lookalike_seed']).optional(),
  add: z.array(Member).min(1).max(10_000).optional().describe('People to add, as hashes'),
  remove: z.array(Member).min(1).max(10_000).optional().describe('People to remove'),
  delete: z.boolean().optional(),
  consent_basis: z.string().optional(),
})
type AudienceInput = z.infer<typeof AudienceInput>

const Input = z.object({
  account: AccountRef,
  audiences: z.array(AudienceInput).min(1).max(100).optional().describe('Left out: all are listed'),
  delete_missing: z.boolean().optional().describe('Delete the audiences that are not named'),
})

export const syncAudiences = defineTask({
  name: 'sync_audiences',
  title: 'Keep audiences',
  description: 'Creates, fills and deletes audiences; people are identified only by hashes',
  input: Input,
  mutates: true,
  run({ account: ref, audiences, delete_missing }, context) {
    const account = resolveAccount(ref, context)
    saveAccount(account, context)
    const place = { kind: 'audience', scope: `${context.tenant} ${account.account_id}` } as const
    const known = context.state.list('audience', place.scope)
    if (!audiences) {
      const listed = known.map(audience => ({ ...describeAudience(audience), action: 'unchanged' }))
      return { audiences: listed, sandbox: true }
    }
    const results = audiences.map((requested, at) =>
      syncAudience(requested, place.scope, `audiences[${at}]`, context),
    )
    const updated = new Set(audiences.map(({ audience_id }) => audience_id))
    const all = known.map(({ audience_id }) => audience_id)
    const removed = delete_missing ? removeOthers(place, updated, all, context) : []
    const deleted = removed.map(audience_id => ({ audience_id, action: 'deleted' }))
    return { audiences: [...results, ...deleted], sandbox: true }
  },
})

function syncAudience(
  requested: AudienceInput,
  scope: string,
  field: string,
  context: TaskContext,
) {
  const { state, now } = context
  const { audience_id, name, description, audience_type, add = [], remove = [] } = requested
  const known = state.get('audience', scope, audience_id)
  if (requested.delete) {
    state.remove('audience', scope, audience_id)
    return { audience_id, action: known ? 'deleted' : 'unchanged' }
  }
  const base = known ?? { audience_id, audience_type: 'crm', members: [], syncedAt: now }
  const next: Audience = {
    ...base,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(audience_type !== undefined && { audience_type }),
    members: applyMembers(base.members, add, remove, field),
    syncedAt: base.syncedAt,
  }
  const isSame = JSON.stringify(next) === JSON.stringify(known)
  const updated = { ...next, syncedAt: now }
  state.put('audience', scope, audience_id, updated, { now })
  const action = isSame ? 'unchanged' : known ? 'updated' : 'created'
  return { ...describeAudience(updated), action, uploaded_count: add.length }
}
