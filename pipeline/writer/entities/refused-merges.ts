import type { Submission } from '../../model/submission.ts'
import { loadAliases } from '../../store/aliases.ts'
import type { Database } from '../../store/database.ts'
import { loadMergeRows, type Merge, mergeKinds } from './merge-records.ts'

/**
 * Finds merges that cannot be carried out, with the reason, by submission. Each is judged as if the
 * possible ones before it were carried out.
 */
export async function findRefusedMerges(
  db: Database,
  submissions: readonly Submission[],
): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  const once = new Map(submissions.map(submission => [submission.submission_id, submission]))
  for (const op of ['property.merge', 'collection.merge'] as const) {
    const merges = [...once.values()].flatMap(({ submission_id, operation }) =>
      operation.op === op ? [{ ...operation, submission_id }] : [],
    )
    if (merges.length === 0) continue
    const rids = merges.flatMap(({ alias_rid, canonical_rid }) => [alias_rid, canonical_rid])
    const rows = await loadMergeRows(db, op, rids)
    const aliases = await loadAliases(db, mergeKinds[op].kind, rids)
    for (const merge of merges) {
      const reason = findRefusal(merge, rows, aliases)
      if (reason === undefined) settle(aliases, merge)
      else refused.set(merge.submission_id, reason)
    }
  }
  return refused
}

function settle(aliases: Map<string, string>, { alias_rid, canonical_rid }: Merge): void {
  for (const [alias, canonical] of aliases) {
    if (canonical === alias_rid) aliases.set(alias, canonical_rid)
  }
  aliases.set(alias_rid, canonical_rid)
}

function findRefusal(
  { op, alias_rid, canonical_rid }: Merge,
  rows: ReadonlyMap<string, { classification?: string }>,
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const { kind } = mergeKinds[op]
  const unknown = [alias_rid, canonical_rid].find(rid => !rows.has(rid))
  if (unknown !== undefined) return `no ${kind} has the rid ${unknown}`
  if (alias_rid === canonical_rid) return `a ${kind} cannot be merged into itself`
  const merged = aliases.get(alias_rid)
  if (merged !== undefined) return `${alias_rid} was merged into ${merged} already`
  const further = aliases.get(canonical_rid)
  if (further !== undefined) return `${canonical_rid} was merged into ${further}: name that one`
  const [alias, canonical] = [rows.get(alias_rid), rows.get(canonical_rid)]
  if (alias?.classification === canonical?.classification) return undefined
  return `one is classified ${alias?.classification}, the other ${canonical?.classification}`
}
