import { getFirst, requireValue } from '../../pipeline/core/present.ts'
import { isModerator } from '../../pipeline/core/roles.ts'
import type { BrandResolution } from '../../pipeline/model/responses/index.ts'
import type { ReviewAnswer, ReviewList } from '../../pipeline/model/responses/reviews.ts'
import type { ReviewKind } from '../../pipeline/model/review.ts'
import { listRoles } from '../../pipeline/read/lookups/principals.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderFacts, renderJson, renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { renderLooks } from '../pages/parts/brand.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { renderMirrorReview } from './mirror-review.tsx'
import { type DashboardAnswer, renderFault, renderToken } from './page.tsx'

const PATH = '/dashboard/reviews'
const URL = '/api/registry/reviews'

/** Names of the kinds, and what each decision does. */
const kinds: Record<ReviewKind, { name: string; approval: string; rejection: string }> = {
  policy: {
    name: 'Policy',
    approval: 'it is listed, and any organization may save the next version',
    rejection: 'it is discarded',
  },
  mirror: {
    name: 'Mirror',
    approval: 'the file is served as the mirror of the platform',
    rejection: 'the mirror stays as it is, and the organization sees your reason',
  },
  dispute: {
    name: 'Dispute',
    approval:
      'a suspended link stays suspended; the operator corrects the rest on the command line',
    rejection: 'a suspended link counts again',
  },
  entry: {
    name: 'Saved entry',
    approval: 'the entry is shown',
    rejection: 'it stays hidden until the next save',
  },
  logo: {
    name: 'Logo',
    approval: 'it is shown to everyone as a logo of the brand',
    rejection: 'the picture is deleted',
  },
  brand: {
    name: 'Submitted brand',
    approval: 'it is shown as a community brand',
    rejection: 'it is discarded',
  },
}

/** Tells whether a person may review what others submit. */
export function canReview({
  services,
  person,
}: Pick<DashboardRequest, 'services' | 'person'>): boolean {
  return isModerator(listRoles(services.reader, 'user', person.user_id))
}

async function showQueue(context: DashboardRequest): Promise<DashboardAnswer> {
  if (!canReview(context)) return denyReviews()
  const { callApi, query } = context
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined
  const listed = await callApi<ReviewList>({
    method: 'GET',
    url: URL,
    ...(cursor !== undefined && { query: { cursor } }),
  })
  const { refused, body: page } = listed
  const body = (
    <>
      <p class="lead">
        Submissions that a moderator has to review before they are shown, newest first.
      </p>
      {renderFault(refused)}
      {refused !== undefined ? null : renderQueue(page)}
      {refused !== undefined || page.next_cursor == null ? null : (
        <p>
          <a
            href={`${PATH}?${new URLSearchParams({ cursor: String(page.next_cursor) })}`}
            rel="next"
          >
            More
          </a>
        </p>
      )}
    </>
  )
  return {
    status: refused === undefined ? 200 : listed.status,
    title: 'Reviews',
    heading: 'Reviews',
    body,
  }
}

function renderQueue({ reviews, total }: ReviewList): Html {
  return renderTable({
    caption: 'Waiting',
    columns: ['Subject', 'Type', 'By', 'Submitted'],
    items: reviews,
    total,
    empty: 'Nothing to review.',
    render: ({ review_id, kind, subject, submitter, submitted_at }) => [
      <a href={`${PATH}/${review_id}`}>{renderName(toTitle(kind, subject))}</a>,
      kinds[kind].name,
      renderName(submitter.organization ?? 'nobody'),
      renderMoment(submitted_at),
    ],
  })
}

/** Shortens the subject of a logo to its domain, since the page shows the picture itself. */
function toTitle(kind: ReviewKind, subject: string): string {
  return kind === 'logo' ? getFirst(subject.split(' ', 1)) : subject
}

async function findReview({
  callApi,
  params,
}: DashboardRequest): Promise<ReviewAnswer | undefined> {
  const url = `${URL}/${encodeURIComponent(requireValue(params.id, 'id in the path'))}`
  const { refused, body } = await callApi<ReviewAnswer>({ method: 'GET', url })
  return refused === undefined ? body : undefined
}

