import type { RevisionRow } from '../model/rows.ts'
import type { Database } from './duckdb.ts'
import { Noted } from './noted.ts'

/** The revisions of the commit that is being made. */
export const notedRevisions = new Noted<RevisionRow>()

/** Adds revisions; one is never changed. */
export async function addRevisions(
  db: Database,
  seq: number,
  rows: readonly RevisionRow[],
): Promise<void> {
  notedRevisions.note(db, seq, rows)
  await db.insert('revisions', rows)
}
