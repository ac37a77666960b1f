import type { OrganizationAudit } from '../../pipeline/model/responses/organization.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { type DashboardAnswer, renderFault, toSectionPath } from './page.tsx'

type Change = OrganizationAudit['changes'][number]

async function showAudit(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, organization, query } = context
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined
  const listed = await callApi<OrganizationAudit>({
    method: 'GET',
    url: '/api/me/organization/audit',
    query: { ...org, ...(cursor !== undefined && { cursor }) },
  })
  const { refused, body: page } = listed
  const sectionPath = toSectionPath(organization.org_id, 'audit')
  const body = (
    <>
      <h1>Audit</h1>
      <p class="lead">
        Who changed what in this organization, newest first. Entries cannot be deleted.
      </p>
      {renderFault(refused)}
      {refused !== undefined ? null : renderChanges(page.changes)}
      {refused !== undefined || page.next_cursor === null ? null : (
        <p>
          <a href={`${sectionPath}?cursor=${page.next_cursor}`} rel="next">
            Earlier changes
          </a>
        </p>
      )}
    </>
  )
  return { status: refused === undefined ? 200 : listed.status, title: 'Audit', body }
}

function renderChanges(changes: readonly Change[]): Html {
  return renderTable({
    caption: 'Changes',
    columns: ['What', 'About', 'Who', 'When'],
    items: changes,
    limit: 200,
    bytes: 48_000,
    empty: 'No changes yet.',
    render: ({ text, facts, by, at }) => [
      text,
      renderFacts(facts),
      <>
        <bdi>{clipText(by.name ?? by.id, 120)}</bdi>
        {by.kind === 'user' ? '' : ` (${by.kind})`}
      </>,
      renderMoment(at),
    ],
  })
}

/** Renders what a change was about; ids are left to the API. */
function renderFacts(facts: Change['facts']): Html {
  const shown = Object.entries(facts).filter(
    ([name, value]) => !name.endsWith('_id') && !(name === 'to_revision' && value === '0'),
  )
  return (
    <>
      {shown.map(([name, value], i) => (
        <>
          {i > 0 ? ', ' : ''}
          <bdi>{clipText(describeFact(name, value), 120)}</bdi>
        </>
      ))}
    </>
  )
}

const files: Readonly<Record<string, string>> = { brand: 'brand.json', property: 'adagents.json' }

/** Describes a fact in the words of the page where the change was made. */
function describeFact(name: string, value: string): string {
  if (name === 'to_revision') return `version ${value}`
  return name === 'entity' ? (files[value] ?? value) : value
}

export const auditRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/audit', handle: showAudit },
]
