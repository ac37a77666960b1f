import type { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { HostedKind } from '../../pipeline/model/hosted.ts'
import type { History, RevisionHeld } from '../../pipeline/model/responses/history.ts'
import type { OrganizationDomains } from '../../pipeline/model/responses/ownership.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { toBrandPath, toPublisherPath } from '../pages/parts/paths.ts'
import { findPointerFault } from './check-pointer.ts'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { hostedFileRoutes, readHosted, renderHosted } from './hosted-file.tsx'
import { renderMembership } from './membership.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  toEntryPath,
  toSectionPath,
} from './page.tsx'
import { saveProperties } from './publish-file.ts'
import { canReview } from './reviews.tsx'
import { CRAWL_PATH } from './way-back.ts'

type Domains = z.infer<typeof OrganizationDomains>

const kinds = {
  brand: {
    file: 'brand.json',
    history: '/api/brands/history',
    path: '/api/brands/discovered/',
  },
  property: {
    file: 'adagents.json',
    history: '/api/properties/history',
    path: '/api/properties/hosted/',
  },
} as const
type Kind = keyof typeof kinds

const hostedKinds = ['adagents.json', 'brand.json'] as const
/** Domains whose files the list shows. */
const LISTED_MAX = 50

function showEntries(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { domain } = context.query
  const chosen = typeof domain === 'string' ? parseFormDomain(domain.trim()) : undefined
  return chosen === undefined ? chooseDomain(context) : showEntry(context, chosen)
}

async function chooseDomain(
  context: OrganizationRequest,
  fault?: string,
): Promise<DashboardAnswer> {
  const { callApi, org, organization } = context
  const sectionPath = toSectionPath(organization.org_id, 'entries')
  const url = '/api/me/organization/domains'
  const listed = await callApi<Domains>({ method: 'GET', url, query: org })
  const domains = listed.refused === undefined ? listed.body.domains.slice(0, LISTED_MAX) : []
  const files = await Promise.all(
    domains.map(async ({ domain }) => {
      const read = (kind: HostedKind) => readHosted(context, kind, domain as Domain)
      return [domain, ...(await Promise.all(hostedKinds.map(read)))] as const
    }),
  )
  const body = (
    <>
      <h1>Hosted files</h1>
      <p class="lead">
        Files that this registry keeps for domains that publish none of their own, each with its
        history.
      </p>
      {renderFault(fault ?? listed.refused)}
      {renderTable({
        caption: 'Hosted files',
        columns: ['Domain', ...hostedKinds],
        items: files,
        empty: 'Your organization has no domain yet. Verify one under Domains.',
        render: ([domain, ...hosted]) => [
          <a href={toEntryPath(organization.org_id, domain)}>{renderName(domain)}</a>,
          ...hosted.map(({ text }) =>
            text === undefined ? (
              <span class="quiet">not hosted</span>
            ) : (
              renderBadge('good', 'hosted')
            ),
          ),
        ],
      })}
      <form method="get" action={sectionPath} class="row">
        <label for="domain">Domain</label>
        <input id="domain" name="domain" required maxlength="300" placeholder="acme.example" />
        <button type="submit">Open</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Hosted files', body }
}

async function showEntry(
  context: OrganizationRequest,
  domain: Domain,
  fault?: string,
): Promise<DashboardAnswer> {
  const { org, token } = context
  const renderFile = async (kind: Kind) => (
    <>
      {await renderHosted(context, kinds[kind].file, domain)}
      {await renderHistory(context, kind, domain)}
      {kind === 'brand' ? renderMembership(context, toEntryPath(org.org, domain)) : null}
    </>
  )
  const [properties, brand] = await Promise.all([renderFile('property'), renderFile('brand')])
  const body = (
    <>
      <h1>{renderName(domain)}</h1>
      <div class="actions">
        {renderButton(CRAWL_PATH, token, 'Crawl now', { domain }, 'plain')}
        <a href={toPublisherPath(domain)}>View publisher page</a>
        <a href={toBrandPath(domain)}>View brand page</a>
      </div>
      {renderFault(fault)}
      {renderSection('properties', kinds.property.file, properties)}
      {renderSection('brand', kinds.brand.file, brand)}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: `Files of ${domain}`, body }
}

async function renderHistory(
  context: OrganizationRequest,
  kind: Kind,
  domain: Domain,
): Promise<Child> {
  const { callApi, organization, token } = context
  const url = kinds[kind].history
  const listed = await callApi<History>({ method: 'GET', url, query: { domain } })
  if (listed.status === 404) return null
  if (listed.refused !== undefined) return renderFault(listed.refused)
  const sectionPath = `${toSectionPath(organization.org_id, 'entries')}/roll-back`
  if (listed.body.revisions.length === 0) return null
  const table = renderTable({
    caption: `Versions of the ${kinds[kind].file}`,
    columns: ['Version', 'Saved', 'By', 'What', 'Action'],
    items: listed.body.revisions,
    total: listed.body.total,
    bytes: 30_000,
    empty: 'Nothing has been saved.',
    render: ({ revision_number, created_at, editor_name, edit_summary, rolled_back_to }) => [
      revision_number,
      renderMoment(created_at),
      renderName(editor_name, 80),
      edit_summary === undefined ? '' : renderName(edit_summary, 120),
      // Such a version withdrew the file: it has nothing to restore.
      rolled_back_to !== 0 &&
        (revision_number === listed.body.revisions[0]?.revision_number
          ? 'current'
          : renderButton(
              sectionPath,
              token,
              'Restore',
              { domain, kind, to_revision: String(revision_number) },
              'plain',
            )),
    ],
  })
  return (
    <>
      <h3>Versions</h3>
      {table}
    </>
  )
}

async function restoreRevision(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, form, organization, org } = context
  const domain = parseFormDomain(form.get('domain') ?? '')
  const kind = form.get('kind') === 'property' ? 'property' : 'brand'
  if (domain === undefined) return chooseDomain(context, 'Enter a domain.')
  const number = Number(form.get('to_revision'))
  const { refused } =
    kind === 'property' && !canReview(context)
      ? await saveEarlier(context, domain, number)
      : await callApi({
          method: 'POST',
          url: `${kinds[kind].path}${encodeURIComponent(domain)}/rollback`,
          query: org,
          payload: { to_revision: number },
        })
  if (refused !== undefined) return showEntry(context, domain, refused)
  return { next: toEntryPath(organization.org_id, domain), done: 'rolled_back' }
}

