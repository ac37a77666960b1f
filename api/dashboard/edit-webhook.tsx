import type { SubscriptionView } from '../../pipeline/model/responses/subscriptions.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal } from './field.tsx'
import {
  type DashboardAnswer,
  renderFault,
  renderHidden,
  renderToken,
  toSectionPath,
} from './page.tsx'
import { describeRefused, readFilters, renderFilterFields } from './webhook-filters.tsx'
import { showDeliveries, showWebhooks, toApiPath, toWebhookPath } from './webhooks.tsx'

/** Finds a webhook that has filters, which are all that can be changed about it; any other is only shown. */
async function editWebhook(
  context: OrganizationRequest,
  id: string,
  edit: (webhook: SubscriptionView) => DashboardAnswer | Promise<DashboardAnswer>,
): Promise<DashboardAnswer> {
  const { callApi, org } = context
  const found = await callApi<SubscriptionView>({ method: 'GET', url: toApiPath(id), query: org })
  if (found.refused !== undefined)
    return showWebhooks(context, { refused: found.refused, status: found.status })
  return found.body.kind === 'audit' ? showDeliveries(context, id) : edit(found.body)
}

function renderEditor(
  { form, organization, token }: OrganizationRequest,
  webhook: SubscriptionView,
  { status = 200, ...refusal }: Refusal & { status?: number } = {},
): DashboardAnswer {
  const path = `${toSectionPath(organization.org_id, 'webhooks')}/edit`
  const body = (
    <>
      <p class="lead">{renderName(webhook.url, 200)}</p>
      <p>You can change what this webhook sends. To use another URL, create another webhook.</p>
      {renderFault(findFormFault(refusal, ['about']))}
      <form method="post" action={path} class="panel">
        {renderToken(token)}
        {renderHidden({ id: webhook.subscription_id })}
        {renderFilterFields(form, refusal, [], webhook)}
        <div class="row">
          <button type="submit">Save changes</button>
          <a href={toWebhookPath(toSectionPath(organization.org_id, 'webhooks'), webhook)}>
            Cancel
          </a>
        </div>
      </form>
    </>
  )
  return { status, title: 'Edit webhook', heading: 'Edit webhook', body }
}

async function changeWebhook(
  context: OrganizationRequest,
  webhook: SubscriptionView,
): Promise<DashboardAnswer> {
  const { callApi, org, organization } = context
  const url = toApiPath(webhook.subscription_id)
  const payload = readFilters(context, webhook.agents)
  const { refused, field, status } = await callApi({ method: 'PATCH', url, query: org, payload })
  return refused === undefined
    ? {
        next: toWebhookPath(toSectionPath(organization.org_id, 'webhooks'), webhook),
        done: 'webhook_changed',
      }
    : renderEditor(context, webhook, { ...describeRefused({ refused, field }, payload), status })
}

export const editWebhookRoutes: readonly OrganizationRoute[] = [
  {
    method: 'GET',
    path: '/webhooks/edit',
    right: 'edit',
    handle: context =>
      editWebhook(context, String(context.query.id ?? ''), webhook =>
        renderEditor(context, webhook),
      ),
  },
  {
    method: 'POST',
    path: '/webhooks/edit',
    handle: context =>
      editWebhook(context, context.form.get('id') ?? '', webhook =>
        changeWebhook(context, webhook),
      ),
  },
]
