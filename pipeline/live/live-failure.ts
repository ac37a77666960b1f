import type { Outcome } from '../core/outcomes.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault, Observation } from '../model/observation.ts'

interface Failure {
  field: string
  code: FaultCode
  message: string
}

/**
 * One text for a name that does not resolve, a private name and a server that does not listen, so
 * that callers learn nothing about private networks.
 */
const unreachable: Failure = {
  field: 'connection',
  code: 'connection',
  message:
    'the server cannot be reached: check that the name is right, and the server public and running',
}

const failures: Partial<Record<Outcome, Failure>> = {
  absent: { field: 'http_status', code: 'file_missing', message: 'there is no file: publish it' },
  timeout: {
    field: 'timeout',
    code: 'timeout',
    message: 'the server gave no complete answer in time: make it answer faster',
  },
  bad_redirect: {
    field: 'network',
    code: 'bad_redirect',
    message: 'redirects lead off the site, in a loop or too far: serve the file at its own address',
  },
  tls_failed: {
    field: 'network',
    code: 'tls',
    message: 'the certificate or the handshake failed: renew the certificate',
  },
  too_large: {
    field: 'network',
    code: 'too_large',
    message: 'the file is too large: make it smaller',
  },
  deferred: {
    field: 'connection',
    code: 'unasked',
    message: 'the request limit of this site is reached at the moment: try again in a minute',
  },
  dns_failed: unreachable,
  connection_failed: unreachable,
  refused: unreachable,
}

/** Describes why a file could not be fetched, without private details; returns its faults if it could. */
export function describeFailure({ outcome, status, faults }: Observation): Fault[] {
  if (outcome === 'ok' || outcome === 'unchanged') return []
  const known = failures[outcome]
  if (known !== undefined) return [{ ...known, severity: 'error' }]
  if (faults !== undefined && faults.length > 0) return faults
  const answer = status === undefined ? 'nothing usable' : String(status)
  const message = `the server answered ${answer}: the file must be served with 200`
  return [{ field: 'http_status', code: 'http_status', message, severity: 'error' }]
}
