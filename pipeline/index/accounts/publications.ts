import type { PolicyRow } from '../../model/policy.ts'
import type { RevisionRow } from '../../model/rows.ts'
import type { Database } from '../duckdb.ts'
import { type ApprovedBrand, approvedSince } from './brand-submissions.ts'
import { type KeptMirror, keptMirrors } from './mirrors.ts'
import type { KeptPolicy } from './policies.ts'

/** Whether a contributed property is suspended. */
export interface Suspension {
  property_rid: string
  suspended: boolean
}

/** What is decided in the accounts and shown by the index. */
export interface Publications {
  /** Without those that were rejected: `withdrawn` names these. */
  policies: Omit<PolicyRow, 'seq'>[]
  withdrawn: string[]
  revisions: Omit<RevisionRow, 'seq'>[]
  /** Those that were removed too. */
  mirrors: KeptMirror[]
  suspensions: Suspension[]
  /** Brands that were handed in and are approved, each a save of who handed it in. */
  brands: ApprovedBrand[]
}

const TABLES = ['policies', 'policy_revisions', 'mirrors', 'suspended_links']

export const nothingPublished: Publications = {
  ...{ policies: [], withdrawn: [], revisions: [], mirrors: [], suspensions: [], brands: [] },
}

/** One question instead of five, and only when one of them was written: most commits change nothing of this. */
const CHANGED = `select coalesce(max(seq), 0) as seq from (
  ${TABLES.map(table => `select seq from ${table}`).join(' union all ')}
  union all select seq from reviews where kind = 'brand' and status = 'approved')`

/**
 * What changed after a commit, as it stands now; undefined where nothing did. The index is told in its next commit, whatever that
 * is about: so what a crash or a failure kept from it is not lost, and an older submission that is
 * delivered again undoes nothing.
 */
export async function publicationsSince(
  db: Database,
  seq: number,
): Promise<Publications | undefined> {
  const read = () => db.one<{ seq: number }>(CHANGED)
  const last = await db.written.recall('last publication', '', [...TABLES, 'reviews'], read)
  if (last!.seq <= seq) return undefined
  const kept = await db.all<KeptPolicy>(
    'select * exclude (seq) from policies where seq > $seq order by policy_id',
    { seq },
  )
  const revisions = await db.all<RevisionRow>(
    `select 'policy' as entity, policy_id as domain, revision_number::double as revision_number,
       editor_id, edit_summary, source, false as is_rollback, null as rolled_back_to, state,
       created_at
     from policy_revisions where seq > $seq order by policy_id, revision_number`,
    { seq },
  )
  const shown = kept.filter(({ review_status }) => review_status !== 'rejected')
  return {
    policies: shown.map(({ content, source_type, review_status, created_at, updated_at }) => ({
      ...content,
      ...{ source_type, review_status: review_status as 'pending' | 'approved' },
      ...{ created_at, updated_at },
    })),
    withdrawn: kept.filter(one => !shown.includes(one)).map(({ policy_id }) => policy_id),
    revisions,
    mirrors: await keptMirrors(db, 'seq > $seq', { seq }),
    suspensions: await suspensionsSince(db, seq),
    brands: await approvedSince(db, seq),
  }
}

/** A property is suspended as long as one dispute about it is not rejected. */
function suspensionsSince(db: Database, seq: number): Promise<Suspension[]> {
  return db.all(
    `select property_rid, bool_or(not lifted) as suspended from suspended_links
     where property_rid in (select property_rid from suspended_links where seq > $seq)
     group by property_rid order by property_rid`,
    { seq },
  )
}
