import { type Clock, type Instant, MINUTE, SECOND } from '../../../pipeline/core/clock.ts'
import type { Log } from '../../../pipeline/core/log.ts'
import { isLoopback } from '../../../pipeline/core/loopback.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import type { ProfileVersion } from '../../../pipeline/core/signing-profiles.ts'
import type { Fetcher, PostOptions } from '../../../pipeline/fetch/http.ts'
import { buildWebhookProfile } from '../../../pipeline/signing/profile.ts'
import { signRequest } from '../../../pipeline/signing/sign.ts'
import { loadSigningKey } from '../signing-keys.ts'
import type { AgentState } from '../state/store.ts'
import {
  type Delivery,
  findDue,
  hasDue,
  removeDelivery,
  saveDelivery,
  writeStart,
} from './outbox.ts'

export interface SenderParts {
  state: AgentState
  clock: Clock
  log: Log
  fetcher: Pick<Fetcher, 'call'>
  protocolName: string
  /** Profile of the signatures; 3.1 by default. */
  signingProfile?: ProfileVersion
  /** True if webhooks may go to addresses of this machine, as in tests. */
  reachesLoopback?: boolean
}

/** Interval at which due webhooks are looked for. */
const INTERVAL_MS = SECOND

/** Attempts at one webhook; the wait doubles with each. */
const ATTEMPTS_MAX = 5
const RETRY_MS = 2 * SECOND

/** Time for which an attempt belongs to one process. */
const CLAIM_MS = MINUTE

const DEADLINE_MS = 10 * SECOND
const AT_ONCE = 8

/**
 * Posts webhooks when they are due: signed, through the same guard as every other request, and again after
 * a temporary failure. Processes that share the state share the work.
 */
export class WebhookSender {
  readonly #parts: SenderParts
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<unknown> = Promise.resolve()

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#sending = this.#sending
        .then(() => this.sendDue())
        .catch(error => this.#parts.log.error({ error }, 'could not send webhooks'))
    }, INTERVAL_MS)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending
  }

  /** Posts all due webhooks; returns the number of attempts. */
  async sendDue(): Promise<number> {
    const claimed = this.#claimDue()
    await Promise.all(claimed.map(delivery => this.#attempt(delivery)))
    return claimed.length
  }

  /** Claims due webhooks, so that no other process takes them, and counts the attempt before it is made. */
  #claimDue(): Delivery[] {
    const { state, clock } = this.#parts
    const now = clock.now()
    state.refresh()
    if (!hasDue(state, now)) return []
    return state.transact(now, () =>
      findDue(state, now, AT_ONCE).flatMap(delivery => this.#claim(delivery, now)),
    )
  }

  #claim(delivery: Delivery, now: Instant): Delivery[] {
    const { state } = this.#parts
    const body = delivery.body ?? writeStart(delivery, state, now)
    if (body === undefined) {
      removeDelivery(delivery.id, state)
      return []
    }
    const attempts = delivery.attempts + 1
    const claimed = { ...delivery, body, attempts, dueAt: now + CLAIM_MS }
    saveDelivery(claimed, state, now)
    return [claimed]
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { state, clock, log, fetcher, reachesLoopback = false } = this.#parts
    const { url } = delivery.target
    const posted = await fetcher.call(url, {
      body: requireValue(delivery.body, 'body of the webhook'),
      headers: this.#sign(delivery),
      accept: 'application/json',
      maxBytes: 4096,
      deadlineMs: DEADLINE_MS,
      allow: reachesLoopback ? buildAllowance(url) : { anyPort: true },
    })
    const now = clock.now()
    const isTaken = posted.kind === 'answered' && posted.status >= 200 && posted.status < 300
    const mayPass =
      posted.kind === 'answered'
        ? posted.status >= 500 || posted.status === 429
        : posted.outcome !== 'refused'
    const isOver = isTaken || !mayPass || delivery.attempts >= ATTEMPTS_MAX
    const { id, attempts } = delivery
    if (!isTaken) {
      const reason = posted.kind === 'answered' ? posted.status : posted.outcome
      log.info({ attempts, reason, isOver }, 'a webhook was not accepted')
    }
    state.transact(now, () => {
      if (isOver) removeDelivery(id, state)
      else saveDelivery({ ...delivery, dueAt: now + RETRY_MS * 2 ** (attempts - 1) }, state, now)
    })
  }

  /** Signs the very bytes that are sent, again for each attempt; no headers if the URL is invalid. */
  #sign({
    target,
    body,
    protocolName = this.#parts.protocolName,
  }: Delivery): Record<string, string> {
    const { state, clock, signingProfile } = this.#parts
    const { kid, privateKey } = loadSigningKey(state, 'webhook-signing', clock.now())
    const headers = { 'content-type': 'application/json' }
    const signed = signRequest(
      { method: 'POST', url: target.url, headers, body: requireValue(body, 'body of the webhook') },
      { keyid: kid, alg: 'ed25519', privateKey },
      buildWebhookProfile(protocolName, signingProfile),
      { now: Math.floor(clock.now() / SECOND) },
    )
    return { ...headers, ...signed }
  }
}

/**
 * Builds the exception that lets a webhook go to this machine's own addresses, but to no host name and no
 * other network.
 */
function buildAllowance(url: string): NonNullable<PostOptions['allow']> {
  const { hostname } = new URL(url)
  if (!isLoopback(hostname)) return { anyPort: true }
  return { anyPort: true, http: true, privateHost: hostname }
}
