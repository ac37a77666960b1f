import type { Snapshot } from '../reader.ts'
import { OnceASnapshot } from './once.ts'

const counted = new OnceASnapshot<number>(1_000)

/** How many rows of a snapshot match a question, as `total`. */
export function countOnce(
  snapshot: Snapshot,
  sql: string,
  asked: Readonly<Record<string, string | null>> = {},
): Promise<number> {
  return counted.get(snapshot, JSON.stringify([sql, asked]), async () => {
    const row = await snapshot.db.one<{ total: number }>(sql, asked)
    return row?.total ?? 0
  })
}
