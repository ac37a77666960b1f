import { formatCount } from '../../pipeline/core/counts.ts'
import type { OrganizationUsage } from '../../pipeline/model/responses/organization-usage.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderMoment } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import type {
  DashboardRequest,
  OrganizationRequest,
  OrganizationRoute,
  PersonRoute,
} from './dashboard-request.ts'
import { API_ACCESS, describeMembership } from './membership.tsx'
import { type DashboardAnswer, renderFault, toSectionPath } from './page.tsx'

type LimitUse = OrganizationUsage['limits'][number]

async function showUsage(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, organization, services } = context
  const read = await callApi<OrganizationUsage>({
    method: 'GET',
    url: '/api/me/organization/usage',
    query: org,
  })
  const { refused, body: usage } = read
  const body = (
    <>
      <h1>Usage</h1>
      <p class="lead">
        How much of each limit you have used. Viewing this page doesn’t count toward any limit.
      </p>
      {renderFault(refused)}
      {refused !== undefined
        ? null
        : renderUsage(usage, describeMembership(services, organization))}
    </>
  )
  return { status: refused === undefined ? 200 : read.status, title: 'Usage', body }
}

function renderUsage(
  { organization, is_complete, limits }: OrganizationUsage,
  membership: string,
): Html {
  return (
    <>
      <p>
        <a href="/dashboard">Membership</a>: {membership}.{' '}
        {organization.has_api_access ? 'You can list agents publicly.' : API_ACCESS}
      </p>
      {is_complete ? null : (
        <p class="notice fair" role="status">
          Usage can’t be read at the moment. The limits still apply.
        </p>
      )}
      {renderSection('requests', 'Requests', renderRequests(limits))}
      {renderSection('stored', 'Stored items', renderStoredItems(limits))}
    </>
  )
}

function renderRequests(limits: readonly LimitUse[]): Html {
  const items = limits.filter(({ window_seconds }) => window_seconds !== null)
  return renderTable({
    caption: 'Requests',
    columns: ['Limit', 'Used', 'Left', 'Applies to', 'Resets'],
    items,
    limit: items.length,
    bytes: 40_000,
    empty: 'No limits.',
    render: limit => [
      ...renderCounts(limit),
      limit.counted_for === 'caller' ? 'you' : 'the organization',
      renderMoment(limit.resets_at, '–'),
    ],
  })
}

function renderStoredItems(limits: readonly LimitUse[]): Html {
  const items = limits.filter(({ window_seconds }) => window_seconds === null)
  return renderTable({
    caption: 'Stored items',
    columns: ['Limit', 'Used', 'Left'],
    items,
    limit: items.length,
    bytes: 40_000,
    empty: 'No limits.',
    render: renderCounts,
  })
}

function renderCounts({ text, used, max, remaining }: LimitUse): string[] {
  return [
    text.charAt(0).toUpperCase() + text.slice(1),
    renderUse(used, max),
    remaining === null ? renderUnknown(max) : formatCount(remaining),
  ]
}

function renderUse(used: number | null, max: number | null): string {
  if (used === null) return renderUnknown(max)
  return max === null ? formatCount(used) : `${formatCount(used)} of ${formatCount(max)}`
}

function renderUnknown(max: number | null): string {
  return max === null ? 'no limit' : 'unknown'
}

/** Redirects to the usage of the organization that the person joined first. */
function sendToUsage({ memberships: [first] }: DashboardRequest): DashboardAnswer {
  return { next: first === undefined ? '/dashboard' : toSectionPath(first.org_id, 'usage') }
}

export const usageRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/usage', handle: showUsage },
]

export const ownUsageRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: '/dashboard/usage', handle: sendToUsage },
]
