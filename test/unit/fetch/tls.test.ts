import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { createFetcher, type Fetcher, type FetchOptions } from '../../../pipeline/fetch/http.ts'
import { generousRates, generousTimeouts } from '../../support/registry/generous-limits.ts'
import { type SecureOrigin, serveSecureOrigin } from '../../support/servers/origin.ts'

const ask: FetchOptions = {
  maxBytes: 1_000,
  redirects: 'same-site',
  maxRedirects: 3,
  deadlineMs: generousTimeouts.documentMs,
}
const folder = mkdtempSync(join(tmpdir(), 'registry-ca-'))
const caFile = join(folder, 'ca.pem')
const fetchers: Fetcher[] = []
let origin: SecureOrigin

beforeAll(async () => {
  const faults = {
    'expired.example': 'expired',
    'misnamed.example': 'wrong_name',
    'unknown.example': 'unknown_authority',
  } as const
  origin = await serveSecureOrigin(faults, (_, response) => response.end('{}'))
  writeFileSync(caFile, origin.caPem)
})

afterAll(async () => {
  for (const fetcher of fetchers) await fetcher.close()
  await origin.close()
  rmSync(folder, { recursive: true })
})

function createTlsFetcher(
  connectTo: string,
  { trusting = true, connectMs = generousTimeouts.connectMs } = {},
): Fetcher {
  const fetcher = createFetcher({
    connectTo,
    caFile: trusting ? caFile : undefined,
    hostConcurrency: 1,
    addressConcurrency: 64,
    contact: 'https://registry.example/crawler',
    limits: { ...generousTimeouts, ...generousRates, connectMs },
    clock: systemClock,
  })
  fetchers.push(fetcher)
  return fetcher
}

it('the certificate is requested and checked by the name of the host', async () => {
  const got = await createTlsFetcher(origin.url).fetchDocument('https://acme.example/', ask)
  expect(got).toMatchObject({ kind: 'ok', url: 'https://acme.example/' })
  expect(origin.serverNames).toContain('acme.example')
  expect(origin.asked).toContain('acme.example/')
})

it.each([
  ['expired', 'expired.example', 'CERT_HAS_EXPIRED'],
  ['another host’s', 'misnamed.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of an unknown authority', 'unknown.example', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('a certificate that is %s fails, and no request is sent', async (_, host, code) => {
  const got = await createTlsFetcher(origin.url).fetchDocument(`https://${host}/`, ask)
  expect(got).toMatchObject({ outcome: 'tls_failed', detail: expect.stringContaining(code) })
  expect(origin.asked).not.toContain(`${host}/`)
})

it('an extra authority is trusted only where it is configured', async () => {
  const got = await createTlsFetcher(origin.url, { trusting: false }).fetchDocument(
    'https://acme.example/',
    ask,
  )
  expect(got).toMatchObject({ outcome: 'tls_failed' })
})

it.each([
  ['speaks no TLS', 'tls_failed', (socket: net.Socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n')],
  ['hangs up in the handshake', 'tls_failed', (socket: net.Socket) => socket.destroy()],
  ['falls silent in the handshake', 'timeout', () => {}, 500],
] as const)('a server that %s is %s', async (_, outcome, onHello, connectMs?: number) => {
  const server = net.createServer(socket => {
    socket.on('error', () => {}).once('data', () => onHello(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const got = await createTlsFetcher(url, { ...(connectMs && { connectMs }) }).fetchDocument(
    'https://acme.example/',
    ask,
  )
  expect(got).toMatchObject({ outcome })
  server.close()
})
