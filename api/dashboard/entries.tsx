import type { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { RevisionHeld, RevisionList } from '../../pipeline/model/responses/history.ts'
import type { OrganizationDomains } from '../../pipeline/model/responses/ownership.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { toBrandPath, toPublisherPath, toWorkshopPath } from '../pages/parts/paths.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'
import { publishFile, saveProperties } from './publish-file.ts'
import { canReview } from './reviews.tsx'
import type { OrganizationPlace, OrganizationStep } from './step.ts'

type Revisions = z.infer<typeof RevisionList>
type Domains = z.infer<typeof OrganizationDomains>

const kinds = {
  brand: { title: 'The brand', path: '/api/brands/discovered/' },
  property: { title: 'Its properties', path: '/api/properties/hosted/' },
} as const
type Kind = keyof typeof kinds

interface EntryView {
  fault?: string | undefined
  text?: string
  marked?: Html | null
}

function showEntries(step: OrganizationStep): Promise<DashboardAnswer> {
  const { domain } = step.query
  const chosen = typeof domain === 'string' ? parseFormDomain(domain.trim()) : undefined
  return chosen === undefined ? chooseDomain(step) : showEntry(step, chosen)
}

async function chooseDomain(step: OrganizationStep, fault?: string): Promise<DashboardAnswer> {
  const { ask, org, organization } = step
  const at = toSectionPath(organization.org_id, 'entries')
  const url = '/api/me/organization/domains'
  const listed = await ask<Domains>({ method: 'GET', url, query: org })
  const domains = listed.refused === undefined ? listed.body.domains : []
  const body = (
    <>
      <h1>Saved entries</h1>
      <p class="lead">
        What members save of domains that publish no file of their own, with its history.
      </p>
      {renderFault(fault ?? listed.refused)}
      <ul class="chips">
        {domains.map(({ domain }) => (
          <li>
            <a href={`${at}?${new URLSearchParams({ domain })}`}>{renderName(domain)}</a>
          </li>
        ))}
      </ul>
      <form method="get" action={at} class="row">
        <label for="domain">Domain</label>
        <input id="domain" name="domain" required maxlength="300" placeholder="acme.example" />
        <button type="submit">Open</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Saved entries', body }
}

async function showEntry(
  step: OrganizationStep,
  domain: Domain,
  { fault, text = '', marked }: EntryView = {},
): Promise<DashboardAnswer> {
  const { organization, token } = step
  const at = toSectionPath(organization.org_id, 'entries')
  const [brand, property] = await Promise.all([
    renderHistory(step, 'brand', domain),
    renderHistory(step, 'property', domain),
  ])
  const body = (
    <>
      <h1>{renderName(domain)}</h1>
      <p>
        <a href={toBrandPath(domain)}>Its brand</a> ·{' '}
        <a href={toPublisherPath(domain)}>Its inventory</a> ·{' '}
        <a href={toWorkshopPath(domain, 'adagents.json')}>Check its file</a>
      </p>
      {renderFault(fault)}
      {renderSection('brand', kinds.brand.title, brand)}
      {renderSection('properties', kinds.property.title, property)}
      {renderSection(
        'publish',
        'Publish a hosted adagents.json',
        <>
          <p>
            The registry serves the properties of this file at{' '}
            <code>/publisher/{domain}/.well-known/adagents.json</code>. Agents are not taken from
            it: only the file on the domain itself authorizes, and it may point here.
          </p>
          {marked ?? null}
          <form method="post" action={`${at}/publish`} class="editor">
            {renderToken(token)}
            <input type="hidden" name="domain" value={domain} />
            <label for="text">The file</label>
            <textarea id="text" name="text" rows="14" spellcheck="false" wrap="off" required>
              {text}
            </textarea>
            <button type="submit">Publish its properties</button>
          </form>
        </>,
      )}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: `Entries of ${domain}`, body }
}

async function renderHistory(step: OrganizationStep, kind: Kind, domain: Domain): Promise<Child> {
  const { ask, organization, token } = step
  const url = `${kinds[kind].path}${encodeURIComponent(domain)}/revisions`
  const listed = await ask<Revisions>({ method: 'GET', url })
  if (listed.status === 404) return <p class="empty">Nothing is saved.</p>
  if (listed.refused !== undefined) return renderFault(listed.refused)
  const at = `${toSectionPath(organization.org_id, 'entries')}/roll-back`
  return renderTable({
    caption: `Revisions: ${kinds[kind].title}`,
    columns: ['Revision', 'When', 'By', 'Says', 'Change'],
    items: listed.body.revisions,
    total: listed.body.total,
    bytes: 30_000,
    empty: 'Nothing is saved.',
    render: ({ revision_number, created_at, editor_id, edit_summary }) => [
      revision_number,
      renderMoment(created_at),
      <code>{editor_id.slice(0, 12)}</code>,
      edit_summary === undefined ? '' : renderName(edit_summary, 120),
      revision_number === listed.body.revisions[0]?.revision_number
        ? 'current'
        : renderButton(
            at,
            token,
            'Restore',
            { domain, kind, to_revision: String(revision_number) },
            'plain',
          ),
    ],
  })
}

async function restoreRevision(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, form, organization, org } = step
  const domain = parseFormDomain(form.get('domain') ?? '')
  const kind = form.get('kind') === 'property' ? 'property' : 'brand'
  if (domain === undefined) return chooseDomain(step, 'Name a domain.')
  const number = Number(form.get('to_revision'))
  const { refused } =
    kind === 'property' && !canReview(step)
      ? await saveEarlier(step, domain, number)
      : await ask({
          method: 'POST',
          url: `${kinds[kind].path}${encodeURIComponent(domain)}/rollback`,
          query: org,
          payload: { to_revision: number },
        })
  if (refused !== undefined) return showEntry(step, domain, { fault: refused })
  return redirectToEntry(organization.org_id, domain, 'rolled_back')
}

/**
 * Saves the properties of an earlier revision again: only moderators roll properties back, and a member may
 * save any. The contact of the entry is not shown, so it is left out.
 */
async function saveEarlier(
  { ask, org }: OrganizationStep,
  domain: Domain,
  number: number,
): Promise<{ refused: string | undefined }> {
  const url = `${kinds.property.path}${encodeURIComponent(domain)}/revisions/${number}`
  const held = await ask<RevisionHeld>({ method: 'GET', url })
  if (held.refused !== undefined) return held
  const { properties } = held.body.content?.document ?? {}
  if (!Array.isArray(properties)) return { refused: 'The content of this revision is not shown.' }
  return saveProperties({ ask, org }, domain, properties)
}

/** Saves the properties of a file that was checked; the registry builds the hosted file from them. */
async function publish(step: OrganizationStep): Promise<DashboardAnswer> {
  const { form, organization } = step
  const domain = parseFormDomain(form.get('domain') ?? '')
  if (domain === undefined) return chooseDomain(step, 'Name a domain.')
  const text = (form.get('text') ?? '').replaceAll('\r\n', '\n')
  const failed = await publishFile(step, { kind: 'adagents.json', domain, text })
  if (failed !== undefined) return showEntry(step, domain, { ...failed, text })
  return redirectToEntry(organization.org_id, domain, 'published')
}

function redirectToEntry(
  orgId: string,
  domain: string,
  done: 'published' | 'rolled_back',
): DashboardAnswer {
  const next = `${toSectionPath(orgId, 'entries')}?${new URLSearchParams({ domain })}`
  return { next, done }
}

export const entryPlaces: readonly OrganizationPlace[] = [
  { method: 'GET', path: '/entries', take: showEntries },
  { method: 'POST', path: '/entries/roll-back', take: restoreRevision },
  { method: 'POST', path: '/entries/publish', take: publish },
]
