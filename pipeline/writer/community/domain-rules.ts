import type { OperationOf, Refusal, Submission } from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'
import { findNameFaults } from './lookalike-lookup.ts'
import type { NameRules } from './protected-brands.ts'

/**
 * Judges domains that the operator gives to organizations: one that looks like another name is refused until
 * the operator confirms it. Who has proven a domain has it, whatever it looks like.
 */
export async function findRefusedDomains(
  asked: readonly (Submission & { operation: OperationOf<'organization.domain.add'> })[],
  { index, ...rules }: NameRules & { index: Database },
): Promise<Map<string, Refusal>> {
  const unconfirmed = asked.filter(
    ({ operation: { proof, is_confirmed } }) => proof === 'operator' && !is_confirmed,
  )
  const names = unconfirmed.map(({ operation }) => operation.domain)
  const faults = await findNameFaults(index, names, rules)
  return new Map(
    unconfirmed.flatMap(({ submission_id, operation }) => {
      const fault = faults.get(operation.domain)
      if (fault === undefined) return []
      return [
        [
          submission_id,
          { refused: `${fault.reason}: add it with --confirm if it is theirs`, error: 'conflict' },
        ],
      ]
    }),
  )
}
