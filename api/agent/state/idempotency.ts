import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DAY, type Instant, MINUTE, SECOND } from '../../../pipeline/core/clock.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { TaskError } from '../errors.ts'
import type { Owner } from './ledger.ts'
import type { AgentState } from './store.ts'

declare module './store.ts' {
  interface Records {
    claim: Claim
    /** Answers to claims, by the same ids. */
    answer: Payload
  }
}

/** Time for which the answer to a key is repeated. */
const REPLAY_MS = DAY

/** Clock difference between us and a caller that is tolerated at the end of that time. */
const SKEW_MS = MINUTE

/** Time for which a used key is remembered: a late retry is not carried out again. */
const CLAIM_LIFETIME_MS = 30 * DAY

/** Time for which the claim of a process that does not answer is valid; requests take much less. */
const IN_FLIGHT_MS = 2 * MINUTE

/** Seconds after which a caller may repeat a request that is still running. */
const RETRY_AFTER_S = 1

/** Support of idempotency keys, as declared in the capabilities. */
export const idempotency = { supported: true, replay_ttl_seconds: REPLAY_MS / SECOND }

export const IdempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{16,255}$/, 'must be 16 to 255 letters, digits, _ . : and -')
  .describe('A new UUID for each request; a repeated request with the same key is carried out once')

type Payload = Record<string, unknown>

/** A used key. It outlives the answer, so that a late retry is not carried out again. */
export interface Claim {
  hash: string
  at: Instant
  /** The process that runs the request, until it is done. */
  worker?: { pid: number; id: string }
}

/** A request that changes something, and the scope of its key. */
export interface KeyedRequest {
  /** The called agent and the caller: elsewhere the same key is another one. */
  scope: readonly string[]
  /** The caller among those with this credential, who share its room for records. */
  share: string
  task: string
  args: Payload
  now: Instant
}

/**
 * Runs a request once for each key. The key is claimed first, so that a concurrent request with the same
 * key learns that the first is under way. The answer is stored in the transaction of the request, and a
 * request that fails leaves its key free. The claim of a process that was killed is void.
 */
export async function runOnce(
  state: AgentState,
  { scope, share, task, args, now }: KeyedRequest,
  run: () => Payload,
): Promise<Payload> {
  const key = args.idempotency_key as string
  const place = hashText([...scope, key].join('\u001f'))
  const claim: Claim = { hash: hashRequest(task, args), at: now }
  const worker = { pid: process.pid, id: randomUUID() }
  const owner = toOwner(scope, share)
  const keyOwner = { ...owner, name: `${owner.name} keys` }
  // Keys have a budget of their own, so that large records cannot push them out.
  const writeKey = <Result>(work: () => Result) => state.writeAs(keyOwner, work)
  const known = await state.transactInGroup(now, () =>
    writeKey(() => claimKey(state, place, { ...claim, worker }, now)),
  )
  if (known) return known
  try {
    return await state.transactInGroup(now, () => {
      const payload = { ...state.writeAs(owner, run), idempotency_key: key }
      writeKey(() => state.put('claim', '', place, claim, { now, lifetimeMs: CLAIM_LIFETIME_MS }))
      state.writeAs(owner, () =>
        state.put('answer', '', place, payload, { now, lifetimeMs: REPLAY_MS + SKEW_MS }),
      )
      return payload
    })
  } catch (error) {
    await state.transactInGroup(now, () => {
      if (state.get('claim', '', place)?.worker?.id === worker.id) state.remove('claim', '', place)
    })
    throw error
  }
}

/** Names the owner of records that are counted together: one credential at one agent, and a share of it. */
export function toOwner(scope: readonly string[], share: string): Owner {
  return { name: scope.join('\u001f'), share }
}

/** Claims a key; returns the answer if it has one already. Throws if the key cannot be used. */
function claimKey(
  state: AgentState,
  place: string,
  claim: Claim,
  now: Instant,
): Payload | undefined {
  const known = state.get('claim', '', place)
  if (!known || (known.worker && isAbandoned(known, now))) {
    state.put('claim', '', place, claim, { now, lifetimeMs: CLAIM_LIFETIME_MS })
    return undefined
  }
  if (now - known.at > REPLAY_MS + SKEW_MS) throw refuseExpired()
  if (known.hash !== claim.hash) {
    throw new TaskError(
      'IDEMPOTENCY_CONFLICT',
      'This idempotency_key was used for a different request: use a new one',
    )
  }
  if (known.worker) {
    throw new TaskError('IDEMPOTENCY_IN_FLIGHT', 'This request is still running: try again', {
      field: 'idempotency_key',
      retry_after: RETRY_AFTER_S,
    })
  }
  const payload = state.get('answer', '', place)
  if (!payload) throw refuseExpired()
  return { ...payload, replayed: true }
}

function refuseExpired(): TaskError {
  return new TaskError('IDEMPOTENCY_EXPIRED', 'This idempotency_key is too old to be used again', {
    field: 'idempotency_key',
  })
}

/** Tells whether nobody works on a claim anymore: the process has ended, or takes too long. */
function isAbandoned({ at, worker }: Claim, now: Instant): boolean {
  return now - at > IN_FLIGHT_MS || !isRunning(requireValue(worker, 'worker of the claim').pid)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Hashes the content of a request: neither its key, nor fields that only accompany it. */
export function hashRequest(task: string, args: Payload): string {
  const { idempotency_key: _key, governance_context: _approval, context, ...rest } = args
  const hashed: Payload = { ...rest, ...(typeof context === 'string' && { context }) }
  for (const name of ['push_notification_config', 'reporting_webhook']) {
    if (name in hashed) hashed[name] = omitCredentials(hashed[name])
  }
  return hashText(`${task}\u001f${writeCanonicalJson(hashed)}`)
}

/** Omits the credentials of a webhook, which a caller may exchange between two attempts. */
function omitCredentials(config: unknown): unknown {
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

/** Writes JSON in canonical form (RFC 8785): members in the order of their UTF-16 code units. */
export function writeCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${writeCanonicalJson(member)}`)
  return `{${members.join(',')}}`
}
