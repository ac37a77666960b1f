import type { RevisionHeld } from '../../pipeline/model/responses/history.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import type { OrganizationRequest } from './dashboard-request.ts'
import { type DashboardAnswer, renderFault, toEntryPath, toSectionPath } from './page.tsx'

const TEXT_CHARS = 50_000

const kinds = {
  brand: ['brand.json', '/api/brands/discovered/'],
  property: ['adagents.json', '/api/properties/hosted/'],
} as const
type Kind = keyof typeof kinds

/** Builds the path of the page with the text of a version. */
export function toVersionPath(orgId: string, domain: string, kind: Kind, number: number): string {
  const query = new URLSearchParams({ domain, kind, number: String(number) })
  return `${toSectionPath(orgId, 'entries')}/version?${query}`
}

/** Leaves out the ids of the registry, which no hosted file has. */
const omitOwnIds = (key: string, value: unknown) => (key === 'property_rid' ? undefined : value)

/** Shows what a version of a hosted file has, to be read before it is restored. */
export async function showVersion(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, query } = context
  const domain = parseFormDomain(String(query.domain ?? ''))
  const kind: Kind = query.kind === 'brand' ? 'brand' : 'property'
  if (domain === undefined) return { next: toSectionPath(org.org, 'entries') }
  const [file, path] = kinds[kind]
  const number = encodeURIComponent(String(query.number ?? ''))
  const url = `${path}${encodeURIComponent(domain)}/revisions/${number}`
  const { status, refused, body: version } = await callApi<RevisionHeld>({ method: 'GET', url })
  const title = refused === undefined ? `Version ${version.revision_number} of` : 'Version of'
  const body = (
    <>
      <h1>
        {title} the {file} of {renderName(domain)}
      </h1>
      {renderFault(refused)}
      {refused !== undefined ? null : (
        <>
          <p class="lead">Saved {renderMoment(version.created_at)}.</p>
          {version.content === null ? (
            <p class="empty">The content of this version is not shown.</p>
          ) : (
            <pre tabindex="0">
              {clipText(JSON.stringify(version.content.document, omitOwnIds, 2), TEXT_CHARS)}
            </pre>
          )}
        </>
      )}
      <p>
        <a href={toEntryPath(org.org, domain)}>All versions</a>
      </p>
    </>
  )
  return { status, title: `${title} the ${file} of ${domain}`, body }
}
