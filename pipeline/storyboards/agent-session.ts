import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { connectMcp } from '../crawl/mcp/connect.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { extractResult, findFirstTextObject, toErrorKey } from '../crawl/mcp/result.ts'
import type { McpSession } from '../crawl/mcp/session.ts'
import { readTaskError } from '../crawl/mcp/task-error.ts'
import type { Fetcher } from '../fetch/http.ts'
import { listSecrets } from '../model/agent-credential.ts'
import type { StepExchange } from '../model/storyboards/step-exchange.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { TaskOutcome } from './check-answer.ts'
import { describeExchange } from './describe-exchange.ts'
import { hideSecrets } from './hide-secrets.ts'

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
} & Answer

type HideSecrets = <Value>(value: Value) => Value

type Answer =
  | { kind: 'answered'; outcome: TaskOutcome }
  | { kind: 'silent'; message: string; isTimeout: boolean }

const timedOutAnswer: Answer = {
  kind: 'silent',
  message: 'did not answer in time',
  isTimeout: true,
}

/** A conversation with one agent, within one time and one credential. */
export class AgentSession {
  readonly tools: ReadonlySet<string>
  readonly name: string
  readonly #session: McpSession
  readonly #deps: SessionDeps
  readonly #signal: AbortSignal
  readonly #secrets: readonly string[]

  constructor(
    connected: {
      session: McpSession
      tools: readonly string[]
      name: string
      secrets: readonly string[]
    },
    deps: SessionDeps,
    signal: AbortSignal,
  ) {
    this.#session = connected.session
    this.tools = new Set(connected.tools)
    this.name = connected.name
    this.#deps = deps
    this.#signal = signal
    this.#secrets = connected.secrets
  }

  /** Tells whether the time of the session is used up, or nobody waits for it. */
  get hasEnded(): boolean {
    return this.#signal.aborted
  }

  /** Hides the credential of the agent in a value that is shown. */
  readonly hide: HideSecrets = value => hideSecrets(value, this.#secrets)

  /** Calls a task. What the agent does is a value. */
  async call(task: string, args: Record<string, unknown>): Promise<AgentAnswer> {
    const started = performance.now()
    const answer = await waitUnless(this.#signal, this.#call(task, args), timedOutAnswer)
    const tookMs = Math.round(performance.now() - started)
    const { endpoint: url, lastAnswer } = this.#session
    const shown = lastAnswer && { answer: this.hide(toHead(lastAnswer)) }
    const exchange = describeExchange(
      { url: this.hide(url), task, args: this.hide(args), ...shown },
      'outcome' in answer ? this.hide(answer.outcome) : undefined,
    )
    return { ...answer, tookMs, exchange, hide: this.hide }
  }

  async #call(task: string, args: Record<string, unknown>): Promise<Answer> {
    const time = { remainingMs: this.#deps.limits.storyboardStepMs }
    const errorKey = toErrorKey(this.#deps.protocolName)
    const reply = await this.#session.call('tools/call', { name: task, arguments: args }, time)
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

/**
 * Connects to an agent. All of the conversation ends with `signal`, which is also aborted when the
 * time of a storyboard is over.
 */
export async function openAgentSession(
  { url, authorization, secrets: more = [], isOperators }: AgentTarget,
  deps: SessionDeps,
): Promise<AgentSession | { failure: McpFailure }> {
  const { limits, protocolName } = deps
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(limits.storyboardMs)])
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
  const connected = await waitUnless(signal, connectMcp(url, time, mcpDeps), timedOut)
  if ('failure' in connected) return connected
  const { session, serverName, list } = connected
  const secrets = authorization === undefined ? [] : [...listSecrets(authorization), ...more]
  const tools = list.tools.map(tool => tool.name)
  return new AgentSession({ session, secrets, tools, name: serverName ?? hostname }, deps, signal)
}

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

function toHead({ status, headers }: NonNullable<McpSession['lastAnswer']>) {
  return { status, headers: { ...headers } }
}
