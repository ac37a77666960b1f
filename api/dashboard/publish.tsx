import { createHash } from 'node:crypto'
import { type ProposedKind, proposedKinds } from '../../pipeline/parse/check-file.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { toCaller } from '../limits/caller.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { type Draft, findDraft, keepDraft, NO_DRAFT, PUBLISH_PATH } from './draft.ts'
import { renderOwnFile } from './hosted-file.tsx'
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

async function showFile(
  context: DashboardRequest,
  { kind, domain, text, brandName = '' }: Draft,
  { fault, marked }: { fault?: string; marked?: Child } = {},
): Promise<DashboardAnswer> {
  const { services } = context
  const parsed = parseFormDomain(domain)
  const own = parsed && (await renderOwnFile(context, kind, parsed))
  const preview = parsed && buildPreview({ kind, domain: parsed, text }, services.clock.now())
  const body = (
    <>
      <h1>Publish a hosted {kind}</h1>
      <p class="lead">
        The registry serves it for a domain that cannot. A file that the domain serves itself takes
        precedence.
      </p>
      {renderFault(fault)}
      {own ?? null}
      {marked ?? null}
      <form method="post" action={PUBLISH_PATH} class="editor">
        {renderToken(context.token)}
        <input type="hidden" name="kind" value={kind} />
        {renderOrganizationField(context)}
        <label for="domain">Domain</label>
        <input id="domain" name="domain" value={domain} required maxlength="300" />
        {kind === 'brand.json' ? (
          <>
            <label for="name">Name of the brand</label>
            <input id="name" name="brand_name" value={brandName} required maxlength="200" />
          </>
        ) : null}
        <label for="text">The file</label>
        <textarea id="text" name="text" rows="18" spellcheck="false" wrap="off" required>
          {text}
        </textarea>
        {preview === undefined || parsed === undefined
          ? null
          : renderPreview({ kind, domain: parsed, text }, preview, services.baseUrl())}
        {renderHidden({ [PREVIEWED]: preview && hashFile(domain, text) })}
        <div class="row">
          <button type="submit">{preview === undefined ? 'Preview' : 'Publish it'}</button>
          {preview === undefined ? null : (
            <button type="submit" class="plain" name="do" value="preview">
              Preview again
            </button>
          )}
        </div>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: `Publish a hosted ${kind}`, body }
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
  const published = await publishFile(chosen, { ...draft, domain })
  if ('done' in published) {
    const next = toEntryPath(chosen.organization.org_id, domain)
    return { next, ...published, cookie: NO_DRAFT }
  }
  if (published.needsProof) {
    const cookie = await keepDraft(draft, toCaller(request.ip), services)
    const explanation = `Your file is kept for ${services.config.LIMITS.draftMinutes} minutes. Once ${domain} is verified, it is shown again and you can publish it.`
    const answer = await beginProof(chosen, { domain, back: PUBLISH_PATH, note: explanation })
    return 'body' in answer ? { ...answer, cookie } : answer
  }
  return showFile(chosen, draft, published)
}

export const publishRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: PUBLISH_PATH, handle: showDraft },
  { method: 'POST', path: PUBLISH_PATH, handle: publishDraft },
]
