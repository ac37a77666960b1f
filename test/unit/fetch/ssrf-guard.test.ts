import { describe, expect, it } from 'vitest'
import { checkUrl, isPublicAddress } from '../../../pipeline/fetch/ssrf-guard.ts'

/** First and last address of a range nobody outside can reach, and its public neighbours. */
const closed: [first: string, last: string, before?: string | undefined, after?: string][] = [
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '::1', undefined, '2000::1'],
  ['::2', '::ffff:ffff'],
  ['64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::1', '2001:200::'],
  ['2001:1::', '2001:1::', undefined, '2001:1::1'],
  ['2001:1::4', '2001:2:ffff:ffff:ffff:ffff:ffff:ffff', '2001:1::3', '2001:3::'],
  ['2001:4::', '2001:4:111:ffff:ffff:ffff:ffff:ffff', undefined, '2001:4:112::'],
  ['2001:10::', '2001:1f:ffff::', undefined, '2001:20::'],
  ['2001:40::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:3f:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffd:ffff::', '3fff:1000::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '3fff:1000::'],
  ['4000::', '5eff:ffff::', '3fff:ffff::'],
  ['5f00::', '5fff:ffff::'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fd00:ec2::254', 'fd00:ec2::254'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

describe('addresses a crawler may reach', () => {
  it.each(closed)('%s to %s is closed and its neighbours are not', (first, last, before, after) => {
    expect(isPublicAddress(first)).toBe(false)
    expect(isPublicAddress(last)).toBe(false)
    if (before) expect(isPublicAddress(before)).toBe(true)
    if (after) expect(isPublicAddress(after)).toBe(true)
  })

  it.each([
    ['mapped', '::ffff:127.0.0.1'],
    ['mapped, in hexadecimal', '::ffff:7f00:1'],
    ['mapped, written out', '0:0:0:0:0:ffff:a9fe:a9fe'],
    ['compatible', '::10.0.0.1'],
    ['compatible around a public one', '::8.8.8.8'],
    ['translated', '::ffff:0:10.0.0.1'],
    ['NAT64', '64:ff9b::10.0.0.1'],
    ['NAT64 around a public one', '64:ff9b::8.8.8.8'],
    ['6to4', '2002:0a00:0001::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['with a zone', 'fe80::1%eth0'],
    ['in brackets', '[::1]'],
    ['in brackets with a zone', '[fe80::1%25eth0]'],
    ['in other notations', '0x7f.1'],
    ['as one number', '2130706433'],
    ['with leading zeros', '0000:0000:0000:0000:0000:0000:0000:0001'],
    ['no address at all', 'acme.example'],
    ['nothing', ''],
  ])('an address that is %s is closed: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111', '[2a00:1450:4001::5e]'])(
    '%s is open',
    address => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

describe('URLs a crawler may request', () => {
  it.each([
    'https://acme.example/.well-known/brand.json',
    'https://www.acme.example:443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://notlocalhost.example/',
    'https://mylocal.internal.example/',
    'https://shop.xn--p1ai/',
  ])('%s is allowed', url => {
    expect(checkUrl(new URL(url))).toBeUndefined()
  })

  it.each([
    'http://acme.example/',
    'ftp://acme.example/',
    'file:///etc/passwd',
    'https://user@acme.example/',
    'https://user:secret@acme.example/',
    'https://acme.example:8443/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://192.0.0.192/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://www.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://metadata.goog/',
    'https://intranet/',
    'https://acme..example/',
    'https://acme.example./',
    'https://.acme.example/',
  ])('%s is refused', url => {
    expect(checkUrl(new URL(url))).toEqual(expect.any(String))
  })

  it('an agent may use http and any port where the caller allows it', () => {
    const url = new URL('http://agent.example:8080/mcp')
    expect(checkUrl(url, { http: true, anyPort: true })).toBeUndefined()
    expect(checkUrl(url, { http: true })).toBeDefined()
    expect(checkUrl(new URL('http://localhost:8080/'), { http: true, anyPort: true })).toBeDefined()
  })

  it('a refusal never contains an address', () => {
    expect(checkUrl(new URL('https://10.11.12.13/'))).not.toMatch(/\d/)
  })
})
