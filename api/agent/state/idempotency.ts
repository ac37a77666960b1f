import { createHash } from 'node:crypto'
import { z } from 'zod'
import { DAY, type Instant, MINUTE, SECOND } from '../../../pipeline/core/clock.ts'
import { writeCanonicalJson } from '../canonical-json.ts'
import { TaskError } from '../errors.ts'
import type { AgentState } from './store.ts'

declare module './store.ts' {
  interface Records {
    claim: Claim
  }
}

/** For how long the answer to a key is given again. */
const REPLAY_MS = DAY

/** Difference of clocks that a caller is forgiven at the end of the window. */
const SKEW_MS = MINUTE

/** Support of keys, as capabilities tell it. */
export const idempotency = { supported: true, replay_ttl_seconds: REPLAY_MS / SECOND }

export const IdempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{16,255}$/, 'must be 16 to 255 letters, digits, _ . : and -')
  .describe('A new UUID for each thing to do; sent again with the same request, it is done once')

type Payload = Record<string, unknown>

/** Answer to a key. It outlives the window, so that a late retry is not done again. */
export interface Claim {
  hash: string
  at: Instant
  payload: Payload
}

/** A request that changes something, and whose key counts where. */
export interface KeyedRequest {
  /** The caller and the agent that was called: at another the same key is another. */
  scope: readonly string[]
  task: string
  given: Payload
  now: Instant
}

/**
 * Does what is asked once for each key. The answer is remembered in the transaction that does it: a
 * request that fails leaves nothing of its key, and one that comes twice at once waits for the first.
 */
export function runOnce(
  state: AgentState,
  { scope, task, given, now }: KeyedRequest,
  run: () => Payload,
): Promise<Payload> {
  const key = given.idempotency_key as string
  const place = hashText([...scope, key].join('\u001f'))
  const hash = hashRequest(task, given)
  return state.transactTogether(now, () => {
    const claim = state.get('claim', '', place)
    if (claim) return replay(claim, hash, now)
    const payload = { ...run(), idempotency_key: key }
    state.put('claim', '', place, { hash, at: now, payload }, { now })
    return payload
  })
}

function replay({ hash, at, payload }: Claim, asked: string, now: Instant): Payload {
  if (now - at > REPLAY_MS + SKEW_MS) {
    throw new TaskError('IDEMPOTENCY_EXPIRED', 'This idempotency_key is too old to be used again', {
      field: 'idempotency_key',
    })
  }
  if (hash !== asked) {
    throw new TaskError(
      'IDEMPOTENCY_CONFLICT',
      'This idempotency_key was used for another request: use a new one',
    )
  }
  return { ...payload, replayed: true }
}

/** Hashes what a request asks for: neither its key, nor what only travels with it. */
export function hashRequest(task: string, given: Payload): string {
  const { idempotency_key: _key, governance_context: _approval, context, ...rest } = given
  const asked: Payload = { ...rest, ...(typeof context === 'string' && { context }) }
  for (const name of ['push_notification_config', 'reporting_webhook']) {
    if (name in asked) asked[name] = withoutCredentials(asked[name])
  }
  return hashText(`${task}\u001f${writeCanonicalJson(asked)}`)
}

/** Credentials may be exchanged between two attempts. */
function withoutCredentials(config: unknown): unknown {
  if (!isObject(config) || !isObject(config.authentication)) return config
  const { credentials: _credentials, ...authentication } = config.authentication
  return { ...config, authentication }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