async function showReview(context: DashboardRequest, fault?: string): Promise<DashboardAnswer> {
  const review = canReview(context) ? await findReview(context) : undefined
  if (review === undefined) return denyReviews()
  const { review_id, kind, subject, status, submission } = review
  const isPending = status === 'pending'
  const title = `${kinds[kind].name}: ${toTitle(kind, subject)}`
  const body = (
    <>
      <p class="kicker">
        <a href={PATH}>Reviews</a>
      </p>
      <h1>{renderName(title, 240)}</h1>
      {renderFault(fault)}
      {renderFacts([
        ['State', status],
        ['Submitted by', renderName(review.submitter.organization ?? 'nobody')],
        ['Submitted', renderMoment(review.submitted_at)],
        ['Decided', review.reviewed_at && renderMoment(review.reviewed_at)],
        ['Notes', review.notes && clipText(review.notes, 2_000)],
      ])}
      {kind === 'mirror' ? await renderMirrorReview(context, review_id) : null}
      {review.picture === null ? null : renderPicture(review_id)}
      {kind === 'mirror' ? null : renderFields(submission)}
      {renderLooks(submission as Pick<BrandResolution, 'brand_manifest'>)}
      {renderSection('submission', 'The submission', renderJson(submission))}
      {isPending ? renderDecision(review, context.token) : null}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title, body }
}

function renderPicture(id: string): Html {
  return renderSection(
    'picture',
    'The picture',
    <img
      class="logo"
      src={`${PATH}/${id}/picture`}
      alt="The logo as submitted"
      width="160"
      height="160"
    />,
  )
}

/** Fields that have their own place on the page, or that only the submission as JSON has. */
const shownElsewhere: readonly string[] = ['brand_manifest', 'editor_kind']

function renderFields(submission: ReviewAnswer['submission']): Html | null {
  return renderFacts(
    Object.entries(submission)
      .filter(([name, value]) => value !== null && !shownElsewhere.includes(name))
      .map(([name, value]) => [
        capitalize(name.replaceAll('_', ' ')),
        clipText(typeof value === 'string' ? value : JSON.stringify(value), 2_000),
      ]),
  )
}

function renderDecision({ review_id, kind, digest }: ReviewAnswer, token: string): Html {
  const { approval, rejection } = kinds[kind]
  return (
    <form method="post" action={`${PATH}/${review_id}`} class="panel">
      <h2>Decide</h2>
      <p>
        Approved: {approval}. Rejected: {rejection}. Decisions can’t be undone.
      </p>
      {renderToken(token)}
      <input type="hidden" name="digest" value={digest} />
      <label for="notes">Reason</label>
      <textarea id="notes" name="notes" rows="3" maxlength="2000" />
      <button type="submit" name="decision" value="approve">
        Approve
      </button>{' '}
      <button type="submit" name="decision" value="reject" class="plain">
        Reject
      </button>
    </form>
  )
}

async function showPicture(context: DashboardRequest): Promise<DashboardAnswer> {
  const url = canReview(context) ? (await findReview(context))?.picture : undefined
  if (url == null) return denyReviews()
  const { status, file } = await context.callApi({ method: 'GET', url })
  return status === 200 ? { picture: file.bytes, type: file.type } : denyReviews()
}

async function decide(context: DashboardRequest): Promise<DashboardAnswer> {
  if (!canReview(context)) return denyReviews()
  const { callApi, form, params } = context
  const isApproval = form.get('decision') === 'approve'
  const notes = (form.get('notes') ?? '').trim()
  if (!isApproval && notes === '') return showReview(context, 'A rejection needs a reason.')
  const { refused } = await callApi({
    method: 'POST',
    url: `${URL}/${encodeURIComponent(requireValue(params.id, 'id in the path'))}/${isApproval ? 'approve' : 'reject'}`,
    payload: { digest: form.get('digest') ?? '', ...(notes !== '' && { notes }) },
  })
  if (refused !== undefined) return showReview(context, refused)
  return { next: PATH, done: isApproval ? 'approved' : 'rejected' }
}

/** Builds the 404 for people who are not moderators, and for reviews that do not exist. */
function denyReviews(): DashboardAnswer {
  const body = (
    <>
      <h1>Nothing here</h1>
      <p class="notice fair">Only moderators can review submissions.</p>
      <p>
        <a href="/dashboard">Your organizations</a>
      </p>
    </>
  )
  return { status: 404, title: 'Nothing here', body }
}

export const reviewRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: PATH, handle: showQueue },
  { method: 'GET', path: `${PATH}/:id`, handle: context => showReview(context) },
  { method: 'GET', path: `${PATH}/:id/picture`, handle: showPicture },
  { method: 'POST', path: `${PATH}/:id`, handle: decide },
]
