import { type Clock, SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { pauseUnless, waitUnless } from '../crawl/deadline.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { readObject } from '../crawl/mcp/message.ts'
import { toErrorKey } from '../crawl/mcp/result.ts'
import { type McpDeps, McpSession } from '../crawl/mcp/session.ts'
import { StreamableHttp } from '../crawl/mcp/streamable-http.ts'
import type { Fetcher } from '../fetch/http.ts'
import type { StepExchange } from '../model/storyboards/step-exchange.ts'
import type { JsonObject } from '../parse/object-reader.ts'
import type { CountedRequests } from './counted-requests.ts'
import { describeExchange } from './describe-exchange.ts'
import { hideSecrets } from './hide-secrets.ts'
import type { AnswerHead, TaskOutcome } from './judged.ts'
import { readOutcome, readRefusal } from './read-outcome.ts'
import type { OpenInbox } from './webhook-inbox.ts'

/** An agent and the only credential that it is ever sent: its own. */
export interface AgentTarget {
  url: string
  /** Value of the header `Authorization`. */
  authorization?: string
  /** Further texts that must not appear in anything shown of the agent. */
  secrets?: readonly string[]
  /** Set for an agent that the operator of the registry named: it may be in a private network. */
  isOperators?: true
}

export interface SessionDeps {
  fetcher: Fetcher
  limits: Limits
  protocolName: string
  clock: Clock
  /** Aborted when nobody waits for the result anymore. */
  signal: AbortSignal
  /** Opens an inbox for the webhooks of a run; absent where no agent could reach one. */
  openInbox?: OpenInbox
}

/**
 * Answer to one call exactly as the agent gave it, or the reason why there is none, with what may be
 * shown of both.
 */
export type AgentAnswer = {
  tookMs: number
  exchange: StepExchange
  /** Hides the credential of the agent in a value that is shown. */
  hide: HideSecrets
  hasCredential: (text: string) => boolean
} & Answer

type HideSecrets = <Value>(value: Value) => Value

type Answer =
  | { kind: 'answered'; outcome: TaskOutcome; http?: AnswerHead | undefined }
  | { kind: 'silent'; message: string }

const timedOutAnswer: Answer = { kind: 'silent', message: 'did not answer in time' }

/** An agent that answered, and how it is called. */
export interface Connected {
  session: McpSession
  requests: CountedRequests
  tools: readonly string[]
  name: string
  secrets: readonly string[]
  authorization?: string | undefined
  mcpDeps: McpDeps
}

const CREDENTIAL_CHARS_MIN = 16
const DOCUMENT_BYTES_MAX = 64 * 1_024

/** A conversation with one agent, within one time and one credential. */
export class AgentSession {
  readonly tools: ReadonlySet<string>
  readonly name: string
  /** The agent’s own credential, as it is sent. */
  readonly authorization: string | undefined
  readonly #session: McpSession
  readonly #requests: CountedRequests
  readonly #mcpDeps: McpDeps
  readonly #deps: SessionDeps
  readonly #signal: AbortSignal
  readonly #secrets: readonly string[]
  /** Capabilities by the agent’s own statement; absent until it was asked. */
  capabilities: JsonObject | undefined

  constructor(connected: Connected, deps: SessionDeps, signal: AbortSignal) {
    this.#session = connected.session
    this.#requests = connected.requests
    this.#mcpDeps = connected.mcpDeps
    this.tools = new Set(connected.tools)
    this.name = connected.name
    this.authorization = connected.authorization
    this.#deps = deps
    this.#signal = signal
    this.#secrets = connected.secrets
  }

  /** Returns the address at which the agent is called. */
  get url(): string {
    return this.#session.endpoint
  }

  /** Tells whether the time or the requests of the session are used up, or nobody waits for it. */
  get hasEnded(): boolean {
    return this.#signal.aborted || this.#requests.areSpent
  }

  /** Hides the credential of the agent in a value that is shown. */
  readonly hide: HideSecrets = value => hideSecrets(value, this.#secrets)

  /** Tells whether a text repeats the credential of the agent; a short one may stand in it by chance. */
  readonly hasCredential = (text: string): boolean =>
    this.#secrets.some(secret => secret.length >= CREDENTIAL_CHARS_MIN && text.includes(secret))

  /** Returns the time of the run. */
  now(): number {
    return this.#deps.clock.now()
  }

  /** Waits, but no longer than the session lasts. */
  wait(ms: number): Promise<void> {
    return pauseUnless(this.#signal, ms)
  }

  /** Calls a task. What the agent does is a value. */
  call(task: string, args: Record<string, unknown>): Promise<AgentAnswer> {
    return this.#converse(this.#session, task, args, () => this.#call(this.#session, task, args))
  }

  /**
   * Calls a task in a conversation of its own, with other credentials than the agent’s: a stranger’s, or
   * none. Whatever the agent refuses, the status and the headers are the answer.
   */
  probe(
    task: string,
    args: Record<string, unknown>,
    authorization: string | undefined,
  ): Promise<AgentAnswer> {
    const { headers: _, ...others } = this.#mcpDeps
    const deps = { ...others, ...(authorization !== undefined && { headers: { authorization } }) }
    const session = new McpSession(new StreamableHttp(this.#session.endpoint, deps), deps)
    return this.#converse(session, task, args, async () => {
      const time = { remainingMs: this.#deps.limits.storyboardStepMs }
      await session.initialize(time)
      const isRefused = session.lastAnswer !== undefined && isAuthStatus(session.lastAnswer.status)
      const answer = isRefused ? undefined : await this.#call(session, task, args)
      const { lastAnswer: http } = session
      if (http === undefined) return answer ?? timedOutAnswer
      if (answer?.kind === 'answered') return { ...answer, http }
      return { kind: 'answered', outcome: { payload: {}, error: {} }, http }
    })
  }

  /** Reads a JSON document of the agent’s host, or of one that it named. */
  async readDocument(url: string): Promise<AgentAnswer> {
    const started = performance.now()
    const { fetcher, allow = { anyPort: true }, signal } = this.#mcpDeps
    const answered = await fetcher.call(url, {
      accept: 'application/json',
      maxBytes: DOCUMENT_BYTES_MAX,
      deadlineMs: this.#deps.limits.storyboardStepMs,
      // What an agent names may lead anywhere: only the agent’s own host may be a private one.
      allow: new URL(url).host === new URL(this.#session.endpoint).host ? allow : { anyPort: true },
      ...(signal && { signal }),
    })
    const answer: Answer =
      answered.kind === 'failed'
        ? { kind: 'silent', message: answered.detail }
        : {
            kind: 'answered',
            outcome: { payload: readObject(answered.body) ?? {} },
            http: toHead(answered),
          }
    const head = answered.kind === 'failed' ? undefined : answered
    return this.#describe({ url, task: 'GET', args: {} }, answer, { head, started })
  }

  async #converse(
    session: McpSession,
    task: string,
    args: Record<string, unknown>,
    ask: () => Promise<Answer>,
  ): Promise<AgentAnswer> {
    const started = performance.now()
    const answer = await waitUnless(this.#signal, ask(), timedOutAnswer)
    const { endpoint: url, lastAnswer: head } = session
    return this.#describe({ url, task, args }, answer, { head, started })
  }

  /** Adds to an answer what may be shown of it and of the request. */
  #describe(
    { url, task, args }: { url: string; task: string; args: Record<string, unknown> },
    answer: Answer,
    { head, started }: { head: AnswerHead | undefined; started: number },
  ): AgentAnswer {
    const { hide, hasCredential } = this
    const exchange = describeExchange(
      { url: hide(url), task, args: hide(args), ...(head && { answer: hide(toHead(head)) }) },
      'outcome' in answer ? hide(answer.outcome) : undefined,
    )
    const tookMs = Math.round(performance.now() - started)
    return { ...answer, tookMs, exchange, hide, hasCredential }
  }

  async #call(session: McpSession, task: string, args: Record<string, unknown>): Promise<Answer> {
    const time = { remainingMs: this.#deps.limits.storyboardStepMs }
    const errorKey = toErrorKey(this.#deps.protocolName)
    const params = { name: task, arguments: args }
    let reply = await session.call('tools/call', params, time)
    const pauseMs = 'failure' in reply ? findPauseMs(reply.failure) : undefined
    if (pauseMs !== undefined && !this.hasEnded) {
      await this.wait(pauseMs)
      // Whoever asked for a pause that the run does not outlast is left alone.
      if (!this.#signal.aborted) reply = await session.call('tools/call', params, time)
    }
    if ('result' in reply) {
      return { kind: 'answered', outcome: readOutcome(reply.result, errorKey) }
    }
    const { failure, error } = reply
    return error === undefined
      ? { kind: 'silent', message: failure.detail }
      : { kind: 'answered', outcome: readRefusal(error, errorKey) }
  }
}

/** Longest pause that a run waits for, where an agent asks for one. */
const PAUSE_MAX_S = 60

/** Finds how long an agent asks to be left alone, if a run can wait for it: that it asks is no fault. */
function findPauseMs({ outcome, retry_after_s: seconds }: McpFailure): number | undefined {
  const isShort = seconds !== undefined && seconds <= PAUSE_MAX_S
  return outcome === 'throttled' && isShort ? seconds * SECOND + SECOND / 10 : undefined
}

const isAuthStatus = (status: number) => status === 401 || status === 403

function toHead({ status, headers }: AnswerHead): AnswerHead {
  return { status, headers: { ...headers } }
}
