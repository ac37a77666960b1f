import { createHash } from 'node:crypto'
import type { WriterClient } from '../../jobs/api-client/enqueue.ts'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'
import type {
  LiveRequestAnswers,
  LiveRequestName,
  LiveRequestOf,
} from '../../pipeline/model/live/live-request.ts'
import { CallerTurns } from './caller-turns.ts'
import { RecentAnswers } from './recent-answers.ts'

const RETRY_AFTER_S = 5

/** A request to the web that an answer needs. */
export interface Outward<Name extends LiveRequestName> {
  /** Key that is equal for requests with the same answer. */
  question: string
  /** The caller: a key or an address. */
  caller: string
  /** Builds the request for the crawler, at the moment it is sent. */
  request(): LiveRequestOf<Name> | Promise<LiveRequestOf<Name>>
  /** Time that a crawler has for it, including the wait for its turn. */
  ms: number
  /** Is called once with a new answer, before it is returned. */
  after?(answer: LiveRequestAnswers[Name]): Promise<void>
  /** True if only a new answer will do, not a recent one. */
  isNew?: boolean
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
  readonly #turns: CallerTurns
  readonly #underWay = new Map<string, Promise<OutboundAnswer<unknown>>>()

  constructor(writer: Pick<WriterClient, 'requestLive'>, config: Config, clock: Clock) {
    this.#writer = writer
    this.#config = config
    this.#recent = new RecentAnswers(clock)
    this.#turns = new CallerTurns(config.LIMITS.callerQuestionsAtOnce)
  }

  /** Returns what a crawler found; 503 if none answered in time and no recent answer is known. */
  ask<Name extends LiveRequestName>(
    outward: Outward<Name>,
  ): Promise<OutboundAnswer<LiveRequestAnswers[Name]>> {
    const { question, isNew } = outward
    if (isNew) return this.#look(outward)
    const { answerKeptSeconds } = this.#config.LIMITS
    const recent = this.#recent.find(question, answerKeptSeconds * SECOND)
    if (recent !== undefined)
      return Promise.resolve(recent as OutboundAnswer<LiveRequestAnswers[Name]>)
    const same = this.#underWay.get(question)
    if (same !== undefined) return same as Promise<OutboundAnswer<LiveRequestAnswers[Name]>>
    const running = this.#lookOrRemember(outward).finally(() => this.#underWay.delete(question))
    this.#underWay.set(question, running)
    return running
  }

  async #lookOrRemember<Name extends LiveRequestName>(
    outward: Outward<Name>,
  ): Promise<OutboundAnswer<LiveRequestAnswers[Name]>> {
    try {
      const outcome = await this.#look(outward)
      this.#recent.keep(outward.question, outcome.answer)
      return outcome
    } catch (error) {
      if (!(error instanceof PublicError) || error.error !== 'unavailable') throw error
      const { answerKeptAtBoundSeconds } = this.#config.LIMITS
      const known = this.#recent.find(outward.question, answerKeptAtBoundSeconds * SECOND)
      if (known === undefined) throw error
      return known as OutboundAnswer<LiveRequestAnswers[Name]>
    }
  }

  async #look<Name extends LiveRequestName>({
    caller,
    request,
    ms,
    after,
  }: Outward<Name>): Promise<OutboundAnswer<LiveRequestAnswers[Name]>> {
    const started = performance.now()
    const leave = await this.#turns.enter(caller, ms)
    if (leave === undefined) return throttle()
    try {
      const leftMs = ms - (performance.now() - started)
      const answer = await this.#writer.requestLive(await request(), leftMs, toCallerId(caller))
      if (isThrottled(answer)) throttle()
      await after?.(answer)
      return { answer, ageMs: 0 }
    } finally {
      leave()
    }
  }
}

/** Builds the `Age` header of an answer; none for an answer that is less than a second old. */
export function buildAgeHeader({ ageMs }: { ageMs: number }): Record<string, string> {
  const seconds = Math.floor(ageMs / SECOND)
  return seconds < 1 ? {} : { age: String(seconds) }
}

/** Converts a caller to the id by which crawlers count it; people's addresses never leave the API. */
function toCallerId(caller: string): string {
  return createHash('sha256').update(caller).digest('base64url').slice(0, 16)
}

function isThrottled(answer: LiveRequestAnswers[LiveRequestName]): boolean {
  return 'throttled' in answer && answer.throttled === true
}

function throttle(): never {
  const text = 'the limit of outbound requests is reached at the moment; try again'
  return refuse('unavailable', text, { retry_after: RETRY_AFTER_S })
}
