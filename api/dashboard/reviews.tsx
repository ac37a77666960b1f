import type { z } from 'zod'
import { isModerator } from '../../pipeline/core/roles.ts'
import type {
  Mirror,
  ProposalAnswer,
  ProposalList,
} from '../../pipeline/model/responses/mirrors.ts'
import { listRoles } from '../../pipeline/read/lookups/principals.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderFacts, renderJson, renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { compareDocuments } from '../pages/parts/compare-documents.ts'
import { type DashboardAnswer, renderFault, renderToken } from './page.tsx'
import type { PersonPlace, Step } from './step.ts'

type Proposals = z.infer<typeof ProposalList>
type Proposal = z.infer<typeof ProposalAnswer>['proposal']

const PATH = '/dashboard/reviews'
const URL = '/api/registry/mirror-proposals'
const CHANGES_MAX = 500

/** Tells whether a person decides what others submit. */
export function canReview({ services, person }: Pick<Step, 'services' | 'person'>): boolean {
  return isModerator(listRoles(services.reader, 'user', person.user_id))
}

async function showQueue(step: Step): Promise<DashboardAnswer> {
  if (!canReview(step)) return denyReviews()
  const { ask, query } = step
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined
  const listed = await ask<Proposals>({
    method: 'GET',
    url: URL,
    query: { review_queue: 'true', ...(cursor !== undefined && { cursor }) },
  })
  const { refused, body: page } = listed
  const body = (
    <>
      <h1>Reviews</h1>
      <p class="lead">
        Mirrors of platforms that members propose. Other submissions, of policies, brands, logos,
        entries and disputes, are decided with the command <code>registry review</code>.
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
  return { status: refused === undefined ? 200 : listed.status, title: 'Reviews', body }
}

function renderQueue({ proposals, total }: Proposals): Html {
  return renderTable({
    caption: 'Waiting',
    columns: ['Platform', 'By', 'Submitted'],
    items: proposals,
    total,
    empty: 'Nothing waits for a decision.',
    render: ({ proposal_id, platform, proposer, submitted_at }) => [
      <a href={`${PATH}/${proposal_id}`}>{renderName(platform)}</a>,
      renderName(proposer?.organization ?? 'nobody'),
      renderMoment(submitted_at),
    ],
  })
}

async function showProposal(step: Step, fault?: string): Promise<DashboardAnswer> {
  if (!canReview(step)) return denyReviews()
  const { ask, params } = step
  const url = `${URL}/${encodeURIComponent(params.id!)}`
  const found = await ask<{ proposal: Proposal }>({ method: 'GET', url })
  if (found.refused !== undefined) return denyReviews()
  const { proposal } = found.body
  const mirror = await ask<z.infer<typeof Mirror>>({
    method: 'GET',
    url: `/api/registry/mirrors/${encodeURIComponent(proposal.platform)}`,
  })
  const current = mirror.status === 200 ? mirror.body.adagents_json : undefined
  const body = (
    <>
      <p class="kicker">
        <a href={PATH}>Reviews</a>
      </p>
      <h1>Mirror of {renderName(proposal.platform)}</h1>
      {renderFault(fault)}
      {renderFacts([
        ['State', proposal.status],
        ['Proposed by', renderName(proposal.proposer?.organization ?? 'nobody')],
        ['Submitted', renderMoment(proposal.submitted_at)],
        ['Decided', proposal.reviewed_at && renderMoment(proposal.reviewed_at)],
        ['Notes', proposal.review_notes && clipText(proposal.review_notes, 2_000)],
      ])}
      {proposal.status === 'pending' ? renderDifference(current, proposal) : null}
      {renderSection('file', 'The proposed file', renderJson(proposal.adagents_json))}
      {proposal.status === 'pending' ? renderDecision(proposal, step.token) : null}
    </>
  )
  const status = fault === undefined ? 200 : 400
  return { status, title: `Mirror of ${proposal.platform}`, body }
}

function renderDifference(current: unknown, proposal: Proposal): Html {
  const table = renderTable({
    caption: 'What approving changes',
    columns: ['Field', 'Now', 'Proposed'],
    items: compareDocuments(current, proposal.adagents_json),
    limit: CHANGES_MAX,
    bytes: 48_000,
    empty: 'Nothing: the file is the one that is published.',
    render: ({ path, before, after }) => [
      <code>{clipText(path === '' ? 'the file' : path, 200)}</code>,
      before === undefined ? 'absent' : <code>{clipText(before, 300)}</code>,
      after === undefined ? 'absent' : <code>{clipText(after, 300)}</code>,
    ],
  })
  const outdated = proposal.base_changed ? (
    <p class="notice fair">
      The mirror has changed since this was proposed: it cannot be approved, and is proposed anew.
    </p>
  ) : null
  return renderSection(
    'difference',
    current === undefined ? 'A new mirror' : 'The difference',
    <>
      {outdated}
      {table}
    </>,
  )
}

function renderDecision({ proposal_id, proposal_digest }: Proposal, token: string): Html {
  return (
    <form method="post" action={`${PATH}/${proposal_id}`} class="panel">
      <h2>Decide</h2>
      {renderToken(token)}
      <input type="hidden" name="digest" value={proposal_digest} />
      <label for="notes">Reason, which the organization reads</label>
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

async function decide(step: Step): Promise<DashboardAnswer> {
  if (!canReview(step)) return denyReviews()
  const { ask, form, params } = step
  const isApproval = form.get('decision') === 'approve'
  const notes = (form.get('notes') ?? '').trim()
  if (!isApproval && notes === '') return showProposal(step, 'A rejection needs a reason.')
  const { refused } = await ask({
    method: 'POST',
    url: `${URL}/${encodeURIComponent(params.id!)}/${isApproval ? 'approve' : 'reject'}`,
    payload: {
      proposal_digest: form.get('digest') ?? '',
      ...(notes !== '' && { review_notes: notes }),
    },
  })
  if (refused !== undefined) return showProposal(step, refused)
  return { next: PATH, done: isApproval ? 'approved' : 'rejected' }
}

/** Denies a page to whoever is no moderator, and for what is no proposal. */
function denyReviews(): DashboardAnswer {
  const body = (
    <>
      <h1>Nothing here</h1>
      <p class="notice fair">Only moderators of the registry review what others submit.</p>
      <p>
        <a href="/dashboard">Your organizations</a>
      </p>
    </>
  )
  return { status: 404, title: 'Nothing here', body }
}

export const reviewPlaces: readonly PersonPlace[] = [
  { method: 'GET', path: PATH, take: showQueue },
  { method: 'GET', path: `${PATH}/:id`, take: step => showProposal(step) },
  { method: 'POST', path: `${PATH}/:id`, take: decide },
]
