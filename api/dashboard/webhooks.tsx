import type { z } from 'zod'
import { formatCount } from '../../pipeline/core/counts.ts'
import { hasOrganizationRight } from '../../pipeline/core/roles.ts'
import type {
  DeliveryLog,
  SubscriptionView,
  TestDelivery,
} from '../../pipeline/model/responses/subscriptions.ts'
import { toGuidePath } from '../pages/guides.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderFacts, renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal, renderField } from './field.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderOnce,
  toSectionPath,
} from './page.tsx'
import {
  describeRefused,
  describeSelection,
  readFilters,
  renderFilterFields,
} from './webhook-filters.tsx'

const API = '/api/registry/subscriptions'

const looks = { active: 'good', failing: 'fair', disabled: 'bad' } as const

/** Lists the webhooks of an organization, with the form for a new one. */
export async function showWebhooks(
  context: OrganizationRequest,
  { status = 200, ...refusal }: Refusal & { status?: number } = {},
): Promise<DashboardAnswer> {
  const { callApi, org, organization } = context
  const listed = await callApi<{ subscriptions: SubscriptionView[] }>({
    method: 'GET',
    url: API,
    query: org,
  })
  const sectionPath = toSectionPath(organization.org_id, 'webhooks')
  const body = (
    <>
      <p class="lead">
        A webhook sends changes to your server as they happen, signed and in order.{' '}
        <a href={toGuidePath('webhooks')}>How to receive them</a>
      </p>
      {renderFault(findFormFault(refusal, ['url', 'about']) ?? listed.refused)}
      {listed.refused !== undefined
        ? null
        : renderTable({
            caption: 'Webhooks',
            columns: ['Endpoint URL', 'Events', 'Status', 'Last delivery', 'Action'],
            items: listed.body.subscriptions,
            limit: 100,
            bytes: 60_000,
            empty: 'No webhooks yet.',
            render: webhook => [
              <a href={toWebhookPath(sectionPath, webhook)}>{renderName(webhook.url, 100)}</a>,
              describeSelection(webhook),
              renderBadge(looks[webhook.status], webhook.status),
              renderMoment(webhook.delivered_at, 'none yet'),
              renderActions(context, webhook),
            ],
          })}
      {canEdit(organization) ? renderNewForm(context, sectionPath, refusal) : null}
    </>
  )
  return { status, title: 'Webhooks', heading: 'Webhooks', body }
}

/** Builds the path of the page of a webhook. */
export function toWebhookPath(
  sectionPath: string,
  { subscription_id: id }: Pick<SubscriptionView, 'subscription_id'>,
): string {
  return `${sectionPath}/deliveries?${new URLSearchParams({ id })}`
}

function renderActions(
  { organization, token }: OrganizationRequest,
  { subscription_id: id, kind, status, url }: SubscriptionView,
): Child {
  if (!canEdit(organization)) return null
  const sectionPath = toSectionPath(organization.org_id, 'webhooks')
  return (
    <div class="actions">
      {kind === 'audit' ? null : (
        <a class="button plain" href={`${sectionPath}/edit?${new URLSearchParams({ id })}`}>
          Edit
        </a>
      )}
      {renderButton(`${sectionPath}/test`, token, 'Send a test', { id }, 'plain')}
      {status === 'disabled'
        ? renderButton(`${sectionPath}/resume`, token, 'Resume', { id }, 'plain')
        : null}
      {renderButton(`${sectionPath}/delete`, token, 'Delete', { id, [SUBJECT]: url }, 'plain')}
    </div>
  )
}

function renderNewForm(
  { form, organization, token }: OrganizationRequest,
  path: string,
  refusal: Refusal,
): Html {
  const mayPostAudit = hasOrganizationRight(organization.role, 'keys')
  return (
    <form method="post" action={path} class="panel">
      <h2>Create a webhook</h2>
      {renderOnce(token)}
      {renderField({
        name: 'url',
        label: 'Endpoint URL',
        refusal,
        hint: (
          <>
            The registry posts a challenge to this URL. Reply with status 200 and{' '}
            <code>{'{"challenge": "<result.challenge>"}'}</code>. The <code>organization_id</code>{' '}
            of the request is <code>{organization.org_id}</code>.
          </>
        ),
        type: 'url',
        value: form.get('url') ?? '',
        required: true,
        maxlength: '2000',
        placeholder: 'https://receiver.acme.example/changes',
      })}
      {renderFilterFields(form, refusal, mayPostAudit ? [['audit', 'audit log']] : [])}
      <button type="submit">Create webhook</button>
    </form>
  )
}

async function createWebhook(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, organization } = context
  const { event_types, ...about } = readFilters(context)
  const what = event_types[0] === 'audit' ? { kind: 'audit' } : { event_types }
  const payload = { url: form.get('url')?.trim() ?? '', ...what, ...about }
  const made = await callApi<SubscriptionView>({ method: 'POST', url: API, query: org, payload })
  if (made.refused !== undefined)
    return showWebhooks(context, { ...describeRefused(made, about), status: made.status })
  const body = (
    <>
      <h1>Your new webhook</h1>
      <p class="notice good" role="status">
        {renderName(made.body.url, 200)} has returned the challenge. Changes will be sent there from
        now on.
      </p>
      <p>
        <label for="secret">Signing secret, for verifying deliveries</label>
      </p>
      <input
        id="secret"
        class="secret"
        value={made.body.signing_secret ?? ''}
        readonly
        autocomplete="off"
      />
      <p class="notice fair">Copy it now: this page shows it only once.</p>
      <p>
        <a href={toSectionPath(organization.org_id, 'webhooks')}>I have copied it</a>
      </p>
    </>
  )
  return { status: 201, title: 'Your new webhook', body }
}

