import { toIso } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { pushTypes } from '../core/push-types.ts'
import { deriveId } from '../core/uuid-v7.ts'
import type { Fetcher, PostResult } from '../fetch/http.ts'
import type { LiveRequestOf } from '../model/live/live-request.ts'
import type { ReceiverAnswer } from '../model/subscription.ts'
import { judgeAnswer } from './attempt.ts'
import { buildPost, type Signer } from './delivery.ts'

export interface AskReceiverDeps {
  fetcher: Pick<Fetcher, 'call'>
  signer: Signer
  limits: Pick<Limits, 'receiverMs' | 'receiverAnswerBytes'>
}

/**
 * Posts a challenge or a test to a receiver, signed like deliveries. A receiver that wants deliveries echoes
 * the challenge, so nobody can subscribe the address of somebody else.
 */
export async function askReceiver(
  { url, subscription_id, organization_id, challenge }: LiveRequestOf<'ask_receiver'>,
  { fetcher, signer, limits }: AskReceiverDeps,
): Promise<ReceiverAnswer & { throttled?: true }> {
  const now = toIso(signer.now())
  const id = deriveId('ask_receiver', subscription_id, challenge ?? now)
  const content = {
    idempotency_key: id,
    task_id: id,
    task_type: challenge === null ? pushTypes.test : pushTypes.challenge,
    status: challenge === null ? 'completed' : 'input-required',
    timestamp: now,
    subscription_id,
    organization_id,
    result: challenge === null ? { events: [] } : { challenge },
  }
  const posted = await fetcher.call(url, {
    ...buildPost(content, url, signer),
    accept: 'application/json',
    maxBytes: limits.receiverAnswerBytes,
    deadlineMs: limits.receiverMs,
    allow: { anyPort: true },
  })
  return toReceiverAnswer(posted, challenge)
}

function toReceiverAnswer(posted: PostResult, challenge: string | null) {
  const verdict = judgeAnswer(posted)
  const duration_ms = posted.tookMs
  if (verdict.kind === 'taken') {
    const isConfirmed = challenge !== null && readChallenge(posted) === challenge
    const isUnread = challenge !== null && posted.kind === 'failed'
    const error = isUnread ? posted.detail : null
    return { delivered: true, isConfirmed, status: verdict.status, duration_ms, error }
  }
  const failed = { delivered: false, isConfirmed: false, duration_ms }
  if (verdict.kind === 'deferred') {
    const error = 'its host cannot be called right now'
    return { ...failed, status: null, error, throttled: true as const }
  }
  return { ...failed, status: verdict.status, error: verdict.error }
}

function readChallenge(posted: PostResult): unknown {
  if (posted.kind !== 'answered') return undefined
  try {
    const answer: unknown = JSON.parse(posted.body.toString())
    return (answer as { challenge?: unknown } | null)?.challenge
  } catch {
    return undefined
  }
}
