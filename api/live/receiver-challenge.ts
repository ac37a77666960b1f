import { randomBytes } from 'node:crypto'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse, refuseNotSetUp } from '../../pipeline/core/errors.ts'
import type { RegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import type { ReceiverAnswer } from '../../pipeline/model/subscription.ts'
import type { Outbound } from '../limits/outbound.ts'

/** Time in addition to the receiver's own, for a busy crawler. */
const SLACK_MS = 3_000
const CHALLENGE_BYTES = 24

interface ReceiverServices {
  config: Config
  outbound: Outbound
}

/** The receiver of a subscription, with its owner. */
interface Receiver {
  url: string
  subscription_id: string
  organization_id: string
}

/** Refuses with 503 if this registry has no key to sign deliveries with. */
export function requireSigning({ keys }: { keys: RegistryKeys | undefined }): void {
  if (keys === undefined) refuseNotSetUp('this registry has no key to sign deliveries with')
}

/** Posts a random challenge to a receiver, and refuses unless its answer repeats the challenge. */
export async function confirmReceiver(
  receiver: Receiver,
  caller: string,
  services: ReceiverServices,
): Promise<void> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
  const { isConfirmed, error } = await askReceiver({ ...receiver, challenge }, caller, services)
  if (isConfirmed) return
  const why = error ?? 'its response does not contain it'
  refuse(
    'receiver_unconfirmed',
    `url: the endpoint did not return the challenge (${why}). ` +
      'It must respond with status 200 and {"challenge": "…"}, repeating the result.challenge of the request',
  )
}

/** Posts a test event to a receiver and returns the result. */
export async function testReceiver(
  receiver: Receiver,
  caller: string,
  services: ReceiverServices,
): Promise<Omit<ReceiverAnswer, 'isConfirmed'>> {
  const answer = await askReceiver({ ...receiver, challenge: null }, caller, services)
  const { isConfirmed: _, ...delivery } = answer
  return delivery
}

async function askReceiver(
  receiver: Receiver & { challenge: string | null },
  caller: string,
  { outbound, config }: ReceiverServices,
): Promise<ReceiverAnswer> {
  const { answer } = await outbound.ask<'ask_receiver'>({
    cacheKey: `receiver ${receiver.subscription_id}`,
    mustBeNew: true,
    caller,
    ms: config.LIMITS.receiverMs + SLACK_MS,
    request: () => ({ kind: 'ask_receiver', ...receiver }),
  })
  const { isConfirmed, delivered, status, duration_ms, error } = answer
  return { isConfirmed, delivered, status, duration_ms, error }
}
