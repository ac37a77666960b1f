import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'
import type {
  LiveRequestAnswers,
  LiveRequestName,
  LiveRequestOf,
} from '../../pipeline/model/live/live-request.ts'
import { hashCaller } from './caller.ts'
import { CallerSemaphore } from './caller-semaphore.ts'
import { RecentAnswers } from './recent-answers.ts'

const RETRY_AFTER_S = 5

/** A request to the web that an answer needs. */
export interface OutboundRequest<Name extends LiveRequestName> {
  /** Equal for requests with the same answer. */
  cacheKey: string
  /** The caller: a key or an address. */
  caller: string
  /** Builds the request for the crawler, at the moment it is sent. */
  request(): LiveRequestOf<Name> | Promise<LiveRequestOf<Name>>
  /** Milliseconds that a crawler has for it, including the wait for the caller's other requests. */
  ms: number
  /** Receives a new answer once, before it is returned. */
  after?(answer: LiveRequestAnswers[Name]): Promise<void>
  /** Fetches in any case: neither a recent answer nor one shared with another request will do. */
  mustBeNew?: boolean
}

/** An answer from the web and its age. */
export interface OutboundAnswer<Answer> {
  answer: Answer
  ageMs: number
}

/**
 * Sends requests to the web on behalf of callers. Callers are never refused for frequency: a recent answer
 * is returned with its age, equal requests share one answer, and each caller has a few open requests while
 * its others wait. The crawlers together limit the requests per target (pipeline/fetch/request-budget.ts);
 * above that limit the last answer is returned with its age, for a while.
 */
export class Outbound {
  readonly #writer: Pick<WriterClient, 'requestLive'>
  readonly #config: Config
  readonly #recent: RecentAnswers
  readonly #semaphore: CallerSemaphore
  readonly #inFlight = new Map<string, Promise<OutboundAnswer<unknown>>>()

  constructor(writer: Pick<WriterClient, 'requestLive'>, config: Config, clock: Clock) {
    this.#writer = writer
    this.#config = config
    this.#recent = new RecentAnswers(clock)
    this.#semaphore = new CallerSemaphore(config.LIMITS.callerQuestionsAtOnce)
  }

  /** Returns what a crawler found; refuses with 503 if none answered in time and no recent answer is known. */
  ask<Name extends LiveRequestName>(
    request: OutboundRequest<Name>,
  ): Promise<OutboundAnswer<LiveRequestAnswers[Name]>> {
    type Answer = OutboundAnswer<LiveRequestAnswers[Name]>
    const { cacheKey, mustBeNew } = request
    if (mustBeNew) return this.#send(request)
    const { answerKeptSeconds } = this.#config.LIMITS
    const recent = this.#recent.find(cacheKey, answerKeptSeconds * SECOND)
    if (recent !== undefined) return Promise.resolve(recent as Answer)
    const shared = this.#inFlight.get(cacheKey)
    if (shared !== undefined) return shared as Promise<Answer>
    const sent = this.#sendOrReuse(request).finally(() => this.#inFlight.delete(cacheKey))
    this.#inFlight.set(cacheKey, sent)
    return sent
  }

  /** Sends a request; where no crawler can answer it, an older answer is used again. */
  async #sendOrReuse<Name extends LiveRequestName>(
    request: OutboundRequest<Name>,
  ): Promise<OutboundAnswer<LiveRequestAnswers[Name]>> {
    try {
      const outcome = await this.#send(request)
      this.#recent.keep(request.cacheKey, outcome.answer, request.caller)
      return outcome
    } catch (error) {
      if (!(error instanceof PublicError) || error.error !== 'unavailable') throw error
      const { answerKeptAtBoundSeconds } = this.#config.LIMITS
      const older = this.#recent.find(request.cacheKey, answerKeptAtBoundSeconds * SECOND)
      if (older === undefined) throw error
      return older as OutboundAnswer<LiveRequestAnswers[Name]>
    }
  }

  async #send<Name extends LiveRequestName>({
    caller,
    request,
    ms,
    after,
  }: OutboundRequest<Name>): Promise<OutboundAnswer<LiveRequestAnswers[Name]>> {
    const started = performance.now()
    const release = await this.#semaphore.acquire(caller, ms)
    if (release === undefined) return refuseAsThrottled()
    try {
      const leftMs = ms - (performance.now() - started)
      const answer = await this.#writer.requestLive(await request(), leftMs, hashCaller(caller))
      if (isThrottled(answer)) refuseAsThrottled()
      await after?.(answer)
      return { answer, ageMs: 0 }
    } finally {
      release()
    }
  }
}

/** Builds the `Age` header of an answer; none for an answer that is less than a second old. */
export function buildAgeHeader({ ageMs }: { ageMs: number }): Record<string, string> {
  const seconds = Math.floor(ageMs / SECOND)
  return seconds < 1 ? {} : { age: String(seconds) }
}

function isThrottled(answer: LiveRequestAnswers[LiveRequestName]): boolean {
  return 'throttled' in answer && answer.throttled === true
}

function refuseAsThrottled(): never {
  const text = 'the limit of outbound requests is reached at the moment; try again'
  return refuse('unavailable', text, { retry_after: RETRY_AFTER_S })
}
