import { countThings } from '../../pipeline/core/counts.ts'
import { type ProposedKind, proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { toCaller } from '../limits/caller.ts'
import { type Draft, findDraft, keepDraft, NO_DRAFT, PUBLISH_PATH } from '../pages/draft.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { hashFile, REVIEWED, showReview } from './file-review.tsx'
import { COMPARED, hashHosted, readHosted } from './hosted-file.tsx'
import { chooseOrganization } from './own-organization.tsx'
import { type DashboardAnswer, toEntryPath } from './page.tsx'
import { beginProof } from './proof.tsx'
import { checkPublished, publishFile } from './publish-file.ts'

/** Shows the review of the file that the browser brought along. */
async function showDraft(context: DashboardRequest): Promise<DashboardAnswer> {
  const draft = await findDraft(context.request.headers.cookie, context.services)
  if (draft !== undefined) return showReview(context, draft, checkDraft(context, draft))
  const body = (
    <>
      <h1>No draft found</h1>
      <p class="notice fair">
        A draft is kept for {countThings(context.services.config.LIMITS.draftMinutes, 'minute')}.
        Check your file again to continue.
      </p>
      <p>
        <a href="/workshop">Check a file</a>
      </p>
    </>
  )
  return { status: 404, title: 'No draft found', body }
}

/** Checks a draft before its review: one that cannot be published yet says so there, with nothing to publish. */
function checkDraft({ services }: DashboardRequest, draft: Draft) {
  const domain = parseFormDomain(draft.domain)
  if (domain === undefined) return { fault: 'Enter a domain.', field: 'domain' }
  const checked = checkPublished({ ...draft, domain }, services.clock.now())
  return 'fault' in checked ? { ...checked, isHeld: true } : checked
}

async function publishDraft(context: DashboardRequest): Promise<DashboardAnswer> {
  const { form, request, services } = context
  const read = (name: string) => form.get(name) ?? ''
  if (read('do') === 'discard')
    return { next: '/dashboard', done: 'draft_discarded', cookie: NO_DRAFT }
  const kind: ProposedKind = proposedKinds.find(known => known === read('kind')) ?? 'adagents.json'
  const text = read('text').replaceAll('\r\n', '\n')
  const draft: Draft = {
    kind,
    domain: read('domain').trim(),
    text,
    brandName: read('brand_name'),
  }
  const domain = parseFormDomain(draft.domain)
  const checked = checkDraft(context, draft)
  if (domain === undefined) return showReview(context, draft, checked)
  const isReviewed = read('do') !== 'preview' && read(REVIEWED) === hashFile(draft.domain, text)
  // A person without an organization gets one only for a file that can be published.
  if ('fault' in checked || !isReviewed) return showReview(context, draft, checked)
  const { text: before } = await readHosted(context, kind, domain)
  if (read(COMPARED) !== hashHosted(before)) return showReview(context, draft, checked)
  const chosen = await chooseOrganization(context)
  if ('refusal' in chosen) {
    const { refused: fault, ...refusal } = chosen.refusal
    return showReview(context, draft, { fault, ...refusal })
  }
  const published = await publishFile(chosen, { ...draft, domain })
  if ('done' in published) {
    const next = toEntryPath(chosen.organization.org_id, domain)
    const isChange = before !== undefined && published.done !== 'pending'
    const saved = kind === 'brand.json' ? 'brand_saved' : 'saved'
    return { next, done: isChange ? saved : published.done, cookie: NO_DRAFT }
  }
  if (published.needsProof) {
    const cookie = await keepDraft({ ...draft, isReviewed: true }, toCaller(request.ip), services)
    const answer = await beginProof(chosen, { domain, back: PUBLISH_PATH })
    return 'body' in answer ? { ...answer, cookie } : answer
  }
  return showReview(chosen, draft, published)
}

export const publishRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: PUBLISH_PATH, handle: showDraft },
  { method: 'POST', path: PUBLISH_PATH, handle: publishDraft },
]
