import { MINUTE } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { AgentCompliance } from '../../pipeline/model/responses/compliance.ts'
import type {
  AgentAuthStatus,
  AgentConnected,
  AgentDiagnosticList,
} from '../../pipeline/model/responses/monitoring.ts'
import type { StoryboardComparison } from '../../pipeline/model/storyboards/storyboard-comparison.ts'
import { describeOffline, findProbedAgent } from '../../pipeline/read/lookups/agent-profiles.ts'
import { CANNOT_BE_REACHED, REQUIRES_CREDENTIAL } from '../../pipeline/resolve/compliance.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderFacts, renderSection } from '../pages/parts/blocks.tsx'
import { describeTests, renderTests } from '../pages/parts/compliance.tsx'
import { toStoryboardPath } from '../pages/parts/paths.ts'
import {
  credentialForms,
  describeCredentialFault,
  renderCredential,
  toAgentApiPath,
} from './agent-credential.tsx'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderHidden,
  renderToken,
  toSectionPath,
} from './page.tsx'
import { isContrary, renderComparedPhases, renderFailedSteps } from './test-steps.tsx'

/** Steps that failed and are shown with what was sent and what came. */
const FAILED_MAX = 20
/** Seconds after which a page looks again whether a run has ended. */
const REFRESH_SECONDS = 5
/** Value of `since` for an agent that was never tested. */
const NEVER = 'never'

/** Looks of the notice that a test is finished, by its result. */
const looks = {
  passing: 'good',
  degraded: 'fair',
  failing: 'bad',
  unknown: 'fair',
  opted_out: 'fair',
} as const satisfies Record<AgentCompliance['status'], string>

/** Builds the path of the page with the tests of an agent. */
export function toTestsPath(orgId: string, url: string, more: Record<string, string> = {}): string {
  return `${toSectionPath(orgId, 'agents')}/tests?${new URLSearchParams({ url, ...more })}`
}

async function showTests(
  context: OrganizationRequest,
  { url, since, fault }: { url: string; since?: string; fault?: string | undefined },
): Promise<DashboardAnswer> {
  const { callApi, org } = context
  const [compliance, auth, diagnostics] = await Promise.all([
    callApi<AgentCompliance>({ method: 'GET', url: toAgentApiPath(url, 'compliance') }),
    callApi<AgentAuthStatus>({
      method: 'GET',
      url: toAgentApiPath(url, 'auth-status'),
      query: org,
    }),
    callApi<AgentDiagnosticList>({
      method: 'GET',
      url: toAgentApiPath(url, 'compliance/diagnostics'),
      query: { limit: '1000' },
    }),
  ])
  const refused = diagnostics.refused ?? compliance.refused ?? auth.refused
  if (refused !== undefined) return showRefused(refused, diagnostics.status)
  const stopped = describeStop(compliance.body)
  const { last_checked_at } = compliance.body
  const isRunning = stopped === null && since === (last_checked_at ?? NEVER)
  const failed = diagnostics.body.diagnostics.filter(({ step_passed }) => step_passed === false)
  const body = (
    <>
      <p class="lead">{renderName(url, 200)}</p>
      {renderFault(fault)}
      {stopped === null ? null : <p class="notice fair">{stopped}</p>}
      {isRunning ? (
        <p class="notice" role="status">
          The agent is being tested. This page refreshes itself until the result is in.
        </p>
      ) : null}
      {since === undefined || isRunning || stopped !== null ? null : (
        <p class={`notice ${looks[compliance.body.status]}`} role="status">
          The test is finished: {describeRun(compliance.body)}.
        </p>
      )}
      {renderSummary(compliance.body, {
        never: stopped === null ? describeFirst(context) : 'never',
        reason: describeOffline(findProbedAgent(context.services.reader, url)),
      })}
      {stopped === null ? renderRunForm(context, url, compliance.body) : null}
      {renderCredential(context, compliance.body, auth.body, failed)}
      {renderFailed(failed, compliance.body)}
      {renderCompareForm(context, url, compliance.body)}
      {compliance.body.storyboard_statuses.length === 0
        ? null
        : renderSection('storyboards', 'Results', renderTests(compliance.body))}
    </>
  )
  const title = 'Tests'
  return {
    status: fault === undefined ? 200 : 400,
    title,
    heading: <>Test results for {renderName(new URL(url).host, 100)}</>,
    body,
    ...(isRunning && { refreshSeconds: REFRESH_SECONDS }),
  }
}

