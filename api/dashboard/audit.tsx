import { hasOrganizationRight } from '../../pipeline/core/roles.ts'
import type { Visibility } from '../../pipeline/core/tiers.ts'
import type { OrganizationAudit } from '../../pipeline/model/responses/organization.ts'
import { findInvited } from '../../pipeline/read/lookups/organizations.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import { listKeyLabels } from '../../pipeline/read/lookups/principals.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderExactMoment } from '../pages/html/text.tsx'
import { renderPages, renderTable } from '../pages/parts/blocks.tsx'
import { visibilityTexts } from './agent-form.tsx'
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
      <h1>Audit log</h1>
      <p class="lead">
        Who changed what in this organization, newest first. Entries can’t be deleted.
      </p>
      {renderFault(refused)}
      {refused !== undefined ? null : renderChanges(page.changes, createFactText(context))}
      {refused !== undefined
        ? null
        : renderPages(
            page.next_cursor === null ? undefined : `${sectionPath}?cursor=${page.next_cursor}`,
            cursor === undefined ? undefined : sectionPath,
          )}
    </>
  )
  return { status: refused === undefined ? 200 : listed.status, title: 'Audit log', body }
}

function renderChanges(changes: readonly Change[], describe: FactText): Html {
  return renderTable({
    caption: 'Changes',
    columns: ['What', 'About', 'Who', 'When'],
    items: changes,
    limit: 200,
    bytes: 48_000,
    empty: 'No changes yet.',
    render: ({ text, facts, by, at }) => [
      text,
      renderFacts(facts, describe),
      <>
        <bdi>{clipText(by.kind === 'registry' ? 'The registry' : (by.name ?? by.id), 120)}</bdi>
        {by.kind === 'user' || by.kind === 'registry' ? '' : ` (${by.kind})`}
      </>,
      renderExactMoment(at),
    ],
  })
}

/** Describes a fact; undefined for one that says nothing to people. */
type FactText = (name: string, value: string) => string | undefined

function renderFacts(facts: Change['facts'], describe: FactText): Html {
  const texts = Object.entries(facts).flatMap(([name, value]) => describe(name, value) ?? [])
  return (
    <>
      {[...new Set(texts)].map((text, i) => (
        <>
          {i > 0 ? ', ' : ''}
          <bdi>{clipText(text, 120)}</bdi>
        </>
      ))}
    </>
  )
}

const files: Readonly<Record<string, string>> = { brand: 'brand.json', property: 'adagents.json' }

/** Creates the description of facts in the words of the page where the change was made, with names for ids. */
function createFactText({ organization, services: { reader } }: OrganizationRequest): FactText {
  const { org_id, role } = organization
  const labels = listKeyLabels(reader, org_id)
  const seesInvitations = hasOrganizationRight(role, 'members')
  const texts: Readonly<Record<string, (value: string) => string | undefined>> = {
    to_revision: value => (value === '0' ? undefined : `version ${value}`),
    entity: value => files[value] ?? value,
    visibility: value => visibilityTexts[value as Visibility],
    key_id: value => labels.get(value),
    user_id: value => findPerson(reader, value)?.email ?? undefined,
    invitation_id: value => (seesInvitations ? findInvited(reader, org_id, value) : undefined),
    profile_auto_created: () => undefined,
  }
  return (name, value) => {
    const describe = texts[name]
    return describe === undefined ? value : describe(value)
  }
}

export const auditRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/audit', handle: showAudit },
]
