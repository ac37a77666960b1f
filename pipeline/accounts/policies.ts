import { hashCanonicalJson } from '../core/canonical-json.ts'
import { toIso } from '../core/clock.ts'
import type { PolicyContent } from '../model/policy.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { ensureEditorId } from './editors.ts'
import { getRowBefore, type OperationDefinitions } from './operation-definition.ts'
import { type Review, submitReview } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

/** Represents a stored policy. */
export interface StoredPolicyRow {
  policy_id: string
  source_type: 'registry' | 'community'
  review_status: 'pending' | 'approved' | 'rejected'
  revision_number: number
  content: PolicyContent
  created_at: string
  updated_at: string
}

/** Saves a policy. A new one waits for review; an approved one is replaced at once. */
export function savePolicy(
  db: Sqlite,
  { policy, editor, review_id }: OperationOf<'policy.save'>,
  stamp: AccountStamp,
): Answer {
  const { policy_id } = policy
  const known = findPolicy(db, policy_id)
  if (known?.source_type === 'registry') {
    return { refused: `the policy ${policy_id} belongs to the registry`, error: 'conflict' }
  }
  if (known?.review_status === 'pending') {
    return { refused: `the policy ${policy_id} is waiting for review`, error: 'conflict' }
  }
  const isNew = known?.review_status !== 'approved'
  const origin = {
    source_type: 'community',
    review_status: isNew ? 'pending' : 'approved',
  } as const
  const before = isNew ? undefined : known
  const editor_id = ensureEditorId(db, editor, stamp)
  const revision_number = keep(db, policy, { before, ...origin, editor_id }, stamp)
  if (isNew) {
    const payload = { ...policy }
    const { id: submitted_by, org_id } = editor
    const review = { kind: 'policy', subject: policy_id, submitted_by, org_id } as const
    submitReview(db, { ...review, review_id, payload, digest: hashCanonicalJson(payload) }, stamp)
  }
  return { done: { policy_id, revision_number: isNew ? null : revision_number } }
}

export function publishPolicy(
  db: Sqlite,
  { policy }: OperationOf<'policy.publish'>,
  stamp: AccountStamp,
): Answer {
  const { policy_id } = policy
  const known = findPolicy(db, policy_id)
  if (known?.review_status === 'pending') {
    return {
      refused: `the policy ${policy_id} is waiting for review: decide that first`,
      error: 'conflict',
    }
  }
  const before = known?.review_status === 'approved' ? known : undefined
  const origin = { source_type: 'registry', review_status: 'approved' } as const
  const revision_number = keep(db, policy, { before, ...origin, editor_id: 'system' }, stamp)
  return { done: { policy_id, revision_number } }
}

export function approvePolicy(db: Sqlite, review: Review, stamp: AccountStamp): Answer {
  decide(db, review.subject, 'approved', stamp)
  return { done: { policy_id: review.subject } }
}

/** Rejects a policy as if it had never been saved; it may be saved again. */
export function rejectPolicy(db: Sqlite, review: Review, stamp: AccountStamp): Answer {
  decide(db, review.subject, 'rejected', stamp)
  db.run('delete from policy_revisions where policy_id = $id', { id: review.subject })
  return { done: { policy_id: review.subject } }
}

function decide(db: Sqlite, policy_id: string, status: string, { seq }: AccountStamp) {
  db.run(
    `update policies set review_status = $status, seq = $seq
     where policy_id = $policy_id and review_status = 'pending'`,
    { policy_id, status, seq },
  )
}

interface PolicyWrite extends Pick<StoredPolicyRow, 'source_type' | 'review_status'> {
  before: StoredPolicyRow | undefined
  editor_id: string
}

/** Replaces the stored policy, and records the save; returns its number. */
function keep(
  db: Sqlite,
  policy: PolicyContent,
  { before, source_type, review_status, editor_id }: PolicyWrite,
  { now, seq }: AccountStamp,
): number {
  const { policy_id } = policy
  const revision_number = (before?.revision_number ?? 0) + 1
  const saved_at = toIso(now)
  const row = { policy_id, source_type, review_status, revision_number, content: policy, seq }
  const times = { created_at: before?.created_at ?? saved_at, updated_at: saved_at }
  db.run('delete from policies where policy_id = $policy_id', { policy_id })
  db.insert('policies', [{ ...row, ...times }])
  db.insert('policy_revisions', [
    {
      policy_id,
      revision_number,
      editor_id,
      source: source_type,
      state: policy,
      seq,
      edit_summary: summarizeChange(before?.content, policy),
      created_at: saved_at,
    },
  ])
  return revision_number
}

function summarizeChange(before: PolicyContent | undefined, after: PolicyContent): string {
  if (before === undefined) return 'Made the policy'
  const names = Object.keys(after) as (keyof PolicyContent)[]
  const changed = names.filter(
    name => hashCanonicalJson(before[name] ?? null) !== hashCanonicalJson(after[name]),
  )
  return changed.length === 0 ? 'Changed nothing' : `Changed ${changed.sort().join(', ')}`
}

function findPolicy(db: Sqlite, policy_id: string): StoredPolicyRow | undefined {
  return db.one('select * from policies where policy_id = $policy_id', { policy_id })
}

const policy = { table: 'policies', where: 'policy_id = $policy_id' }

export const policyDefinitions: OperationDefinitions<'policy.save' | 'policy.publish'> = {
  'policy.save': {
    perform: savePolicy,
    watches: [policy],
    requires: { membershipIn: ({ editor }) => editor.org_id },
    invert(_, known) {
      const row = getRowBefore(known, 'policies')
      const { editor, revision_id: review_id } = known
      return row?.review_status === 'approved'
        ? { op: 'policy.save', policy: row.content, editor, review_id }
        : 'it is the first version: decide its review instead'
    },
  },
  'policy.publish': {
    perform: publishPolicy,
    watches: [policy],
    invert(_, known) {
      const row = getRowBefore(known, 'policies')
      return row?.review_status === 'approved' && row.source_type === 'registry'
        ? { op: 'policy.publish', policy: row.content }
        : 'the registry had no such policy before: publish a new version'
    },
  },
}
