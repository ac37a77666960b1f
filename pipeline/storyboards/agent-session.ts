import { type Clock, SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { connectMcp } from '../crawl/mcp/connect.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { readObject } from '../crawl/mcp/message.ts'
import { extractResult, findFirstTextObject, toErrorKey } from '../crawl/mcp/result.ts'
import { type McpDeps, McpSession } from '../crawl/mcp/session.ts'
import { StreamableHttp } from '../crawl/mcp/streamable-http.ts'
import { readTaskError } from '../crawl/mcp/task-error.ts'
import type { Fetcher } from '../fetch/http.ts'
import { listSecrets } from '../model/agent-credential.ts'
import type { StepExchange } from '../model/storyboards/step-exchange.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { describeExchange } from './describe-exchange.ts'
import { hideSecrets } from './hide-secrets.ts'
import type { AnswerHead, TaskOutcome } from './judged.ts'
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
  /** Aborted when nobody waits for the result any more. */
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
  | { kind: 'silent'; message: string; isTimeout: boolean }

const timedOutAnswer: Answer = {
  kind: 'silent',
  message: 'did not answer in time',
  isTimeout: true,
}

/** An agent that answered, and how it is called. */
export interface Connected {
  session: McpSession
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
  readonly #mcpDeps: McpDeps
  readonly #deps: SessionDeps
  readonly #signal: AbortSignal
  readonly #secrets: readonly string[]
  /** Capabilities by the agent’s own statement; absent until it was asked. */
  capabilities: JsonObject | undefined
  #calls = 0

  constructor(connected: Connected, deps: SessionDeps, signal: AbortSignal) {
    this.#session = connected.session
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

  /** Tells whether the time or the calls of the session are used up, or nobody waits for it. */
  get hasEnded(): boolean {
    return this.#signal.aborted || this.#calls >= this.#deps.limits.storyboardCalls
  }

  /** Tells whether more requests were begun than a run may make. */
  get #isSpent(): boolean {
    return this.#calls > this.#deps.limits.storyboardCalls
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
  async wait(ms: number): Promise<void> {
    await waitUnless(this.#signal, pause(ms), undefined)
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
    // The conversation is opened by two requests.
    this.#calls += 2
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
    this.#calls++
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
    const tookMs = Math.round(performance.now() - started)
    const wire = { url: this.hide(url), task: 'GET', args: {} }
    if (answered.kind === 'failed') {
      const message = answered.detail
      const isTimeout = answered.outcome === 'timeout'
      const exchange = describeExchange(wire)
      return {
        kind: 'silent',
        message,
        isTimeout,
        tookMs,
        exchange,
        hide: this.hide,
        hasCredential: this.hasCredential,
      }
    }
    const outcome = { payload: readObject(answered.body) ?? {} }
    const http = toHead(answered)
    const exchange = describeExchange({ ...wire, answer: this.hide(http) }, this.hide(outcome))
    return {
      kind: 'answered',
      outcome,
      http,
      tookMs,
      exchange,
      hide: this.hide,
      hasCredential: this.hasCredential,
    }
  }

  async #converse(
    session: McpSession,
    task: string,
    args: Record<string, unknown>,
    ask: () => Promise<Answer>,
  ): Promise<AgentAnswer> {
    this.#calls++
    const started = performance.now()
    const answer = this.#isSpent
      ? timedOutAnswer
      : await waitUnless(this.#signal, ask(), timedOutAnswer)
    const tookMs = Math.round(performance.now() - started)
    const { endpoint: url, lastAnswer } = session
    const shown = lastAnswer && { answer: this.hide(toHead(lastAnswer)) }
    const exchange = describeExchange(
      { url: this.hide(url), task, args: this.hide(args), ...shown },
      'outcome' in answer ? this.hide(answer.outcome) : undefined,
    )
    return { ...answer, tookMs, exchange, hide: this.hide, hasCredential: this.hasCredential }
  }

  async #call(session: McpSession, task: string, args: Record<string, unknown>): Promise<Answer> {
    const time = { remainingMs: this.#deps.limits.storyboardStepMs }
    const errorKey = toErrorKey(this.#deps.protocolName)
    const params = { name: task, arguments: args }
    let reply = await session.call('tools/call', params, time)
    const pauseMs = 'failure' in reply ? findPauseMs(reply.failure) : undefined
    if (pauseMs !== undefined && !this.hasEnded) {
      this.#calls++
      await this.wait(pauseMs)
      reply = await session.call('tools/call', params, time)
    }
    if ('result' in reply) {
      return { kind: 'answered', outcome: readOutcome(reply.result, errorKey) }
    }
    const { failure, error } = reply
    if (error === undefined) {
      return {
        kind: 'silent',
        message: failure.detail,
        isTimeout: failure.outcome === 'timeout',
      }
    }
    const refusal = readTaskError(error, 'mcp', errorKey)
    return { kind: 'answered', outcome: { payload: {}, error: toError(refusal) } }
  }
}

/** Connects to an agent, and begins a conversation with it. */
export async function openAgentSession(
  target: AgentTarget,
  deps: SessionDeps,
): Promise<AgentSession | { failure: McpFailure }> {
  const connected = await connectAgent(target, deps)
  return 'failure' in connected ? connected : openSession(connected, deps)
}

/** Begins a conversation, which ends with `signal`, and when the time of a storyboard is over. */
export function openSession(connected: Connected, deps: SessionDeps): AgentSession {
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(deps.limits.storyboardMs)])
  return new AgentSession(connected, deps, signal)
}

/** Connects to an agent. All of what is said over the connection ends with `signal`. */
export async function connectAgent(
  { url, authorization, secrets: more = [], isOperators }: AgentTarget,
  deps: SessionDeps,
): Promise<Connected | { failure: McpFailure }> {
  const { limits, protocolName, signal } = deps
  const { protocol, hostname } = new URL(url)
  const mcpDeps = {
    fetcher: isOperators ? deps.fetcher.for({ kind: 'operator' }) : deps.fetcher,
    limits,
    protocolName,
    signal,
    ...(authorization !== undefined && { headers: { authorization } }),
    ...(isOperators && {
      allow: { http: protocol === 'http:', anyPort: true, privateHost: hostname },
    }),
  }
  const time = { remainingMs: limits.storyboardStepMs }
  const timedOut = { failure: { outcome: 'timeout' as const, detail: 'did not answer in time' } }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.storyboardMs)])
  const connected = await waitUnless(deadline, connectMcp(url, time, mcpDeps), timedOut)
  if ('failure' in connected) return connected
  const { session, serverName, list } = connected
  const hidden = authorization === undefined ? [] : [...listSecrets(authorization), ...more]
  const tools = list.tools.map(tool => tool.name)
  const name = serverName ?? hostname
  return { session, secrets: hidden, tools, name, authorization, mcpDeps }
}

