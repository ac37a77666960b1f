import { type Answer, answerStatus, file } from './answer.ts'
import { brokenBodies } from './dirt-bodies.ts'
import { largeBodies } from './dirt-large.ts'
import { redirects } from './dirt-redirects.ts'
import { buildDirt } from './dirty-place.ts'
import { buildSmallDocument } from './documents.ts'
import type { FileName, Place, TlsFault } from './site.ts'

export function buildDirtPlaces(): Place[] {
  return [
    ...statuses,
    ...connections,
    ...certificates,
    ...brokenBodies,
    ...largeBodies,
    ...redirects,
  ]
}

const codes = [400, 401, 403, 404, 408, 410, 418, 451, 500, 502, 503]

const statuses: Place[] = [
  ...codes.map(code => buildDirt(`status-${code}`, `status_${code}`, () => answerStatus(code))),
  buildDirt('status-429', 'status_429', () => answerStatus(429, { 'retry-after': '120' })),
  buildDirt('status-429-date', 'status_429', () =>
    answerStatus(429, { 'retry-after': 'Wed, 21 Oct 2037 07:28:00 GMT' }),
  ),
  buildDirt('status-204', 'status_204', () => answerStatus(204)),
  buildDirt('status-304', 'status_304', () => answerStatus(304)),
]

const connections: Place[] = [
  buildDirt('hang', 'hang', () => ({ kind: 'hang' })),
  buildDirt('reset', 'reset', () => ({ kind: 'reset' })),
  buildDirt('drip', 'drip', (name, host) => ({
    ...answerWhole(name, host),
    kind: 'drip',
    everyMs: 250,
  })),
  buildDirt('cut-short', 'cut_short', (name, host) => ({
    ...answerWhole(name, host),
    kind: 'cut',
    promisedBytes: 100_000,
  })),
  buildDirt('large-headers', 'headers_too_large', (name, host) => {
    const answer = answerWhole(name, host)
    return { ...answer, headers: { ...answer.headers, 'x-padding': 'x'.repeat(65_536) } }
  }),
]

const faults: readonly TlsFault[] = ['wrong_name', 'expired', 'unknown_authority', 'reset']

const certificates: Place[] = faults.map(tls =>
  buildDirt(`tls-${tls.replace('_', '-')}`, `tls_${tls}`, answerWhole, { tls }),
)

function answerWhole(name: FileName, host: string): Answer & { kind: 'whole' } {
  return file(JSON.stringify(buildSmallDocument(name, host), null, 2))
}
