import { z } from 'zod'
import { removeOldest } from '../core/present.ts'
import { pushTypes } from '../core/push-types.ts'
import { toErrorCode } from './profile.ts'
import type { SignedRequest } from './signature-base.ts'
import { type Verifier, verifySignature } from './verify-signature.ts'

/** The body that an agent posts when a task ends; unknown fields are kept. */
export const Webhook = z.looseObject({
  idempotency_key: z.string().min(1),
  task_id: z.string(),
  task_type: z.string(),
  status: z.string(),
  timestamp: z.string(),
  result: z.looseObject({}).optional(),
})
export type Webhook = z.infer<typeof Webhook>

/** Sees to it that each delivery is processed once. Several processes bring a store they share. */
export interface DeliveryStore {
  /** Runs `process` where no delivery of this key has succeeded yet; a failure may be tried again. */
  runOnce(key: string, process: () => Promise<void>): Promise<void>
}

export interface WebhookReceiver {
  verifier: Verifier
  deliveries: DeliveryStore
  process(webhook: Webhook): Promise<void>
  /**
   * Tells whether the receiver wants the changes that a registry asks about before it sends any: who
   * subscribed is in `organization_id`. Without it every registry is refused.
   */
  acceptsSubscription?(challenge: Webhook): boolean | Promise<boolean>
  /** Returns the time in seconds. */
  now(): number
}

/** An HTTP answer, to be sent as JSON. */
export interface WebhookAnswer {
  status: 200 | 400 | 401 | 403
  headers: Record<string, string>
  body: { received: true; challenge?: string } | { error: string; code: string }
}

/**
 * Answers a webhook: 401 with the reason where its signature does not hold, before anything of it is
 * read; 400 where the body is no webhook; 200 where it was processed, now or before. What `process`
 * throws is passed to the caller, and the sender tries again. A registry that asks whether its changes
 * are wanted gets its word back, or 403; its tests are answered and not processed.
 */
export async function receiveWebhook(
  request: SignedRequest,
  receiver: WebhookReceiver,
): Promise<WebhookAnswer> {
  const { verifier, deliveries, process, now } = receiver
  const verification = await verifySignature(request, verifier, now())
  if (verification.outcome === 'refused') {
    const code = toErrorCode(verifier.profile, verification.refusal)
    return {
      status: 401,
      headers: { 'WWW-Authenticate': `Signature error=${code}` },
      body: { error: 'The signature of this webhook is invalid', code },
    }
  }
  const webhook = Webhook.safeParse(parseJson(request.body))
  if (!webhook.success) {
    const error = `The body is not a webhook: ${z.prettifyError(webhook.error)}`
    return { status: 400, headers: {}, body: { error, code: 'INVALID_REQUEST' } }
  }
  const { data } = webhook
  if (data.task_type === pushTypes.challenge) return answerChallenge(data, receiver)
  if (data.task_type === pushTypes.test)
    return { status: 200, headers: {}, body: { received: true } }
  await deliveries.runOnce(data.idempotency_key, () => process(data))
  return { status: 200, headers: {}, body: { received: true } }
}

/** Repeats the word of a registry that asks whether its changes are wanted here. */
async function answerChallenge(
  challenge: Webhook,
  { acceptsSubscription }: WebhookReceiver,
): Promise<WebhookAnswer> {
  const word = challenge.result?.challenge
  if (typeof word !== 'string' || !(await acceptsSubscription?.(challenge))) {
    const error = 'This receiver has not subscribed to changes'
    return { status: 403, headers: {}, body: { error, code: 'SUBSCRIPTION_REFUSED' } }
  }
  return { status: 200, headers: {}, body: { received: true, challenge: word } }
}

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

/** Keys of deliveries in the memory of one process; the oldest go where there are too many. */
export class MemoryDeliveryStore implements DeliveryStore {
  readonly #runs = new Map<string, Promise<void>>()
  readonly #capacity: number

  constructor(capacity = 100_000) {
    this.#capacity = capacity
  }

  async runOnce(key: string, process: () => Promise<void>): Promise<void> {
    const known = this.#runs.get(key)
    if (known) return known
    const run = process()
    this.#runs.set(key, run)
    if (this.#runs.size > this.#capacity) removeOldest(this.#runs)
    try {
      await run
    } catch (error) {
      this.#runs.delete(key)
      throw error
    }
  }
}