/**
 * Saves the properties of an earlier revision as a new save, since only moderators may roll properties back.
 * The contact of the entry is left out, because revisions do not show it.
 */
async function saveEarlier(
  { callApi, org }: OrganizationRequest,
  domain: Domain,
  number: number,
): Promise<{ refused: string | undefined }> {
  const url = `${kinds.property.path}${encodeURIComponent(domain)}/revisions/${number}`
  const held = await callApi<RevisionHeld>({ method: 'GET', url })
  if (held.refused !== undefined) return held
  const { properties } = held.body.content?.document ?? {}
  if (!Array.isArray(properties)) return { refused: 'The content of this revision is not shown.' }
  return saveProperties({ callApi, org }, domain, properties)
}

async function checkPointer(context: OrganizationRequest): Promise<DashboardAnswer> {
  const domain = parseFormDomain(context.form.get('domain') ?? '')
  if (domain === undefined) return chooseDomain(context, 'Enter a domain.')
  const fault = await findPointerFault(context, domain)
  if (fault !== undefined) return showEntry(context, domain, fault)
  return { next: toEntryPath(context.organization.org_id, domain), done: 'points_here' }
}

export const entryRoutes: readonly OrganizationRoute[] = [
  ...hostedFileRoutes,
  { method: 'GET', path: '/entries', handle: showEntries },
  { method: 'POST', path: '/entries/roll-back', handle: restoreRevision },
  { method: 'POST', path: '/entries/check-pointer', handle: checkPointer },
]
