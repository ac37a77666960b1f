import { type Answer, file, status } from './answer.ts'
import { brokenBodies } from './dirt-bodies.ts'
import { largeBodies } from './dirt-large.ts'
import { redirects } from './dirt-redirects.ts'
import { dirt } from './dirty-place.ts'
import { smallDocument } from './documents.ts'
import type { FileName, Place, TlsFault } from './site.ts'

export function dirtPlaces(): Place[] {
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
  ...codes.map(code => dirt(`status-${code}`, `status_${code}`, () => status(code))),
  dirt('status-429', 'status_429', () => status(429, { 'retry-after': '120' })),
  dirt('status-429-date', 'status_429', () =>
    status(429, { 'retry-after': 'Wed, 21 Oct 2037 07:28:00 GMT' }),
  ),
  dirt('status-204', 'status_204', () => status(204)),
  dirt('status-304', 'status_304', () => status(304)),
]

const connections: Place[] = [
  dirt('hang', 'hang', () => ({ kind: 'hang' })),
  dirt('reset', 'reset', () => ({ kind: 'reset' })),
  dirt('drip', 'drip', (name, host) => ({
    ...whole(name, host),
    kind: 'drip',
    everyMs: 250,
  })),
  dirt('cut-short', 'cut_short', (name, host) => ({
    ...whole(name, host),
    kind: 'cut',
    promisedBytes: 100_000,
  })),
  dirt('large-headers', 'headers_too_large', (name, host) => {
    const answer = whole(name, host)
    return { ...answer, headers: { ...answer.headers, 'x-padding': 'x'.repeat(65_536) } }
  }),
]

const faults: readonly TlsFault[] = ['wrong_name', 'expired', 'unknown_authority', 'reset']

const certificates: Place[] = faults.map(tls =>
  dirt(`tls-${tls.replace('_', '-')}`, `tls_${tls}`, whole, { tls }),
)

function whole(name: FileName, host: string): Answer & { kind: 'whole' } {
  return file(JSON.stringify(smallDocument(name, host), null, 2))
}
