import type { PolicyRow } from '../model/policy.ts'
import type { RevisionRow } from '../model/rows.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { type ApprovedBrand, listApprovedSince } from './brand-submissions.ts'
import { loadMirrors, type MirrorRow } from './mirrors.ts'
import type { StoredPolicyRow } from './policies.ts'

/** Suspension of a contributed property, or its end. */
export interface Suspension {
  property_rid: string
  suspended: boolean
}

/** The decision about an entry that waited for review. */
export interface EntryDecision {
  entity: 'brand' | 'property'
  domain: string
  status: 'live' | 'rejected'
}

/** Decisions of the accounts that the index shows. */
export interface Publications {
  /** Policies without rejected ones, whose names are in `withdrawn`. */
  policies: Omit<PolicyRow, 'seq'>[]
  withdrawn: string[]
  revisions: Omit<RevisionRow, 'seq'>[]
  /** Mirrors, including removed ones. */
  mirrors: MirrorRow[]
  suspensions: Suspension[]
  /** Approved brands, each as a save of its submitter. */
  brands: ApprovedBrand[]
}

const TABLES = ['policies', 'policy_revisions', 'mirrors', 'suspended_links']

/** One query instead of five: most commits change none of these tables. */
const CHANGED = `select coalesce(max(seq), 0) as seq from (
  ${TABLES.map(table => `select max(seq) as seq from ${table}`).join(' union all ')}
  union all select max(seq) from reviews where kind = 'brand' and status = 'approved')`

/**
 * Collects what changed after a commit, in its present state; undefined if nothing did. The next commit of
 * the index applies it, whatever it is about, so a crash loses nothing and an older redelivered submission
 * undoes nothing.
 */
export function loadPublicationsSince(db: Sqlite, seq: number): Publications | undefined {
  if (db.oneOrThrow<{ seq: number }>(CHANGED).seq <= seq) return undefined
  const policies = db.all<StoredPolicyRow>(
    `select policy_id, source_type, review_status, revision_number, content, created_at, updated_at
     from policies where seq > $seq order by policy_id`,
    { seq },
  )
  const revisions = db.all<RevisionRow>(
    `select 'policy' as entity, policy_id as domain, revision_number,
       editor_id, edit_summary, source, false as "is_rollback [boolean]", null as rolled_back_to, state,
       created_at
     from policy_revisions where seq > $seq order by policy_id, revision_number`,
    { seq },
  )
  const shown = policies.filter(({ review_status }) => review_status !== 'rejected')
  return {
    policies: shown.map(({ content, source_type, review_status, created_at, updated_at }) => ({
      ...content,
      source_type,
      review_status: review_status as 'pending' | 'approved',
      created_at,
      updated_at,
    })),
    withdrawn: policies.filter(policy => !shown.includes(policy)).map(({ policy_id }) => policy_id),
    revisions,
    mirrors: loadMirrors(db, 'seq > $seq', { seq }),
    suspensions: listSuspensionsSince(db, seq),
    brands: listApprovedSince(db, seq),
  }
}

/** Lists suspensions since a commit. A property is suspended while any dispute about it is not rejected. */
function listSuspensionsSince(db: Sqlite, seq: number): Suspension[] {
  return db.all(
    `select property_rid, max(not lifted) as "suspended [boolean]" from suspended_links
     where property_rid in (select property_rid from suspended_links where seq > $seq)
     group by property_rid order by property_rid`,
    { seq },
  )
}

/**
 * Lists decisions about entries after one commit and up to another, if one is given; includes those that a
 * crash kept from the index.
 */
export function listDecisionsSince(
  db: Sqlite,
  seq: number,
  last = Number.MAX_SAFE_INTEGER,
): EntryDecision[] {
  const rows = db.all<{ subject: string; status: string }>(
    `select subject, status from reviews
     where +kind = 'entry' and status != 'pending' and seq > $seq and seq <= $last order by seq, subject`,
    { seq, last },
  )
  return rows.map(({ subject, status }) => {
    const [entity, domain] = subject.split(' ') as [EntryDecision['entity'], string]
    return { entity, domain, status: status === 'approved' ? 'live' : 'rejected' }
  })
}
