import { randomBytes } from 'node:crypto'
import { refuse } from '../../pipeline/core/errors.ts'
import type { ReceiverAnswer } from '../../pipeline/model/subscription.ts'
import type { Services } from '../operation/services.ts'

/** Time beyond that of the receiver for which the crawler's answer is awaited. */
const SLACK_MS = 3_000
const CHALLENGE_BYTES = 24

/** A receiver that is asked, and for whom. */
interface AskedReceiver {
  url: string
  subscription_id: string
  organization_id: string
}

/** Refuses with 503 where this registry has no key to sign posts with. */
export function requireSigning({ keys }: Pick<Services, 'keys'>): void {
  if (keys === undefined) refuse('unavailable', 'this registry has no key to sign deliveries with')
}

/** Posts a random challenge to a receiver, and refuses where its answer does not repeat it. */
export async function confirmReceiver(
  asked: AskedReceiver,
  caller: string,
  services: Services,
): Promise<void> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
  const { isConfirmed, error } = await askReceiver({ ...asked, challenge }, caller, services)
  if (isConfirmed) return
  const why = error ?? 'its answer does not repeat the challenge'
  refuse('receiver_unconfirmed', `url: the receiver did not confirm the subscription: ${why}`)
}

/** Posts a test to a receiver and returns what came of it. */
export async function testReceiver(
  asked: AskedReceiver,
  caller: string,
  services: Services,
): Promise<Omit<ReceiverAnswer, 'isConfirmed'>> {
  const answer = await askReceiver({ ...asked, challenge: null }, caller, services)
  const { isConfirmed: _, ...delivery } = answer
  return delivery
}

async function askReceiver(
  asked: AskedReceiver & { challenge: string | null },
  caller: string,
  { outbound, config }: Services,
): Promise<ReceiverAnswer> {
  const { answer } = await outbound.ask<'ask_receiver'>({
    question: `receiver ${asked.subscription_id}`,
    isNew: true,
    caller,
    ms: config.LIMITS.receiverMs + SLACK_MS,
    request: () => ({ kind: 'ask_receiver', ...asked }),
  })
  const { isConfirmed, delivered, status, duration_ms, error } = answer
  return { isConfirmed, delivered, status, duration_ms, error }
}
