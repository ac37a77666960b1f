import { listWaitingBrands } from '../../accounts/brand-submissions.ts'
import { countStrangerItems } from '../../accounts/stranger-items.ts'
import type { OperationOf, Refusal, Submission } from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'
import { findManaged, loadEntries } from '../../store/entries.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { isOpenToFindings } from './enrichments.ts'
import { countEnriched } from './evicted-brands.ts'
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
 * exists, under a name without lookalikes, and where others give way once they are at their maximum.
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
  let room = newNames.length === 0 ? 0 : await countRoom({ index, accounts, enrichedBrands })
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

/** Counts the brands that can be added: into free room, and in the place of what strangers have there. */
async function countRoom({
  index,
  accounts,
  enrichedBrands: max,
}: Pick<Known, 'index' | 'accounts' | 'enrichedBrands'>): Promise<number> {
  const free = max - (await countEnriched(index))
  return Math.min(max, free + countStrangerItems(accounts, 'brand'))
}
