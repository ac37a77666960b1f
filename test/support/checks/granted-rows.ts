import type { PropertyAuthorization } from '../../../pipeline/model/responses/authority.ts'
import { requestWithQuery } from '../fixtures/operator-files.ts'
import type { TestRegistry } from '../registry/app.ts'
import { publishToMemory } from '../registry/published-tables.ts'

interface GrantedRow {
  agent_url: string
  publisher_domain: string
  identifier: { type: string; value: string }
  delegation_type: string | null
  operator_side: string
  operator_reason: string
}

/**
 * Lists the rows of grants_flat that disagree with `property-authorization`, and how many there are in all. The
 * identifiers of the properties must differ. Grants that are limited are compared where the property is sold without
 * terms. Grants that do not say how they are sold are compared where all
 * grants of the pair say nothing.
 */
export async function compareGrantedRows(
  registry: TestRegistry,
  where = 'true',
): Promise<{ count: number; differing: object[] }> {
  const published = await publishToMemory(registry.sequencer.index.sqlite)
  const rows = await published.all<GrantedRow>(
    `select agent_url, publisher_domain, identifiers[1] as identifier, delegation_type as delegation_type,
       operator_side as operator_side, operator_reason as operator_reason
     from main.grants_flat where property_rid is not null and (${where})
     qualify delegation_type is not null or bool_and(delegation_type is null) over
       (partition by agent_url, property_rid)
     order by 1, 2, 3, 4, 5, 6`,
  )
  published.close()
  const differing: object[] = []
  for (const row of rows) {
    const answer = await requestWithQuery(
      registry,
      '/api/registry/validate/property-authorization',
      {
        agent_url: row.agent_url,
        identifier_type: row.identifier.type,
        identifier_value: row.identifier.value,
        delegation_type: row.delegation_type ?? undefined,
      },
    )
    const verdict = answer.json() as PropertyAuthorization
    const { operator_side, operator_reason, sides } = verdict
    // A grant that is limited to some terms does not count without them, and the verdict is then about the other entries.
    if (sides.publisher !== 'match') continue
    if (operator_side !== row.operator_side || operator_reason !== row.operator_reason) {
      differing.push({ ...row, verdict: { operator_side, operator_reason } })
    }
  }
  return { count: rows.length, differing }
}