/** Describes why an agent is not tested on request either; null if it is. */
function describeStop({ compliance_opt_out, monitoring_paused }: AgentCompliance): string | null {
  if (compliance_opt_out) return 'Your organization has opted this agent out of tests.'
  return monitoring_paused ? 'The tests of this agent are paused.' : null
}

function showRefused(refused: string, status: number): DashboardAnswer {
  const body = (
    <>
      <h1>Tests</h1>
      {renderFault(refused)}
    </>
  )
  return { status: Math.max(status, 400), title: 'Tests', body }
}

/** Says when an agent is tested for the first time. */
function describeFirst({ services }: OrganizationRequest): string {
  const minutes = Math.ceil(services.config.LIMITS.complianceFirstMs / MINUTE)
  return `not yet; the first test starts within ${countThings(minutes, 'minute')} of adding the agent`
}

function renderSummary(
  { last_checked_at, verified_badges, is_api_access_tier, notices, ...tests }: AgentCompliance,
  { never, reason }: { never: string; reason: string | undefined },
): Html | null {
  // The headline says already that the last run did not reach the agent.
  const shown = notices.filter(({ code }) => code !== 'not_reached')
  const badges = verified_badges.map(({ role, adcp_version }) => `${role} ${adcp_version}`)
  return renderFacts([
    ['Status', tests.status],
    ['Last run', describeRun(tests)],
    ['Last result', reason],
    ['Last checked', last_checked_at === null ? never : renderMoment(last_checked_at)],
    ['Badges', badges.length > 0 ? badges.join(', ') : describeNoBadge(is_api_access_tier)],
    [
      'Notices',
      shown.length > 0 && shown.map(({ message }) => <div>{clipText(message, 300)}</div>),
    ],
  ])
}

/** Describes what the last run came to as the page of the agent does: also how many storyboards were not tested. */
function describeRun({
  headline,
  storyboard_statuses,
}: Pick<AgentCompliance, 'headline' | 'storyboard_statuses'>): string | null {
  if (headline === null || headline === REQUIRES_CREDENTIAL || headline === CANNOT_BE_REACHED)
    return headline
  const { news, rest } = describeTests({ storyboard_statuses })
  return [news, ...rest].join(', ')
}

function describeNoBadge(hasApiAccess: boolean): string {
  return hasApiAccess ? 'None' : 'None. Badges need a higher tier (see Usage)'
}

function renderRunForm(
  { organization, token }: OrganizationRequest,
  url: string,
  { last_checked_at }: AgentCompliance,
): Child {
  if (!canEdit(organization)) return null
  const path = `${toSectionPath(organization.org_id, 'agents')}/tests/run`
  return renderButton(path, token, 'Test now', { url, since: last_checked_at ?? NEVER })
}

