import { z } from 'zod'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { refuse, refuseNotSetUp } from '../../../pipeline/core/errors.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { findTierOfPrice } from '../../../pipeline/core/tiers.ts'
import { describeIssue } from '../../../pipeline/core/validation-messages.ts'
import { BillingEvent } from '../../../pipeline/model/accounts/billing.ts'
import { BillingTaken } from '../../../pipeline/model/responses/own-organization.ts'
import type { OperationOf } from '../../../pipeline/model/submission.ts'
import { BILLING_SIGNATURE_HEADER, checkBillingSignature } from '../../auth/billing-signature.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { replyOk } from '../../responses/reply.ts'

const SUBSCRIPTION = /^(?:customer\.)?subscription\.(created|updated|deleted)$/
const entitled = new Set(['active', 'past_due', 'trialing'])

const { $schema: _, ...eventSchema } = z.toJSONSchema(BillingEvent, { io: 'input' })

export const takeBillingEvent = defineOperation({
  id: 'takeBillingEvent',
  method: 'POST',
  path: '/api/webhooks/billing',
  summary: 'Receive subscription changes from the billing provider',
  description:
    `The request is signed: \`${BILLING_SIGNATURE_HEADER}: t=<unix seconds>,v1=<hex>\`, the HMAC-SHA256 of \`t\`, a dot and ` +
    'the bytes of the body, at most five minutes old. An event counts once, however often it ' +
    'is sent, and an event older than the last one applied changes nothing. Only this ' +
    'operation and the registry’s operator change memberships.',
  access: 'public',
  writes: true,
  raw: true,
  cache: 'none',
  worksWithoutStores: true,
  body: z.custom<Buffer>(Buffer.isBuffer, 'is required').meta({
    ...eventSchema,
    id: 'BillingEvent',
    description: 'A change to a subscription',
  } as object as { id: string }),
  reply: { 200: BillingTaken },
  errors: ['invalid_request', 'not_found', 'too_large', 'unavailable'],
  handle: async ({ body, header, services: { config, writer, reader } }) => {
    const { BILLING_WEBHOOK_SECRET: secret } = config
    if (secret === undefined) return refuseNotSetUp('billing is not set up here')
    const fault = checkBillingSignature(
      body,
      header(BILLING_SIGNATURE_HEADER),
      secret,
      reader.now(),
    )
    if (fault !== undefined) return refuse('invalid_request', fault)
    const change = toChange(parseEvent(body))
    if (change === undefined) return replyOk({ received: true, applied: false })
    const { is_applied } = unwrapAnswer(
      await writer.submit(change, { by: { kind: 'registry', id: 'billing' } }),
    )
    return replyOk({ received: true, applied: is_applied })
  },
})

function parseEvent(body: Buffer): BillingEvent {
  const read = BillingEvent.safeParse(parseJson(body), { error: describeIssue })
  if (read.success) return read.data
  const { path, message } = getFirst(read.error.issues)
  return refuse('invalid_request', `${path.join('.') || 'body'}: ${message}`)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return refuse('invalid_request', 'body: is not valid JSON')
  }
}

/** Converts a billing event to a change of the membership, if it is one. */
function toChange({ id, type, created, data }: BillingEvent) {
  const what = SUBSCRIPTION.exec(type)?.[1]
  if (what === undefined) return undefined
  const { organization_id: org_id, status, price_lookup_key, tier } = data
  if (org_id === undefined) return refuse('invalid_request', 'data.organization_id: is required')
  const bought = findTierOfPrice(price_lookup_key ?? '') ?? tier ?? undefined
  const change: OperationOf<'member.billing'> = {
    op: 'member.billing',
    event_id: id,
    org_id,
    occurred_at: created * SECOND,
    is_entitled: what !== 'deleted' && entitled.has(status ?? ''),
    ...(bought && { tier: bought }),
  }
  return change
}
