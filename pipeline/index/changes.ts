import type { Database } from './duckdb.ts'
import { type Findable, identifierKeysOf, reachKey } from './serving-keys.ts'

/** Keys that the serving store must lose: only what was there before can tell which. */
export interface Gone {
  reach: string[]
  identifier: string[]
}

export const nothingGone: Gone = { reach: [], identifier: [] }

/** Of one publisher, by its rows before and after. */
export function goneOf(before: Findable, after: Findable): Gone {
  const agents = new Set(pairsOf(after))
  const found = new Set(identifierKeysOf(after))
  return {
    reach: pairsOf(before).filter(key => !agents.has(key)),
    identifier: identifierKeysOf(before).filter(key => !found.has(key)),
  }
}

function pairsOf({ authorizations }: Findable): string[] {
  const pairs = authorizations
    .filter(row => row.in_force)
    .map(row => reachKey(row.agent_url, row.publisher_domain))
  return [...new Set(pairs)]
}

export interface Touched {
  space: string
  key: string
}

/** What one commit touched, as long as it is little. */
interface Noted {
  seq: number
  rows: Touched[] | undefined
}

/** Up to so many keys are remembered until they are projected. */
const FEW = 500
const noted = new WeakMap<Database, Noted>()

function note(db: Database, seq: number, rows: readonly Touched[]): void {
  const before = noted.get(db)
  const known = before?.seq === seq ? before.rows : []
  const all = known && [...known, ...rows]
  noted.set(db, { seq, rows: all && all.length <= FEW ? all : undefined })
}

/** What the one commit after `seq` touched, if this process made it and it was little. */
export function changesOf(
  db: Database,
  { seq, last }: { seq: number; last: number },
): Touched[] | undefined {
  const known = noted.get(db)
  return last === seq + 1 && known?.seq === last ? known.rows : undefined
}

/** What a commit touched of the serving store's keys, for its projection. */
export async function recordChanges(
  db: Database,
  seq: number,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(keys).flatMap(([space, touched]) =>
    touched.map(key => ({ seq, space, key })),
  )
  note(db, seq, rows)
  await db.insert('changes', rows)
}