function renderCompareForm(
  { organization, token }: OrganizationRequest,
  url: string,
  { storyboard_statuses }: AgentCompliance,
): Html | null {
  if (storyboard_statuses.length === 0 || !canEdit(organization)) return null
  return (
    <form
      method="post"
      action={`${toSectionPath(organization.org_id, 'agents')}/tests/compare`}
      class="ask"
    >
      {renderToken(token)}
      {renderHidden({ url })}
      <label>
        Storyboard
        <select name="storyboard">
          {storyboard_statuses.map(({ storyboard_id, title }) => (
            <option value={storyboard_id}>{clipText(title, 80)}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="plain">
        Compare with the reference agent
      </button>
    </form>
  )
}

function renderFailed(
  failed: AgentDiagnosticList['diagnostics'],
  { storyboard_statuses }: AgentCompliance,
): Html | null {
  if (failed.length === 0) return null
  const rest = failed.length - FAILED_MAX
  const titles = new Map(storyboard_statuses.map(({ storyboard_id: id, title }) => [id, title]))
  return renderSection(
    'failed',
    'What to change',
    <>
      {renderFailedSteps(failed.slice(0, FAILED_MAX), titles)}
      {rest > 0 ? <p class="quiet">And {countThings(rest, 'more step')}.</p> : null}
    </>,
    countThings(failed.length, 'failed step'),
  )
}

/** Has the agent tested at once; the page that follows waits for the result. */
async function runTests(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, form, organization } = context
  const url = form.get('url') ?? ''
  const started = await callApi({ method: 'POST', url: toAgentApiPath(url, 'monitoring/requeue') })
  const { refused } = started
  if (refused !== undefined) return showTests(context, { url, fault: refused })
  return { next: toTestsPath(organization.org_id, url, { since: form.get('since') ?? NEVER }) }
}

/** Saves or removes the credential with which the agent is tested. */
async function changeCredential(
  context: OrganizationRequest,
  { toRequest, done }: (typeof credentialForms)[number],
): Promise<DashboardAnswer> {
  const { callApi, form, organization } = context
  const url = form.get('url') ?? ''
  const fault = describeCredentialFault(
    await callApi<Partial<AgentConnected>>(toRequest(context, url)),
  )
  if (fault !== undefined) return showTests(context, { url, fault })
  return { next: toTestsPath(organization.org_id, url), done }
}

/** Compares the agent with the reference agent by one storyboard. */
async function compare(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, form, organization } = context
  const url = form.get('url') ?? ''
  const storyboard = form.get('storyboard') ?? ''
  const compared = await callApi<StoryboardComparison>({
    method: 'POST',
    url: toAgentApiPath(url, `storyboard/${encodeURIComponent(storyboard)}/compare`),
    payload: { organization_id: organization.org_id },
  })
  const { refused } = compared
  if (refused !== undefined) return showTests(context, { url, fault: refused })
  const { phases = [], user_agent, reference_agent, adcp_version, ...more } = compared.body
  const steps = phases.flatMap(phase => phase.steps)
  const differing = steps.filter(isContrary).length
  const lone = steps.filter(({ differs }) => differs).length - differing
  const body = (
    <>
      <p class="kicker">
        <a href={toTestsPath(organization.org_id, url)}>Tests</a>
      </p>
      <h1>Comparison</h1>
      <p class="lead">
        <a href={toStoryboardPath(storyboard)}>{renderName(more.storyboard.title, 200)}</a>, version{' '}
        {renderName(adcp_version, 20)}:{' '}
        {differing === 0
          ? lone > 0
            ? 'no differences in the steps that both agents ran.'
            : 'both agents behave the same in every step.'
          : `the agents differ in ${countThings(differing, 'step')}.`}
        {lone > 0 ? ` Only one of them ran ${countThings(lone, 'step')}.` : null}
      </p>
      {renderFacts([
        ['Your agent', clipText(user_agent.summary?.headline, 200)],
        ['Reference agent', clipText(reference_agent.summary?.headline, 200)],
      ])}
      {renderComparedPhases(phases)}
    </>
  )
  return { status: 200, title: 'Comparison', body }
}

export const agentTestRoutes: readonly OrganizationRoute[] = [
  {
    method: 'GET',
    path: '/agents/tests',
    handle: context => {
      const { url, since } = context.query
      return showTests(context, {
        url: String(url ?? ''),
        ...(since !== undefined && { since: String(since) }),
      })
    },
  },
  { method: 'POST', path: '/agents/tests/run', handle: runTests },
  { method: 'POST', path: '/agents/tests/compare', handle: compare },
  ...credentialForms.map(form => ({
    method: 'POST' as const,
    path: `/agents/tests/${form.path}`,
    handle: (context: OrganizationRequest) => changeCredential(context, form),
  })),
]
