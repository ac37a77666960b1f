import type { PolicyList } from '../../../pipeline/model/responses/policies.ts'
import { listRegisteredPolicies } from '../../routes/community/policies.ts'
import { Fragment, h } from '../html/jsx.ts'
import { capitalize, renderName } from '../html/text.tsx'
import { askForList, buildPages, type ListQuery } from '../list-page.ts'
import { renderTable } from '../parts/blocks.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { toPolicyPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

/** Shows the policies that agents refer to. */
export async function show(call: ViewCall<ListQuery>): Promise<View> {
  const list = await askForList<PolicyList>(listRegisteredPolicies, call)
  const { policies, stats, next_cursor } = list ?? { policies: [], stats: { total: 0 } }
  return {
    title: 'Policies',
    description: 'Laws and standards that advertising agents refer to.',
    json: '/api/policies/registry',
    body: (
      <>
        <h1>Policies</h1>
        <p class="lead">Laws and standards that agents refer to by ID.</p>
        {renderTable({
          caption: 'Policies',
          columns: ['Policy', 'Type', 'Agents', 'Countries', 'Description'],
          items: policies,
          total: stats.total,
          pages: buildPages('/policies', call.query, next_cursor),
          rest: '/api/policies/registry',
          bytes: 24_000,
          empty: 'No policy has been approved yet.',
          render: ({ policy_id, name, category, enforcement, jurisdictions, description }) => [
            <a href={toPolicyPath(policy_id)}>{renderName(name)}</a>,
            capitalize(category),
            <>{renderBadge(enforcement === 'must' ? 'bad' : 'fair', enforcement)} follow it</>,
            jurisdictions.length === 0
              ? 'Everywhere'
              : renderName(jurisdictions.slice(0, 8).join(', '), 80),
            description && renderName(description, 160),
          ],
        })}
      </>
    ),
  }
}
