import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import type { ClosedInternet, ObservedTraffic } from '../support/processes/closed-internet.ts'
import { makeTemporaryFolder } from '../support/processes/command.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../support/processes/closed-internet.ts')

/** In a namespace of its own every address of the world is this machine's, and nothing leaves it. */
const enclose =
  'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && exec "$@"'
const enclosed = ['-r', '-n', 'sh', '-c', enclose, 'sh']

function canEnclose(): boolean {
  try {
    execFileSync('unshare', [...enclosed, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const folder = makeTemporaryFolder()
const brand = (domain: string) =>
  JSON.stringify({
    id: 'acme',
    names: [{ en: 'Acme' }],
    properties: [{ type: 'website', identifier: domain }],
  })
const file = (host: string) => `${host}/.well-known/brand.json`
const answers = (host: string) => ({ [file(host)]: { status: 200, body: brand(host) } })
const leadsTo = (host: string, location: string) => ({ [file(host)]: { status: 302, location } })

const publicAddress = '32.1.2.3'
const otherAddress = '33.4.5.6'

/** One address of each range that nobody outside may be led into. */
const closed: [what: string, address: string][] = [
  ['this-network', '0.0.0.1'],
  ['private-10', '10.0.0.1'],
  ['carrier', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['link-local', '169.254.1.1'],
  ['metadata', '169.254.169.254'],
  ['private-172', '172.16.0.1'],
  ['oracle-metadata', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['relay', '192.88.99.1'],
  ['private-192', '192.168.1.1'],
  ['benchmark', '198.18.0.1'],
  ['documentation-2', '198.51.100.1'],
  ['documentation-3', '203.0.113.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['v6-nowhere', '::'],
  ['v6-loopback', '::1'],
  ['v6-compatible', '::10.0.0.1'],
  ['v6-mapped', '::ffff:10.0.0.1'],
  ['v6-translated', '::ffff:0:10.0.0.1'],
  ['nat64', '64:ff9b::a00:1'],
  ['nat64-local', '64:ff9b:1::1'],
  ['discard', '100::1'],
  ['teredo', '2001::1'],
  ['v6-documentation', '2001:db8::1'],
  ['six-to-four', '2002:a00:1::1'],
  ['six-bone', '3ffe::1'],
  ['v6-documentation-2', '3fff::1'],
  ['segment-routing', '5f00::1'],
  ['unique-local', 'fc00::1'],
  ['aws-metadata', 'fd00:ec2::254'],
  ['v6-link-local', 'fe80::1'],
  ['site-local', 'fec0::1'],
  ['v6-multicast', 'ff02::1'],
]
const toFamily = (address: string) => (address.includes(':') ? 'AAAA' : 'A')
const literal = (address: string) => (address.includes(':') ? `[${address}]` : address)

const plain = (host: string) => ({ [host]: [{ A: [publicAddress] }] })
const names: ClosedInternet['names'] = {
  ...plain('good.example'),
  ...plain('wrong-name.example'),
  ...plain('expired.example'),
  ...plain('unknown-ca.example'),
  ...plain('moves.example'),
  'www.moves.example': [{ A: [otherAddress] }],
  'mixed.example': [{ A: [publicAddress, '192.168.7.7'] }],
  'inside.moves-inside.example': [{ A: ['10.8.8.8'] }],
  ...plain('moves-inside.example'),
}
const pages: ClosedInternet['pages'] = {
  ...answers('good.example'),
  ...answers('wrong-name.example'),
  ...answers('expired.example'),
  ...answers('unknown-ca.example'),
  ...answers('mixed.example'),
  ...leadsTo('moves.example', 'https://www.moves.example/.well-known/brand.json'),
  ...answers('www.moves.example'),
  ...leadsTo('moves-inside.example', 'https://inside.moves-inside.example/.well-known/brand.json'),
}
for (const [what, address] of closed) {
  names[`${what}.answer.example`] = [{ [toFamily(address)]: [address] }]
  names[`${what}.rebinds.example`] = [{ A: [publicAddress] }, { [toFamily(address)]: [address] }]
  Object.assign(names, plain(`${what}.hop.example`))
  Object.assign(
    pages,
    answers(`${what}.rebinds.example`),
    leadsTo(`${what}.hop.example`, `https://${literal(address)}/.well-known/brand.json`),
  )
}

const isPossible = canEnclose()
let traffic: ObservedTraffic

beforeAll(async () => {
  if (!isPossible) return
  mkdirSync(folder.path, { recursive: true })
  const internet: ClosedInternet = {
    names,
    pages,
    faults: {
      'wrong-name.example': 'wrong_name',
      'expired.example': 'expired',
      'unknown-ca.example': 'unknown_authority',
    },
    domains: Object.keys(names).filter(name => !/^(?:www|inside)\./.test(name)),
    dataDir: folder.path,
  }
  const node = [process.execPath, '--import', 'tsx', program, JSON.stringify(internet)]
  const { stdout } = await run('unshare', [...enclosed, ...node], { maxBuffer: 64 * 1024 * 1024 })
  traffic = JSON.parse(stdout)
  await readOutcomes()
})

afterAll(() => folder.remove())

const outcomes = new Map<string, string>()

/** Reads the outcome of each host's brand.json from the registry. */
async function readOutcomes(): Promise<void> {
  const db = await Database.open(`${folder.path}/data/registry.duckdb`, { readOnly: true })
  const rows = await db.all<{ location: string; outcome: string }>(
    "select location, outcome from crawl_state where kind = 'brand.json'",
  )
  db.close()
  for (const { location, outcome } of rows) outcomes.set(location, outcome)
}

describe.skipIf(!isPossible)('a crawl of a separate internet', () => {
  test('connects to the addresses that the name server returned and the guard allowed, on port 443 only', () => {
    const addresses = new Set(traffic.connections.map(({ address, port }) => `${address} ${port}`))
    expect(addresses).toEqual(new Set([`${publicAddress} 443`, `${otherAddress} 443`]))
  })

  test('reads the file of a healthy host, also through a redirect', () => {
    expect(traffic.requested).toContain(file('good.example'))
    expect(traffic.requested).toContain(file('www.moves.example'))
    expect(outcomes.get('good.example')).toBe('ok')
    expect(outcomes.get('moves.example')).toBe('ok')
  })

  test.each(['wrong-name.example', 'expired.example', 'unknown-ca.example'])(
    '%s has an invalid certificate and gets no request',
    host => {
      expect(traffic.connections.some(({ name }) => name === host)).toBe(true)
      expect(traffic.requested.filter(place => place.startsWith(host))).toEqual([])
      expect(outcomes.get(host)).toBe('tls_failed')
    },
  )

  test('one private address among the public ones of a name blocks it', () => {
    expect(traffic.connections.some(({ name }) => name === 'mixed.example')).toBe(false)
    expect(outcomes.get('mixed.example')).toBe('refused')
  })

  test('a redirect to a name with a private address ends at the first hop', () => {
    expect(traffic.requested).toContain(file('moves-inside.example'))
    expect(outcomes.get('moves-inside.example')).toBe('refused')
  })

  test.each(closed)('a name of %s leads to %s and is never connected to', what => {
    expect(traffic.connections.some(({ name }) => name === `${what}.answer.example`)).toBe(false)
    expect(outcomes.get(`${what}.answer.example`)).toBe('refused')
  })

  test.each(closed)(
    'a name that is given to %s, %s, after the check is connected to at the checked address',
    what => {
      const host = `${what}.rebinds.example`
      const rebound = traffic.connections.filter(({ name }) => name === host)
      expect(rebound.length).toBeGreaterThan(0)
      expect(new Set(rebound.map(({ address }) => address))).toEqual(new Set([publicAddress]))
    },
  )

  test.each(closed)('a redirect into %s, %s as it stands, is not followed', what => {
    const host = `${what}.hop.example`
    expect(traffic.requested).toContain(file(host))
    expect(outcomes.get(host)).toBe('refused')
  })
})
