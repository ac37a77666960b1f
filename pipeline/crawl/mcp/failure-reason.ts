import type { Outcome } from '../../core/outcomes.ts'

/** Kind of a failure, for programs. */
export type FailureReason = 'network' | 'tls' | 'timeout' | 'protocol' | 'unknown'

/** Reasons by outcome. Which of those of the network it was would tell addresses of private networks apart. */
const reasons: Partial<Record<Outcome, FailureReason>> = {
  dns_failed: 'network',
  connection_failed: 'network',
  refused: 'network',
  tls_failed: 'tls',
  timeout: 'timeout',
  absent: 'protocol',
  denied: 'protocol',
  http_error: 'protocol',
  server_error: 'protocol',
  bad_redirect: 'protocol',
  undecodable: 'protocol',
  long_headers: 'protocol',
  not_http: 'protocol',
  not_json: 'protocol',
  unusable: 'protocol',
  too_large: 'protocol',
}

/** Names the reason why an agent gave no answer, in one word. */
export function nameReason(outcome: Outcome): FailureReason {
  return reasons[outcome] ?? 'unknown'
}
