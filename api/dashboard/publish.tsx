import { hasOrganizationRight } from '../../pipeline/core/roles.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { type ProposedKind, proposedKinds } from '../../pipeline/parse/check-file.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { type Draft, findDraft, PUBLISH_PATH } from './draft.ts'
import { type DashboardAnswer, renderFault, renderToken, toSectionPath } from './page.tsx'
import { publishFile } from './publish-file.ts'

/** Shows the form that publishes the file that the browser brought from the workshop. */
async function showDraft(context: DashboardRequest): Promise<DashboardAnswer> {
  const draft = await findDraft(context.request.headers.cookie, context.services)
  if (draft !== undefined) return showFile(context, draft)
  const body = (
    <>
      <h1>There is no file here</h1>
      <p class="notice fair">
        A file from the workshop is kept for {context.services.config.LIMITS.draftMinutes} minutes.
      </p>
      <p>
        <a href="/workshop">Open the workshop</a>
      </p>
    </>
  )
  return { status: 404, title: 'There is no file here', body }
}

function showFile(
  context: DashboardRequest,
  { kind, domain, text }: Draft,
  { fault, marked, name = '' }: { fault?: string; marked?: Child; name?: string } = {},
): DashboardAnswer {
  const editors = context.memberships.filter(({ role }) => hasOrganizationRight(role, 'edit'))
  const body = (
    <>
      <h1>Publish a hosted {kind}</h1>
      <p class="lead">
        The registry will serve this file for the domain, which may point here. A file that the
        domain serves itself takes precedence.
      </p>
      {renderFault(fault)}
      {marked ?? null}
      {editors.length === 0 ? (
        <p class="notice fair">
          Files are published by an organization: <a href="/dashboard">create one</a> and come back
          to <a href={PUBLISH_PATH}>this file</a>, which is kept for{' '}
          {context.services.config.LIMITS.draftMinutes} minutes.
        </p>
      ) : (
        <form method="post" action={PUBLISH_PATH} class="editor">
          {renderToken(context.token)}
          <input type="hidden" name="kind" value={kind} />
          <label for="org">Organization</label>
          {renderOrganizations(editors)}
          <label for="domain">Domain</label>
          <input id="domain" name="domain" value={domain} required maxlength="300" />
          {kind === 'brand.json' ? (
            <>
              <label for="name">Name of the brand</label>
              <input id="name" name="brand_name" value={name} required maxlength="200" />
            </>
          ) : null}
          <label for="text">The file</label>
          <textarea id="text" name="text" rows="18" spellcheck="false" wrap="off" required>
            {text}
          </textarea>
          <button type="submit">Publish it</button>
        </form>
      )}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: `Publish a hosted ${kind}`, body }
}

function renderOrganizations(editors: readonly Membership[]) {
  return (
    <select id="org" name="org">
      {editors.map(({ org_id, org_name }) => (
        <option value={org_id}>{org_name}</option>
      ))}
    </select>
  )
}

async function publishDraft(context: DashboardRequest): Promise<DashboardAnswer> {
  const { form, memberships } = context
  const read = (name: string) => form.get(name) ?? ''
  const kind: ProposedKind = proposedKinds.find(known => known === read('kind')) ?? 'adagents.json'
  const text = read('text').replaceAll('\r\n', '\n')
  const draft = { kind, domain: read('domain').trim(), text }
  const name = read('brand_name')
  const domain = parseFormDomain(draft.domain)
  const organization = memberships.find(({ org_id }) => org_id === read('org'))
  if (domain === undefined) return showFile(context, draft, { fault: 'Enter a domain.', name })
  if (organization === undefined) {
    return showFile(context, draft, { fault: 'You are not a member of this organization.', name })
  }
  const { org_id } = organization
  const org = { org: org_id }
  const failed = await publishFile({ ...context, org }, { kind, domain, text, brandName: name })
  if (failed !== undefined) return showFile(context, draft, { ...failed, name })
  const next = `${toSectionPath(org_id, 'entries')}?${new URLSearchParams({ domain })}`
  return { next, done: kind === 'brand.json' ? 'brand_published' : 'published' }
}

export const publishRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: PUBLISH_PATH, handle: showDraft },
  { method: 'POST', path: PUBLISH_PATH, handle: publishDraft },
]
