import type { Limits } from '../../core/limits.ts'
import type { Answered, Fetcher, PostOptions } from '../../fetch/http.ts'
import type { JsonObject } from '../../parse/object-reader.ts'
import type { McpFailure } from './failure.ts'
import type { Message } from './message.ts'

export interface McpDeps {
  fetcher: Pick<Fetcher, 'call'>
  limits: Limits
  /** The protocol's short name. */
  protocolName: string
  /** Sent with every call: a credential of this agent, and of no other. */
  headers?: Record<string, string>
  allow?: PostOptions['allow']
  /** Aborts open requests. */
  signal?: AbortSignal
}

/** The time that a series of calls may use together. */
export interface TimeBudget {
  remainingMs: number
}

/** Bounds of one message and its reply; the time it takes is taken from the budget. */
export interface CallBounds {
  time: TimeBudget
  deadlineMs: number
  maxBytes: number
}

export type Reply =
  | { result: JsonObject }
  | {
      failure: McpFailure
      error?: Message
      /** True if the server no longer knows the session in which the call was made. */
      isLost?: boolean
    }

/** Status and headers of an answer. */
export type AnswerHead = Pick<Answered, 'status' | 'headers'>

/** A transport of MCP, opened to one endpoint. One message is sent at a time. */
export interface Channel {
  readonly endpoint: string
  /** Status and headers of the last answer; undefined where nothing came. */
  readonly lastAnswer: AnswerHead | undefined
  /** Version of the protocol that both sides agreed on; set by the session. */
  version: string | undefined
  /** Forgets the session of the server, so that the next message begins another. */
  restart(): void
  /** Frees what is open. */
  close(): void
  /** Sends a request and waits for its reply. */
  call(message: object, id: number, bounds: CallBounds): Promise<Reply>
  /** Sends a message that has no reply. */
  notify(message: object, bounds: CallBounds): Promise<void>
}

export const timedOut: McpFailure = { outcome: 'timeout', detail: 'timed out' }

/** Versions of the protocol with batches: whoever speaks them must read a list of messages. */
const versionsWithBatches: ReadonlySet<string | undefined> = new Set(['2025-03-26', '2024-11-05'])

export function hasBatches({ version }: Pick<Channel, 'version'>): boolean {
  return versionsWithBatches.has(version)
}
