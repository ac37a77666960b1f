import type { z } from 'zod'
import type { Mirror, ProposalAnswer } from '../../pipeline/model/responses/mirrors.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { compareDocuments } from '../pages/parts/compare-documents.ts'
import type { DashboardRequest } from './dashboard-request.ts'

type Proposal = z.infer<typeof ProposalAnswer>['proposal']

const CHANGES_MAX = 500

/** Renders what approving a proposal for a mirror changes; nothing once it was decided. */
export async function renderMirrorReview(
  { callApi }: DashboardRequest,
  id: string,
): Promise<Html | null> {
  const found = await callApi<{ proposal: Proposal }>({
    method: 'GET',
    url: `/api/registry/mirror-proposals/${encodeURIComponent(id)}`,
  })
  if (found.refused !== undefined || found.body.proposal.status !== 'pending') return null
  const { proposal } = found.body
  const mirror = await callApi<z.infer<typeof Mirror>>({
    method: 'GET',
    url: `/api/registry/mirrors/${encodeURIComponent(proposal.platform)}`,
  })
  return renderDifference(mirror.status === 200 ? mirror.body.adagents_json : undefined, proposal)
}

function renderDifference(current: unknown, proposal: Proposal): Html {
  const table = renderTable({
    caption: 'What approving changes',
    columns: ['Field', 'Now', 'Proposed'],
    items: compareDocuments(current, proposal.adagents_json),
    limit: CHANGES_MAX,
    bytes: 48_000,
    empty: 'Nothing: this file is already published.',
    render: ({ path, before, after }) => [
      <code>{clipText(path === '' ? 'the file' : path, 200)}</code>,
      before === undefined ? '–' : <code>{clipText(before, 300)}</code>,
      after === undefined ? '–' : <code>{clipText(after, 300)}</code>,
    ],
  })
  const outdated = proposal.base_changed ? (
    <p class="notice fair">
      The mirror has changed since this was proposed. It can’t be approved and has to be proposed
      again.
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
