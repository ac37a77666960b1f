import type { Domain } from '../../pipeline/core/domain.ts'
import type { RevisionHeld } from '../../pipeline/model/responses/history.ts'
import {
  countRevisions,
  findRevision,
  findVersionContact,
} from '../../pipeline/read/lookups/revisions.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderSection } from '../pages/parts/blocks.tsx'
import { renderChangedFields } from '../pages/parts/changed-fields.tsx'
import { compareFiles } from '../pages/parts/compare-documents.ts'
import { buildVersionFile } from '../pages/parts/version-file.ts'
import type { OrganizationRequest } from './dashboard-request.ts'
import { readHosted } from './hosted-file.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  toEntryPath,
  toSectionPath,
} from './page.tsx'
import { mayRestore } from './restore-rights.ts'

const TEXT_CHARS = 50_000

/** Kinds of hosted entries, each with its file and with the operations of its versions. */
export const kinds = {
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
export type Kind = keyof typeof kinds

/** Builds the path of the page with the text of a version. */
export function toVersionPath(orgId: string, domain: string, kind: Kind, number: number): string {
  const query = new URLSearchParams({ domain, kind, number: String(number) })
  return `${toSectionPath(orgId, 'entries')}/version?${query}`
}

/** Renders the button that restores a version. */
export function renderRestore(
  { org, token }: OrganizationRequest,
  { domain, kind, number }: { domain: Domain; kind: Kind; number: number },
): Html {
  const path = `${toSectionPath(org.org, 'entries')}/roll-back`
  const fields = { domain, kind, to_revision: String(number) }
  return renderButton(path, token, `Restore version ${number}`, fields)
}

/** Leaves out the contact, which only those who can change the file see in its versions. */
const omitContact = ({ contact: _, ...file }: Record<string, unknown>) => file

/** Shows what a version of a hosted file has and how it differs from what is served, before it is restored. */
export async function showVersion(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, query } = context
  const domain = parseFormDomain(String(query.domain ?? ''))
  const kind: Kind = query.kind === 'brand' ? 'brand' : 'property'
  if (domain === undefined) return { next: toSectionPath(org.org, 'entries') }
  const { file: name, path } = kinds[kind]
  const number = encodeURIComponent(String(query.number ?? ''))
  const url = `${path}${encodeURIComponent(domain)}/revisions/${number}`
  const { status, refused, body: version } = await callApi<RevisionHeld>({ method: 'GET', url })
  const title = refused === undefined ? `Version ${version.revision_number} of` : 'Version of'
  const body = (
    <>
      <h1>
        {title} the {name} of {renderName(domain)}
      </h1>
      {renderFault(refused)}
      {refused === undefined ? await renderVersion(context, { domain, kind }, version) : null}
      <p>
        <a href={toEntryPath(org.org, domain)}>All versions</a>
      </p>
    </>
  )
  return { status, title: `${title} the ${name} of ${domain}`, body }
}

async function renderVersion(
  context: OrganizationRequest,
  { domain, kind }: { domain: Domain; kind: Kind },
  version: RevisionHeld,
): Promise<Html> {
  const { reader } = context.services
  const { revision_number: number } = version
  const isOwner = mayRestore(context, domain)
  const { text } = await readHosted(context, kinds[kind].file, domain)
  const served = text === undefined ? undefined : JSON.parse(text)
  const held = { ...version, ...findRevision(reader, kind, domain, number, isOwner) }
  const contact = isOwner ? findVersionContact(reader, domain, number) : undefined
  const file = buildVersionFile(kind, held, contact)
  const changes =
    served === undefined || file === undefined
      ? undefined
      : compareFiles(isOwner ? served : omitContact(served), file)
  const isServed = changes?.length === 0
  const shown = file ?? held.content?.document
  const isCurrent = number === countRevisions(reader, kind, domain)
  const title = isOwner ? 'What restoring it changes' : 'How it differs from what is served now'
  return (
    <>
      <p class="lead">
        Saved {renderMoment(version.created_at)}.
        {isServed
          ? ` ${isCurrent ? 'This is' : 'It has the same content as'} what is served now.`
          : null}
      </p>
      {isServed || !isOwner ? null : renderRestore(context, { domain, kind, number })}
      {changes === undefined || isServed
        ? null
        : renderSection('change', title, renderChangedFields(changes, true))}
      {shown === undefined ? (
        <p class="empty">Only those who can change this file see the content of this version.</p>
      ) : (
        renderSection(
          'file',
          'The file',
          <pre>{clipText(JSON.stringify(shown, null, 2), TEXT_CHARS)}</pre>,
        )
      )}
    </>
  )
}
