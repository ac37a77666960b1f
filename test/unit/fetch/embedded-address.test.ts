import { expect, test } from 'vitest'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { createResolver } from '../../../pipeline/fetch/dns.ts'
import { findEmbeddedAddress } from '../../../pipeline/fetch/embedded-address.ts'

test.each([
  ['10.0.0.1.nip.io', '10.0.0.1'],
  ['app.10.0.0.1.nip.io', '10.0.0.1'],
  ['192-168-1-250.nip.io', '192.168.1.250'],
  ['app-116-203-255-68.nip.io', '116.203.255.68'],
  ['0a000001.nip.io', '10.0.0.1'],
  ['www.192.168.0.1.sslip.io', '192.168.0.1'],
  ['--1.sslip.io', '::1'],
  ['www.fd00--1.sslip.io', 'fd00::1'],
  ['127.0.0.1.xip.io', '127.0.0.1'],
  ['localtest.me', '127.0.0.1'],
  ['a.b.lvh.me', '127.0.0.1'],
])('%s stands for %s', (host, address) => {
  expect(findEmbeddedAddress(host)).toBe(address)
})

test.each(['nip.io', 'acme.nip.io', '999.0.0.1.nip.io', '10.0.0.1.nip.example', 'notlvh.me'])(
  '%s is a name like any other',
  host => expect(findEmbeddedAddress(host)).toBeUndefined(),
)

test('a test world without a name server refuses names that stand for closed addresses', async () => {
  // A registry in a test world accepted a crawl of this name, which the web resolves to a private address.
  const resolver = createResolver({ connectTo: 'http://127.0.0.1:1', limits, clock: systemClock })
  expect(await resolver.resolve('10.0.0.1.nip.io')).toMatchObject({ kind: 'refused' })
  expect(await resolver.resolve('93.184.216.34.nip.io')).toMatchObject({ kind: 'found' })
  expect(await resolver.resolve('acme.example')).toMatchObject({ kind: 'found' })
  resolver.close()
})
