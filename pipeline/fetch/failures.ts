import type { Outcome } from '../core/outcomes.ts'

/** A failed fetch. `detail` may be shown to callers: it never contains an IP address. */
export interface Failure {
  outcome: Outcome
  detail: string
  /** Set if another file of the host failed, without which the wanted one must not be requested. */
  file?: 'robots.txt' | undefined
  /** Seconds until the host may be asked again. */
  retryAfterSeconds?: number | undefined
  /** Unexpected error that no peer should be able to cause; it is logged. */
  fault?: unknown
}

/** An error that carries its failure. */
export class FailureError extends Error implements Failure {
  readonly outcome: Outcome
  readonly detail: string

  constructor(outcome: Outcome, detail: string) {
    super(detail)
    this.outcome = outcome
    this.detail = detail
  }
}

export const timedOut: Failure = { outcome: 'timeout', detail: 'timed out' }

const statusOutcomes: Record<number, Outcome> = {
  200: 'ok',
  304: 'unchanged',
  401: 'denied',
  403: 'denied',
  404: 'absent',
  408: 'server_error',
  410: 'absent',
  429: 'throttled',
  451: 'denied',
}

/** Converts an HTTP status to the outcome of the attempt. */
export function classifyStatus(status: number): Outcome {
  return statusOutcomes[status] ?? (status >= 500 && status < 600 ? 'server_error' : 'http_error')
}

/** Outcomes of errors on an open connection, by the prefix of their code; the first match counts. */
const codeOutcomes: [prefix: string, outcome: Outcome, detail: string][] = [
  ['ERR_SSL_', 'tls_failed', 'the TLS connection was closed by an alert'],
  ['EPROTO', 'tls_failed', 'the TLS connection was lost'],
  ['ERR_TLS_', 'tls_failed', 'the TLS connection was lost'],
  ['ETIMEDOUT', 'timeout', 'the connection timed out'],
  ['UND_ERR_INVALID', 'connection_failed', 'the request could not be sent'],
  ['UND_ERR_', 'connection_failed', 'the connection was lost'],
  ['E', 'connection_failed', 'the connection was lost'],
]

export const longHeaders: Failure = {
  outcome: 'long_headers',
  detail: 'answers with headers above the size limit',
}

const notHttp: Failure = {
  outcome: 'not_http',
  detail: 'answers with something that is not valid HTTP',
}
/** Matches the code, name or text of undici’s errors about an answer that it cannot read: not all have a code. */
const UNREAD =
  /^(?:HTTPParserError|bad response|bad upgrade|ERR_ASSERTION|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/

/**
 * Classifies an error; an unknown one is a failed connection too, since one odd response must not
 * end a crawl.
 */
export function classifyError(error: unknown): Failure {
  if (error instanceof FailureError) return error
  const { code, name, message } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return longHeaders
  if ([code, name, message].some(text => UNREAD.test(text ?? ''))) return notHttp
  const row = codeOutcomes.find(([prefix]) => typeof code === 'string' && code.startsWith(prefix))
  if (row) return { outcome: row[1], detail: `${row[2]} (${code})` }
  return { outcome: 'connection_failed', detail: 'the connection was lost', fault: error }
}

/**
 * Classifies an error while connecting; `reached` when TCP was connected and TLS was being
 * negotiated.
 */
export function classifyDialError(error: NodeJS.ErrnoException, reached: boolean): FailureError {
  const code = error.code ?? 'unknown'
  if (reached) return new FailureError('tls_failed', `no TLS connection (${code})`)
  if (code === 'ETIMEDOUT') return new FailureError('timeout', 'no connection in time')
  return new FailureError('connection_failed', `no connection (${code})`)
}
