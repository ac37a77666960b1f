import type { Database } from './duckdb.ts'
import { Noted } from './noted.ts'
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

/** What the commit that is being made touched. */
export const notedChanges = new Noted<Touched>()

/** What a commit touched of the serving store's keys, for its projection. */
export async function recordChanges(
  db: Database,
  seq: number,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(keys).flatMap(([space, touched]) =>
    touched.map(key => ({ seq, space, key })),
  )
  notedChanges.note(db, seq, rows)
  await db.insert('changes', rows)
}
