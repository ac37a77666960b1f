/**
 * Outcomes of fetching a file. An outcome is a fact with a time, never an exception. `effect` is
 * what it does to the stored document (resolve/validity.ts); `retry` says when the file is fetched
 * again (writer/crawl/crawl-state.ts).
 */
export const effects = ['success', 'absent', 'unusable', 'garbled', 'unreachable'] as const
export type Effect = (typeof effects)[number]

/** Results of attempts as pages and commands name them, the best first. Two effects differ only in what stays in force. */
export const resultNames = ['read', 'not found', 'invalid', 'unreachable'] as const
export type ResultName = (typeof resultNames)[number]

export const resultsByEffect: Readonly<Record<Effect, ResultName>> = {
  success: 'read',
  absent: 'not found',
  unusable: 'invalid',
  garbled: 'invalid',
  unreachable: 'unreachable',
}

interface OutcomeEntry {
  effect: Effect
  means: string
}

export const outcomes = {
  ok: { effect: 'success', means: 'read successfully' },
  unchanged: { effect: 'success', means: 'unchanged (304, or the same bytes)' },
  absent: { effect: 'absent', means: 'not found (404, 410)' },
  unusable: { effect: 'unusable', means: 'the JSON has nothing that the registry recognizes' },
  not_json: { effect: 'garbled', means: 'the response is not valid JSON' },
  too_large: {
    effect: 'garbled',
    means: 'the body exceeds the size limit and was not read to the end',
  },
  needs_auth: { effect: 'success', means: 'the agent responds and requires a credential (401)' },
  denied: { effect: 'unreachable', means: 'access denied (401, 403, 451)' },
  throttled: { effect: 'unreachable', means: 'the server asked to slow down (429)' },
  server_error: { effect: 'unreachable', means: 'the server returned an error (408, 5xx)' },
  http_error: { effect: 'unreachable', means: 'an unexpected status' },
  bad_redirect: {
    effect: 'unreachable',
    means: 'a redirect loop, too many redirects, or a redirect off the site',
  },
  timeout: { effect: 'unreachable', means: 'timed out' },
  dns_failed: { effect: 'unreachable', means: 'the name does not resolve' },
  tls_failed: { effect: 'unreachable', means: 'the certificate or the handshake failed' },
  connection_failed: { effect: 'unreachable', means: 'the connection was refused or lost' },
  disallowed: { effect: 'unreachable', means: 'robots.txt disallows the file' },
  refused: {
    effect: 'unreachable',
    means: 'the URL does not use https, or its host is not public',
  },
  store_denied: {
    effect: 'unreachable',
    means: 'an object store denied access, perhaps because the file is missing (403)',
  },
  held: { effect: 'unreachable', means: 'an implausible change, rejected or held for now' },
  deferred: {
    effect: 'unreachable',
    means: 'not requested: the limit of its site or address is reached; due later',
  },
  undecodable: {
    effect: 'unreachable',
    means: 'the body’s content coding is unknown or wrong',
  },
  long_headers: {
    effect: 'unreachable',
    means: 'the response headers exceed the size limit',
  },
  not_http: { effect: 'unreachable', means: 'the response is not valid HTTP' },
} as const satisfies Record<string, OutcomeEntry>

export type Outcome = keyof typeof outcomes
export const outcomeNames = Object.keys(outcomes) as Outcome[]
/** Outcomes of an agent that is online, and of a file that was read. */
export const successfulOutcomes = outcomeNames.filter(name => outcomes[name].effect === 'success')

/**
 * Outcomes of a domain's own adagents.json after which its ads.txt may name a manager. A failure is
 * not among them: otherwise an attacker who makes a site fail could bring another file into force.
 */
export const missingOutcomes = ['absent', 'store_denied'] as const satisfies Outcome[]

export function isMissing(outcome: Outcome | null | undefined): boolean {
  return outcome === 'absent' || outcome === 'store_denied'
}

/**
 * Outcomes by what one of several attempts at the same thing says about it: first those that found it; then those
 * that leave open whether it is there, the ones with an answer before the ones without; at last those that deny it,
 * a plain no after something else in its place.
 */
export const outcomesByWeight = [
  ...(['ok', 'unchanged', 'needs_auth'] as const),
  ...(['denied', 'server_error', 'throttled', 'disallowed'] as const),
  ...(['undecodable', 'long_headers', 'not_http', 'http_error', 'bad_redirect'] as const),
  ...(['tls_failed', 'connection_failed', 'timeout', 'dns_failed', 'refused'] as const),
  ...(['held', 'deferred', 'store_denied'] as const),
  ...(['too_large', 'not_json', 'unusable', 'absent'] as const),
] satisfies Outcome[]

/**
 * Picks the attempt whose outcome stands for all attempts at one thing: other addresses, other transports, once
 * more. A success stands whatever else failed, and the thing is absent only if every attempt says so. Of several with
 * the same outcome the first is picked.
 */
export function pickDecisive<Attempt extends { outcome: Outcome }>(
  first: Attempt,
  ...others: readonly Attempt[]
): Attempt {
  return others.reduce(
    (picked, attempt) => (weigh(attempt) < weigh(picked) ? attempt : picked),
    first,
  )
}

function weigh({ outcome }: { outcome: Outcome }): number {
  return outcomesByWeight.indexOf(outcome)
}

export function getEffect(outcome: Outcome): Effect {
  return outcomes[outcome].effect
}

/** Describes what became of an attempt: its status, where there was one, takes the place of those that it may have. */
export function describeOutcome(outcome: Outcome, status: number | null): string {
  const { means } = outcomes[outcome]
  return status === null ? means : `${means.replace(/ \(.*\)$/, '')} (HTTP ${status})`
}

/** Names the result of an attempt. */
export function nameResult(outcome: Outcome): ResultName {
  return resultsByEffect[getEffect(outcome)]
}
