import type { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { type HostedKind, hostedKinds } from '../../pipeline/model/hosted.ts'
import type { History, Revision } from '../../pipeline/model/responses/history.ts'
import type { OrganizationDomains } from '../../pipeline/model/responses/ownership.ts'
import { findAuthors } from '../../pipeline/read/lookups/people.ts'
import { CRAWL_PATH } from '../identity/way-back.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { toBrandPath, toPublisherPath } from '../pages/parts/paths.ts'
import { renderWatch } from '../pages/parts/watch.tsx'
import { findPointerFault } from './check-pointer.ts'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import { hasProof, isHosted, listFormerHosted } from './domain-rights.ts'
import { hostedFileRoutes, readHosted, renderHosted } from './hosted-file.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  toEntryPath,
  toSectionPath,
} from './page.tsx'
import { VERIFY_PATH } from './proof.tsx'
import { mayRestore } from './restore-rights.ts'
import { listSharers, renderSharers } from './sharers.tsx'
import { type Kind, kinds, renderRestore, showVersion, toVersionPath } from './version.tsx'

type Domains = z.infer<typeof OrganizationDomains>

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
  const { callApi, org, organization, services } = context
  const sectionPath = toSectionPath(organization.org_id, 'entries')
  const url = '/api/me/organization/domains'
  const listed = await callApi<Domains>({ method: 'GET', url, query: org })
  const former = listFormerHosted(context)
  const own = listed.refused === undefined ? listed.body.domains : []
  const unverified = new Set<string>([
    ...former,
    ...own.flatMap(({ domain, proven }) => (!proven && isHosted(services, domain) ? domain : [])),
  ])
  const domains = [...own.map(({ domain }) => domain), ...former].slice(0, LISTED_MAX)
  const files = await Promise.all(
    domains.map(async domain => {
      const read = (kind: HostedKind) => readHosted(context, kind, domain as Domain)
      return [domain, ...(await Promise.all(hostedKinds.map(read)))] as const
    }),
  )
  const body = (
    <>
      <p class="lead">Files that this registry hosts for your domains, with their history.</p>
      {renderFault(fault ?? listed.refused)}
      {renderTable({
        caption: 'Hosted files',
        columns: ['Domain', ...hostedKinds],
        items: files,
        empty: 'Your organization has no domain yet. Verify one under Domains.',
        render: ([domain, ...hosted]) => [
          <>
            <a href={toEntryPath(organization.org_id, domain)}>{renderName(domain)}</a>
            {unverified.has(domain) ? (
              <>
                <div class="quiet">
                  No longer verified
                  {canEdit(organization)
                    ? ': verify it to change its files or stop hosting them'
                    : null}
                </div>
                {renderVerify(context, domain)}
              </>
            ) : null}
          </>,
          ...hosted.map(({ text }) =>
            text === undefined ? (
              <span class="quiet">Not hosted</span>
            ) : (
              renderBadge('good', 'Hosted')
            ),
          ),
        ],
      })}
      <form method="get" action={sectionPath} class="row">
        <label>
          Domain
          <input id="domain" name="domain" required maxlength="300" placeholder="acme.example" />
        </label>
        <button type="submit">Open</button>
      </form>
    </>
  )
  return {
    status: fault === undefined ? 200 : 400,
    title: 'Hosted files',
    heading: 'Hosted files',
    body,
  }
}

async function showEntry(
  context: OrganizationRequest,
  domain: Domain,
  fault?: string,
): Promise<DashboardAnswer> {
  const { callApi, token, services } = context
  const renderFile = async (kind: Kind) => {
    const { file, history: url } = kinds[kind]
    const listed = await callApi<History>({ method: 'GET', url, query: { domain } })
    const versions = listed.body.revisions ?? []
    // Unless hosting was stopped, the last version is the current one.
    const last = versions.slice(0, 1).every(isRestorable) ? undefined : versions.find(isRestorable)
    const restore =
      last &&
      mayRestore(context, domain) &&
      renderRestore(context, { domain, kind, number: last.revision_number })
    return (
      <>
        {
          await renderHosted(
            context,
            { kind: file, domain },
            { restore, isDescribed: versions.slice(0, 1).some(isRestorable) },
          )
        }
        {listed.status === 404 ? null : renderFault(listed.refused)}
        {versions.length === 0 ? null : renderVersions(context, { domain, kind }, listed.body)}
      </>
    )
  }
  const [properties, brand] = await Promise.all([renderFile('property'), renderFile('brand')])
  const body = (
    <>
      <div class="actions">
        {renderButton(CRAWL_PATH, token, 'Crawl now', { domain }, 'plain')}
        <a href={toPublisherPath(domain)}>View publisher page</a>
        <a href={toBrandPath(domain)}>View brand page</a>
        {renderWatch(services, 'domain', domain)}
      </div>
      {renderFault(fault)}
      {await renderRights(context, domain)}
      {renderSection('properties', kinds.property.file, properties)}
      {renderSection('brand', kinds.brand.file, brand)}
    </>
  )
  return {
    status: fault === undefined ? 200 : 400,
    title: `Files of ${domain}`,
    heading: renderName(domain),
    body,
  }
}

