import { createHash } from 'node:crypto'
import { type ProposedKind, proposedKinds } from '../../pipeline/parse/check-file.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { toCaller } from '../limits/caller.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import { renderSection } from '../pages/parts/blocks.tsx'
import { renderChangedFields } from '../pages/parts/changed-fields.tsx'
import { compareDocuments } from '../pages/parts/compare-documents.ts'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { type Draft, findDraft, keepDraft, NO_DRAFT, PUBLISH_PATH } from './draft.ts'
import { readHosted, renderOwnFile } from './hosted-file.tsx'
import { buildPreview, renderPreview } from './hosted-preview.tsx'
import { chooseOrganization, renderOrganizationField } from './own-organization.tsx'
import {
  type DashboardAnswer,
  renderFault,
  renderHidden,
  renderToken,
  toEntryPath,
} from './page.tsx'
import { beginProof } from './proof.tsx'
import { checkPublished, publishFile } from './publish-file.ts'

/** Field with the hash of the file whose preview was shown: nothing else is published. */
const PREVIEWED = 'previewed'

function hashFile(domain: string, text: string): string {
  return createHash('sha256').update(`${domain}\n${text}`).digest('hex')
}

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

interface ShownWith {
  fault?: string
  marked?: Child
}

async function showFile(
  context: DashboardRequest,
  draft: Draft,
  { fault, marked }: ShownWith = {},
): Promise<DashboardAnswer> {
  const { services } = context
  const { kind, domain, text } = draft
  const parsed = parseFormDomain(domain)
  const own = parsed && (await renderOwnFile(context, kind, parsed))
  const preview = own
    ? undefined
    : parsed && buildPreview({ kind, domain: parsed, text }, services.clock.now())
  const before = own || !parsed ? undefined : (await readHosted(context, kind, parsed)).text
  const title = before === undefined ? `Host the ${kind}` : `Review your change to the ${kind}`
  const body = (
    <>
      <h1>
        {title}
        {parsed ? <> of {renderName(parsed)}</> : null}
      </h1>
      {renderFault(fault)}
      {own ?? null}
      {marked ?? null}
      {before === undefined || preview?.file === undefined
        ? null
        : renderSection('change', 'What changes', renderDifference(before, preview.file))}
      <form method="post" action={PUBLISH_PATH} class="editor">
        {renderToken(context.token)}
        <input type="hidden" name="kind" value={kind} />
        {renderSubject(context, draft, before !== undefined)}
        <label for="text">The file</label>
        <textarea id="text" name="text" rows="18" spellcheck="false" wrap="off" required>
          {text}
        </textarea>
        {preview === undefined || parsed === undefined
          ? null
          : renderPreview({ kind, domain: parsed, text }, preview, {
              baseUrl: services.baseUrl(),
              isNew: before === undefined,
            })}
        {renderHidden({ [PREVIEWED]: preview && hashFile(domain, text) })}
        <div class="row">
          <button type="submit">
            {preview === undefined ? 'Preview' : before === undefined ? 'Publish it' : 'Save'}
          </button>
          {preview === undefined ? null : (
            <button type="submit" class="plain" name="do" value="preview">
              Preview again
            </button>
          )}
        </div>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title, body }
}

/** Renders the fields that say for whom a file is hosted: chosen for a new one, fixed for a change. */
function renderSubject(
  context: DashboardRequest,
  { kind, domain, brandName = '' }: Draft,
  isChange: boolean,
): Child {
  const org = context.form.get('org')
  const isFixed = isChange && context.memberships.some(({ org_id }) => org_id === org)
  return (
    <>
      {isFixed ? (
        renderHidden({ org: org ?? '', domain })
      ) : (
        <>
          {renderOrganizationField(context)}
          <label for="domain">Domain</label>
          <input id="domain" name="domain" value={domain} required maxlength="300" />
        </>
      )}
      {kind === 'brand.json' ? (
        <>
          <label for="name">Name of the brand</label>
          <input id="name" name="brand_name" value={brandName} required maxlength="200" />
        </>
      ) : null}
    </>
  )
}

/** Renders what a change does to the served file. */
function renderDifference(before: string, after: object): Child {
  const { last_updated: _, ...now } = after as Record<string, unknown>
  const { last_updated: __, ...old } = JSON.parse(before) as Record<string, unknown>
  const changes = compareDocuments(old, now)
  return changes.length === 0 ? (
    <p class="empty">Nothing: this is what is served already.</p>
  ) : (
    renderChangedFields(changes, true)
  )
}

async function publishDraft(context: DashboardRequest): Promise<DashboardAnswer> {
  const { form, request, services } = context
  const read = (name: string) => form.get(name) ?? ''
  const kind: ProposedKind = proposedKinds.find(known => known === read('kind')) ?? 'adagents.json'
  const text = read('text').replaceAll('\r\n', '\n')
  const draft = { kind, domain: read('domain').trim(), text, brandName: read('brand_name') }
  const domain = parseFormDomain(draft.domain)
  if (domain === undefined) return showFile(context, draft, { fault: 'Enter a domain.' })
  if (read('do') === 'preview' || read(PREVIEWED) !== hashFile(draft.domain, text)) {
    const checked = checkPublished({ ...draft, domain }, services.clock.now())
    return showFile(context, draft, 'fault' in checked ? checked : {})
  }
  const chosen = await chooseOrganization(context)
  if ('fault' in chosen) return showFile(context, draft, chosen)
  const { text: before } = await readHosted(context, kind, domain)
  const published = await publishFile(chosen, { ...draft, domain })
  if ('done' in published) {
    const next = toEntryPath(chosen.organization.org_id, domain)
    const isChange = before !== undefined && published.done !== 'pending'
    return { next, done: isChange ? 'saved' : published.done, cookie: NO_DRAFT }
  }
  if (published.needsProof) {
    const cookie = await keepDraft(draft, toCaller(request.ip), services)
    const answer = await beginProof(chosen, { domain, back: PUBLISH_PATH })
    return 'body' in answer ? { ...answer, cookie } : answer
  }
  return showFile(chosen, draft, published)
}

export const publishRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: PUBLISH_PATH, handle: showDraft },
  { method: 'POST', path: PUBLISH_PATH, handle: publishDraft },
]
