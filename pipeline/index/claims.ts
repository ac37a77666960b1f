import type { Domain } from '../core/domain.ts'
import { claimFacts, claimRowsOf } from '../diff/claims.ts'
import { diff } from '../diff/diff.ts'
import type { Stamp } from '../diff/rows.ts'
import type { ClaimRow } from '../model/rows.ts'
import type { Astray, PublisherFacts } from '../resolve/publisher.ts'
import { type Database, listOf } from './duckdb.ts'
import { writeChanges } from './rows.ts'
import type { TakenDown } from './taken-down.ts'

type Claiming = Stamp & { takenDown: TakenDown }

/**
 * Writes what differs in the claims of these domains' files. They last as long as grants do: while a
 * file is stale, until it has ended. A claim is no event: nobody was authorized.
 */
export async function updateClaims(
  db: Database,
  answered: readonly { domain: Domain; facts: PublisherFacts | Astray }[],
  stamp: Claiming,
): Promise<void> {
  if (answered.length === 0) return
  const rows = await db.all<ClaimRow>(
    `select * from claims where manager_domain in (select unnest(${listOf('$domains')}))`,
    { domains: JSON.stringify(answered.map(({ domain }) => domain)) },
  )
  const before = new Map<string, ClaimRow[]>()
  for (const row of rows) {
    const others = before.get(row.manager_domain)
    if (others) others.push(row)
    else before.set(row.manager_domain, [row])
  }
  const changes = answered.flatMap(({ domain, facts }) => {
    const old = before.get(domain) ?? []
    return diff(old, freshRowsOf(domain, facts, old, stamp), row => row.claim_id, claimFacts)
  })
  await writeChanges(db, 'claims', 'claim_id', changes)
}

function freshRowsOf(
  domain: Domain,
  facts: PublisherFacts | Astray,
  old: readonly ClaimRow[],
  stamp: Claiming,
): readonly ClaimRow[] {
  if (facts.standing === 'ended' || !facts.document) return []
  const claims = facts.claims.filter(one => !stamp.takenDown.covers(one.publisher_domain))
  return claimRowsOf(domain, claims, old, stamp)
}
