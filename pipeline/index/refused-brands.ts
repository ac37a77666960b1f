import type { Refusal, Submission } from '../model/submission.ts'
import { brandsWaiting } from './accounts/brand-submissions.ts'
import { type Database, listOf } from './duckdb.ts'

/** Brands that are submitted and known already, or wait for a person: each is told once. */
export async function refusedBrands(
  submissions: readonly Submission[],
  { index, accounts }: { index: Database; accounts: Database },
): Promise<Map<string, Refusal>> {
  const refused = new Map<string, Refusal>()
  const submitted = submissions.flatMap(({ submission_id, operation }) =>
    operation.op === 'brand.submit' ? [{ submission_id, domain: operation.domain }] : [],
  )
  if (submitted.length === 0) return refused
  const domains = submitted.map(({ domain }) => domain)
  const known = await knownBrands(index, domains)
  const waiting = await brandsWaiting(accounts)
  const first = new Set<string>()
  for (const { submission_id, domain } of submitted) {
    if (known.has(domain)) {
      refused.set(submission_id, { refused: `${domain} is known already`, error: 'conflict' })
    } else if (waiting.has(domain) || first.has(domain)) {
      const text = `a brand of ${domain} waits to be reviewed`
      refused.set(submission_id, { refused: text, error: 'conflict' })
    }
    first.add(domain)
  }
  return refused
}

async function knownBrands(db: Database, domains: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ domain: string }>(
    `select domain from brands where domain in (select unnest(${listOf('$domains')}))
     union select domain from entries where entity = 'brand'
       and domain in (select unnest(${listOf('$domains')}))`,
    { domains: JSON.stringify(domains) },
  )
  return new Set(rows.map(({ domain }) => domain))
}