/** Shows a webhook with its last deliveries; `note` is what was just done with it. */
export async function showDeliveries(
  context: OrganizationRequest,
  id: string,
  { fault, note = null }: { fault?: string; note?: Child } = {},
): Promise<DashboardAnswer> {
  const { callApi, org } = context
  const url = toApiPath(id)
  const [found, log] = await Promise.all([
    callApi<SubscriptionView>({ method: 'GET', url, query: org }),
    callApi<z.infer<typeof DeliveryLog>>({ method: 'GET', url: `${url}/deliveries`, query: org }),
  ])
  if (found.refused !== undefined)
    return showWebhooks(context, { refused: fault ?? found.refused, status: found.status })
  const webhook = found.body
  const body = (
    <>
      <p class="lead">{renderName(webhook.url, 200)}</p>
      {renderFault(fault ?? log.refused)}
      {note}
      {renderFacts([
        ['Status', renderBadge(looks[webhook.status], webhook.status)],
        ['Reason', webhook.disabled_reason],
        ['Events', describeSelection(webhook)],
        ['Last delivery', renderMoment(webhook.delivered_at, 'none yet')],
        ['Failing since', webhook.failing_since && renderMoment(webhook.failing_since)],
        ['Next attempt', webhook.next_attempt_at && renderMoment(webhook.next_attempt_at)],
        ['Created', renderMoment(webhook.created_at)],
      ])}
      {renderActions(context, webhook)}
      {log.refused === undefined
        ? renderSection('deliveries', 'Last deliveries', renderDeliveries(log.body))
        : null}
    </>
  )
  const status = fault === undefined ? 200 : 400
  return { status, title: 'Webhook', heading: 'Webhook', body }
}

function renderDeliveries({ deliveries }: z.infer<typeof DeliveryLog>): Html {
  return renderTable({
    caption: 'Last deliveries',
    columns: ['When', 'Result', 'Changes', 'Attempt', 'Response time'],
    items: deliveries,
    limit: deliveries.length,
    bytes: 60_000,
    empty: 'No changes have been sent yet. The next matching one will be. Tests aren’t listed.',
    render: ({ attempted_at, delivered, status, error, events, attempt, duration_ms }) => [
      renderMoment(attempted_at),
      <>
        {delivered ? renderBadge('good', 'accepted') : renderBadge('bad', 'failed')}{' '}
        {describeAnswer(status, error)}
      </>,
      formatCount(events),
      formatCount(attempt),
      `${formatCount(Math.round(duration_ms))} ms`,
    ],
  })
}

function describeAnswer(status: number | null, error: string | null): string {
  const isSaid = error === null || error === `returned ${status}`
  return clipText(
    [status === null ? [] : `HTTP ${status}`, isSaid ? [] : error].flat().join(', '),
    200,
  )
}

async function testWebhook(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const id = form.get('id') ?? ''
  const url = `${toApiPath(id)}/test`
  const { refused, body } = await callApi<z.infer<typeof TestDelivery>>({
    method: 'POST',
    url,
    query: org,
  })
  if (refused !== undefined) return showDeliveries(context, id, { fault: refused })
  const { delivered, status, error, duration_ms } = body
  const note = delivered ? (
    <p class="notice good" role="status">
      Your endpoint accepted the test ({describeAnswer(status, error)}, {Math.round(duration_ms)}{' '}
      ms).
    </p>
  ) : (
    <p class="notice bad" role="alert">
      The test failed: {describeAnswer(status, error)}.
    </p>
  )
  return showDeliveries(context, id, { note })
}

async function resumeWebhook(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, organization } = context
  const id = form.get('id') ?? ''
  const url = `${toApiPath(id)}/resume`
  const { refused } = await callApi({ method: 'POST', url, query: org })
  return refused === undefined
    ? { next: toSectionPath(organization.org_id, 'webhooks'), done: 'webhook_resumed' }
    : showDeliveries(context, id, { fault: refused })
}

const askAboutWebhook = () => ({
  label: 'Delete',
  effect:
    'Nothing more is sent to this URL. To use it again, create another webhook, which gets a new secret.',
})

async function deleteWebhook(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, organization } = context
  const url = toApiPath(form.get('id') ?? '')
  const { refused, status } = await callApi({ method: 'DELETE', url, query: org })
  return refused === undefined
    ? { next: toSectionPath(organization.org_id, 'webhooks'), done: 'webhook_deleted' }
    : showWebhooks(context, { refused, status })
}

/** Builds the path of a webhook in the API; that of an empty ID, which would be the list, is refused there. */
export function toApiPath(id: string): string {
  return `${API}/${encodeURIComponent(id || '-')}`
}

export const webhookRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/webhooks', handle: context => showWebhooks(context) },
  { method: 'POST', path: '/webhooks', handle: createWebhook },
  {
    method: 'GET',
    path: '/webhooks/deliveries',
    handle: context => showDeliveries(context, String(context.query.id ?? '')),
  },
  { method: 'POST', path: '/webhooks/test', handle: testWebhook },
  { method: 'POST', path: '/webhooks/resume', handle: resumeWebhook },
  {
    method: 'POST',
    path: '/webhooks/delete',
    handle: confirmFirst(askAboutWebhook, deleteWebhook),
  },
]