/** Longest pause that a run waits for, where an agent asks for one. */
const PAUSE_MAX_S = 60

/** Finds how long an agent asks to be left alone, if a run can wait for it: that it asks is no fault. */
function findPauseMs({ outcome, retry_after_s: seconds }: McpFailure): number | undefined {
  const isShort = seconds !== undefined && seconds <= PAUSE_MAX_S
  return outcome === 'throttled' && isShort ? seconds * SECOND + SECOND / 10 : undefined
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Waits for work, or returns the fallback as soon as the signal is aborted. Late work ends by itself. */
async function waitUnless<Result, Fallback>(
  signal: AbortSignal,
  work: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  if (signal.aborted) return fallback
  let stop = () => {}
  const aborted = new Promise<Fallback>(resolve => {
    stop = () => resolve(fallback)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Reads the result of a tool: an error may be in the result, in its text, or in a payload of errors only. */
function readOutcome(result: JsonObject, errorKey: string): TaskOutcome {
  const payload = extractResult(result, errorKey)
  if (payload === undefined) {
    const body = isObject(result.structuredContent)
      ? result.structuredContent
      : (findFirstTextObject(result) ?? {})
    return { payload: body, error: toError(readTaskError(result, 'mcp', errorKey)) }
  }
  const [first] = Array.isArray(payload.errors) ? payload.errors : []
  const isRefusal = isObject(first) && !Object.keys(payload).some(isResultKey)
  const read = {
    payload,
    ...(!isObject(result.structuredContent) && { isFromText: true as const }),
  }
  return isRefusal ? { ...read, error: toError(first) } : read
}

/** Members beside the errors of a failed task. */
const besideErrors = new Set(['errors', 'context', 'ext', 'status', 'message', 'sandbox'])
const isResultKey = (key: string) => !besideErrors.has(key)

function toError(error: JsonObject | undefined): NonNullable<TaskOutcome['error']> {
  return {
    ...(typeof error?.code === 'string' && { code: error.code }),
    ...(typeof error?.message === 'string' && { message: error.message }),
    ...(error !== undefined && { body: error }),
  }
}

const isAuthStatus = (status: number) => status === 401 || status === 403

function toHead({ status, headers }: AnswerHead): AnswerHead {
  return { status, headers: { ...headers } }
}
