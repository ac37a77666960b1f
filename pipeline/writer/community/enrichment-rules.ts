import { listWaitingBrands } from '../../accounts/brand-submissions.ts'
import type { OperationOf, Refusal, Submission } from '../../model/submission.ts'
import type { Database } from '../../store/duckdb.ts'
import { findManaged, loadEntries } from '../../store/entries.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { isOpenToFindings } from './enrichments.ts'
import { findNameFaults } from './lookalike-lookup.ts'
import type { NameRules } from './protected-brands.ts'

interface Known extends NameRules {
  index: Database
  accounts: Sqlite
  /** Maximum number of brands that are known by enrichment alone. */
  enrichedBrands: number
}

/**
 * Judges enrichments: one is stored only where neither a file of the domain nor a member's entry
 * exists, under a name without lookalikes, and within a bound on their number.
 */
export async function findRefusedEnrichments(
  asked: readonly (Submission & { operation: OperationOf<'brand.enrich'> })[],
  { index, accounts, enrichedBrands, ...rules }: Known,
): Promise<Map<string, Refusal>> {
  const refused = new Map<string, Refusal>()
  const domains = asked.map(({ operation }) => operation.domain)
  const entries = await loadEntries(index, 'brand', domains)
  const managed = await findManaged(index, 'brand', domains)
  const waiting = listWaitingBrands(accounts, domains)
  const newNames = domains.filter(domain => !entries.has(domain))
  const faults = await findNameFaults(index, newNames, rules)
  let room = newNames.length === 0 ? 0 : enrichedBrands - (await countEnriched(index))
  const why = ({ domain }: OperationOf<'brand.enrich'>): string | undefined => {
    const entry = entries.get(domain)
    if (managed.has(domain)) return `${domain} publishes its own brand.json`
    if (!isOpenToFindings(entry) || waiting.has(domain)) return `${domain} has a saved entry`
    const fault = faults.get(domain)
    if (fault) return fault.reason
    if (entry === undefined && room-- <= 0) return 'the number of enriched brands is at its maximum'
    return undefined
  }
  for (const { submission_id, operation } of asked) {
    const reason = why(operation)
    if (reason !== undefined) refused.set(submission_id, { refused: reason, error: 'conflict' })
  }
  return refused
}

async function countEnriched(index: Database): Promise<number> {
  const row = await index.oneOrThrow<{ n: number }>(
    `select count(*)::double as n from entries where entity = 'brand' and source = 'enriched'`,
  )
  return row.n
}
