import { type Findable, listIdentifierKeys, toReachKey } from './keys.ts'

/** Keys that the serving store must lose: only what was there before can tell which. */
export interface Gone {
  reach: string[]
  identifier: string[]
}

export const nothingGone: Gone = { reach: [], identifier: [] }

/** Lists the keys of one publisher that end, by its rows before and after. */
export function listGoneKeys(before: Findable, after: Findable): Gone {
  const agents = new Set(listPairs(after))
  const found = new Set(listIdentifierKeys(after))
  return {
    reach: listPairs(before).filter(key => !agents.has(key)),
    identifier: listIdentifierKeys(before).filter(key => !found.has(key)),
  }
}

function listPairs({ authorizations }: Findable): string[] {
  const pairs = authorizations
    .filter(row => row.in_force)
    .map(row => toReachKey(row.agent_url, row.publisher_domain))
  return [...new Set(pairs)]
}