/** Renders who else may change the files of a domain, or what lets the organization change them. */
async function renderRights(context: OrganizationRequest, domain: Domain): Promise<Html | null> {
  const sharers = listSharers(context, domain)
  if (!hasProof(context, context.organization.org_id, domain))
    return await renderUnverified(context, domain, sharers.length > 0)
  return sharers.length === 0 ? null : (
    <p class="notice fair">
      {renderSharers(context, domain, sharers)}: who has verified a domain can change its hosted
      files and stop hosting them. Each version says who saved it.{' '}
      <a href={toSectionPath(context.organization.org_id, 'domains')}>Your domains</a>
    </p>
  )
}

/** Renders what an organization has to verify a domain for: to host files, or to change those that are hosted. */
async function renderUnverified(
  context: OrganizationRequest,
  domain: Domain,
  isElsewhere: boolean,
): Promise<Html> {
  const files = await Promise.all(hostedKinds.map(kind => readHosted(context, kind, domain)))
  const isHosted = files.some(({ text }) => text !== undefined)
  return (
    <div class="notice fair">
      <p>
        {isHosted ? (
          <>
            {renderName(context.organization.org_name)} hasn’t verified {renderName(domain)}, or its
            verification has ended. To change these files or stop hosting them, it has to verify the
            domain.
          </>
        ) : (
          <>Verify {renderName(domain)} to host files for it.</>
        )}
        {isElsewhere ? ' Another organization has verified it and can do so.' : null}
      </p>
      {renderVerify(context, domain)}
    </div>
  )
}

/** Renders the button that verifies a domain and then leads to its files. */
function renderVerify({ org, organization, token }: OrganizationRequest, domain: string): Child {
  if (!canEdit(organization)) return null
  return renderButton(VERIFY_PATH, token, 'Verify', { domain, ...org }, 'plain')
}

/** Tells whether a version has a file to restore: one that stopped hosting has none. */
function isRestorable({ rolled_back_to }: Revision): boolean {
  return rolled_back_to !== 0
}

function renderVersions(
  context: OrganizationRequest,
  { domain, kind }: { domain: Domain; kind: Kind },
  { revisions, total }: History,
): Html {
  const [current] = revisions
  const isOwner = mayRestore(context, domain)
  const entry = { entity: kind, domain, org_id: context.organization.org_id }
  const authors = findAuthors(context.services.reader, entry)
  const table = renderTable({
    caption: `Versions of the ${kinds[kind].file}`,
    columns: ['Version', 'Saved', 'By', 'Change', 'Action'],
    items: revisions,
    total,
    bytes: 30_000,
    empty: 'No versions yet.',
    render: revision => {
      const { revision_number: number, created_at, editor_name, edit_summary } = revision
      const isOffered = isRestorable(revision) && revision !== current && isOwner
      const path = toVersionPath(context.org.org, domain, kind, number)
      return [
        isRestorable(revision) ? <a href={path}>{number}</a> : number,
        renderMoment(created_at),
        <>
          {renderName(editor_name, 80)}
          {authors.has(number) ? (
            <div class="quiet">
              <bdi>{clipText(authors.get(number) ?? '', 120)}</bdi>
            </div>
          ) : null}
        </>,
        edit_summary === undefined ? '' : renderName(edit_summary, 120),
        isOffered ? (
          <a href={path}>Restore</a>
        ) : (
          revision === current && (isRestorable(revision) ? 'Current' : 'Not hosted')
        ),
      ]
    },
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
  const { refused } = await callApi({
    method: 'POST',
    url: `${kinds[kind].path}${encodeURIComponent(domain)}/rollback`,
    query: org,
    payload: { to_revision: Number(form.get('to_revision')) },
  })
  if (refused !== undefined) return showEntry(context, domain, refused)
  const { text } = await readHosted(context, kinds[kind].file, domain)
  const hosted = kind === 'brand' ? 'brand_rolled_back' : 'rolled_back'
  const done = text === undefined ? 'restored' : hosted
  return { next: toEntryPath(organization.org_id, domain), done }
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
  { method: 'GET', path: '/entries/version', handle: showVersion },
  { method: 'POST', path: '/entries/roll-back', handle: restoreRevision },
  { method: 'POST', path: '/entries/check-pointer', handle: checkPointer },
]
