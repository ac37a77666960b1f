import { listWaitingBrands } from '../../accounts/brand-submissions.ts'
import type { OperationOf, Refusal, Submission } from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'
import type { Sqlite } from '../../store/sqlite.ts'

/**
 * Finds submissions of brands that have an entry or wait for review already: each is accepted once.
 * Entries of the registry itself are replaced.
 */
export async function findRefusedBrands(
  submitted: readonly (Submission & { operation: OperationOf<'brand.submit'> })[],
  { index, accounts }: { index: Database; accounts: Sqlite },
): Promise<Map<string, Refusal>> {
  const refused = new Map<string, Refusal>()
  const domains = submitted.map(({ operation }) => operation.domain)
  const known = await findKnownBrands(index, domains)
  const waiting = listWaitingBrands(accounts, domains)
  const first = new Set<string>()
  for (const { submission_id, operation } of submitted) {
    const { domain } = operation
    if (known.has(domain)) {
      refused.set(submission_id, { refused: `${domain} is already known`, error: 'conflict' })
    } else if (waiting.has(domain) || first.has(domain)) {
      const text = `a brand of ${domain} is waiting for review`
      refused.set(submission_id, { refused: text, error: 'conflict' })
    }
    first.add(domain)
  }
  return refused
}

async function findKnownBrands(db: Database, domains: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ domain: string }>(
    `select domain from brands where source != 'enriched'
       and domain in (select value from json_each($domains))
     union select domain from entries where entity = 'brand' and source != 'enriched'
       and domain in (select value from json_each($domains))`,
    { domains: JSON.stringify(domains) },
  )
  return new Set(rows.map(({ domain }) => domain))
}
