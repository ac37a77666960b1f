import type { Outcome } from '../core/outcomes.ts'
import { classifyStatus } from '../fetch/failures.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault, Observation } from '../model/observation.ts'

interface Failure {
  field: string
  code: FaultCode
  message: string
}

/**
 * One text for a name that does not resolve, a private name and a server that does not listen, be it the
 * file's or one that it redirects to, so that callers learn nothing about private networks.
 */
const unreachable: Failure = {
  field: 'connection',
  code: 'connection',
  message:
    'the server, or one that it redirects to, cannot be reached: check that the name is right, and that the server is public and running',
}
const cutOff: Failure = {
  field: 'network',
  code: 'cut_off',
  message: 'the connection was lost during the answer: make the server send the whole file',
}

type Status = number | undefined
/** Describes an outcome; `answered` is its status in brackets, if the outcome is that of the status. */
type Describe = (status: Status, answered: string) => Failure

const failures: Record<Exclude<Outcome, 'ok' | 'unchanged'>, Failure | Describe> = {
  absent: { field: 'http_status', code: 'file_missing', message: 'there is no file: publish it' },
  unusable: {
    field: 'root',
    code: 'empty',
    message: 'the file is JSON without any known content: write it by its schema',
  },
  not_json: {
    field: 'json',
    code: 'not_json',
    message: 'the answer is not JSON: serve the file itself at this URL',
  },
  too_large: {
    field: 'network',
    code: 'too_large',
    message: 'the file is too large: make it smaller',
  },
  needs_auth: status =>
    toStatusFailure(
      `the server requires a credential${toBrackets(status === 401 && status)}: let everyone read the file`,
    ),
  denied: (_, answered) =>
    toStatusFailure(`the server denies access${answered}: let everyone read the file`),
  store_denied: status =>
    toStatusFailure(
      `an object store denies access${toBrackets(status === 403 && status)}, as it does for a missing file: publish the file, and let everyone read it`,
    ),
  throttled: (_, answered) =>
    toStatusFailure(`the server asks for a pause${answered}: let the crawler read the file`),
  server_error: (_, answered) =>
    toStatusFailure(`the server returned an error${answered}: make it answer with the file`),
  http_error: status =>
    toStatusFailure(
      status === undefined || status === 200
        ? 'the server gave no usable answer: serve the file with 200'
        : `the server answered ${status}: serve the file with 200`,
    ),
  undecodable: {
    field: 'content_encoding',
    code: 'coding',
    message: 'the content encoding of the file cannot be decoded: send it as gzip, or uncompressed',
  },
  long_headers: {
    field: 'network',
    code: 'long_headers',
    message: 'the headers of the answer are too large: send fewer or shorter ones',
  },
  not_http: {
    field: 'network',
    code: 'not_http',
    message:
      'the server answers with something that is not valid HTTP: let a web server answer there',
  },
  timeout: {
    field: 'timeout',
    code: 'timeout',
    message: 'the request timed out: make the server answer faster',
  },
  bad_redirect: {
    field: 'network',
    code: 'bad_redirect',
    message: 'redirects leave the site, loop, or go too far: serve the file at its own address',
  },
  tls_failed: status =>
    status === undefined
      ? {
          field: 'network',
          code: 'tls',
          message: 'the certificate or the handshake failed: renew the certificate',
        }
      : cutOff,
  dns_failed: describeUnreached,
  connection_failed: describeUnreached,
  refused: unreachable,
  disallowed: {
    field: 'robots',
    code: 'robots',
    message: 'robots.txt disallows the file: allow the crawler to read it',
  },
  held: {
    field: 'root',
    code: 'held_back',
    message: 'the file has changed in a way that is held back for now: wait, or confirm the change',
  },
  deferred: {
    field: 'connection',
    code: 'unasked',
    message: 'the request limit of this site is reached at the moment: try again in a minute',
  },
}

function toStatusFailure(message: string): Failure {
  return { field: 'http_status', code: 'http_status', message }
}

function describeUnreached(status: Status): Failure {
  return status === undefined ? unreachable : cutOff
}

function toBrackets(status: Status | false): string {
  return status === undefined || status === false ? '' : ` (${status})`
}

/**
 * Describes why a file could not be fetched, without private details: by the faults that the attempt found,
 * or else by its outcome. Nothing if it could.
 */
export function describeFailure({ outcome, status, faults }: Observation): Fault[] {
  if (outcome === 'ok' || outcome === 'unchanged') return []
  if (faults !== undefined && faults.length > 0) return faults
  const known = failures[outcome]
  const isOfStatus = status !== undefined && classifyStatus(status) === outcome
  const failure =
    typeof known === 'function' ? known(status, toBrackets(isOfStatus && status)) : known
  return [{ ...failure, severity: 'error' }]
}
