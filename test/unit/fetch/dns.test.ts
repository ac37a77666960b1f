import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { createResolver, makeUpAddress } from '../../../pipeline/fetch/dns.ts'
import {
  createFetcher,
  type Fetcher,
  type FetchOptions,
  type FetchResult,
} from '../../../pipeline/fetch/http.ts'
import { isPublicAddress } from '../../../pipeline/fetch/ssrf-guard.ts'
import { generousRates, generousTimeouts } from '../../support/registry/generous-limits.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { serveNames } from '../../support/servers/name-server.ts'
import { serveOrigin } from '../../support/servers/origin.ts'
import { testClock } from '../../support/worlds/clock.ts'

const ask: FetchOptions = {
  maxBytes: 1_000,
  redirects: 'same-site',
  maxRedirects: 3,
  deadlineMs: generousTimeouts.documentMs,
}
const nameServer = openForAll(serveNames)
const origin = openForAll(() =>
  serveOrigin(async (_, response) => {
    busiest = Math.max(busiest, ++underway)
    await pause(2)
    underway--
    response.end('{}')
  }),
)
const clock = testClock()
let [underway, busiest] = [0, 0]
let fetcher: Fetcher

afterAll(async () => {
  await fetcher.close()
})

beforeEach(async () => {
  await fetcher?.close()
  nameServer.zone = {}
  nameServer.asked = []
  origin.asked = []
  fetcher = createFetcher({
    connectTo: origin.url,
    dnsServer: nameServer.address,
    hostConcurrency: 1,
    addressConcurrency: 2,
    contact: 'https://registry.example/crawler',
    limits: { ...generousTimeouts, ...generousRates },
    clock,
  })
})

const fetchRoot = (host: string): Promise<FetchResult> =>
  fetcher.fetchDocument(`https://${host}/`, ask)
const addressQuestions = () => nameServer.asked.filter(question => question.endsWith(' A')).length

describe('names and addresses', () => {
  it('a name with public addresses is fetched', async () => {
    nameServer.zone['acme.example'] = { A: ['93.184.216.34'], AAAA: ['2606:2800:220:1::1'] }
    expect((await fetchRoot('acme.example')).kind).toBe('ok')
  })

  it.each([
    ['private', { A: ['10.1.2.3'] }],
    ['mixed', { A: ['93.184.216.34', '192.168.1.1'] }],
    ['public in IPv4 and private in IPv6', { A: ['93.184.216.34'], AAAA: ['fd00::1'] }],
    ['a mapped loopback', { AAAA: ['::ffff:7f00:1'] }],
    ['the metadata service', { A: ['169.254.169.254'] }],
  ])('a name whose answer is %s is refused without a reason', async (_, records) => {
    nameServer.zone['evil.example'] = records
    const got = await fetchRoot('evil.example')
    expect(got).toMatchObject({ kind: 'failed', outcome: 'refused' })
    expect(JSON.stringify(got)).not.toMatch(/\d{2}|fd00|ffff/)
    expect(origin.asked).toEqual([])
  })

  it('a redirect to a name with a private address is refused', async () => {
    nameServer.zone['acme.example'] = { A: ['93.184.216.34'] }
    nameServer.zone['in.acme.example'] = { A: ['10.0.0.1'] }
    const redirecting = await serveOrigin((_, response) => {
      response.writeHead(302, { location: 'https://in.acme.example/' }).end()
    })
    const other = createFetcher({
      connectTo: redirecting.url,
      dnsServer: nameServer.address,
      hostConcurrency: 1,
      addressConcurrency: 64,
      contact: 'https://registry.example/crawler',
      limits: { ...generousTimeouts, ...generousRates },
      clock,
    })
    const got = await other.fetchDocument('https://acme.example/', ask)
    expect(got).toMatchObject({ outcome: 'refused', url: 'https://in.acme.example/' })
    expect(redirecting.asked).toEqual(['acme.example/'])
    await other.close()
    await redirecting.close()
  })

  it('a name is checked and dialed with one and the same answer', async () => {
    nameServer.zone['rebind.example'] = { A: ['93.184.216.34'], ttl: 60 }
    const first = fetchRoot('rebind.example')
    await expect.poll(addressQuestions).toBe(1)
    nameServer.zone['rebind.example'] = { A: ['127.0.0.1'], ttl: 60 }
    expect((await first).kind).toBe('ok')
    expect((await fetchRoot('rebind.example')).kind).toBe('ok')
    expect(addressQuestions()).toBe(1)
    clock.tick(61 * SECOND)
    expect(await fetchRoot('rebind.example')).toMatchObject({ outcome: 'refused' })
  })

  it('an answer is cached for its TTL, at least 5 s and at most 1 h', async () => {
    const keeps = async (ttl: number, seconds: number) => {
      const name = `ttl-${ttl}.example`
      nameServer.zone[name] = { A: ['93.184.216.34'], ttl }
      nameServer.asked = []
      await fetchRoot(name)
      clock.tick((seconds - 1) * SECOND)
      await fetchRoot(name)
      expect(addressQuestions()).toBe(1)
      clock.tick(2 * SECOND)
      await fetchRoot(name)
      expect(addressQuestions()).toBe(2)
    }
    await keeps(0, 5)
    await keeps(100, 100)
    await keeps(100_000, 3_600)
  })

  it('a name that does not exist is cached for a minute', async () => {
    expect(await fetchRoot('nobody.example')).toMatchObject({ outcome: 'dns_failed' })
    nameServer.zone['nobody.example'] = { A: ['93.184.216.34'] }
    clock.tick(59 * SECOND)
    expect(await fetchRoot('nobody.example')).toMatchObject({ outcome: 'dns_failed' })
    clock.tick(2 * SECOND)
    expect((await fetchRoot('nobody.example')).kind).toBe('ok')
  })

  it('a name without addresses, and a failing name server, are failures', async () => {
    nameServer.zone['empty.example'] = {}
    nameServer.zone['broken.example'] = { fails: true }
    expect(await fetchRoot('empty.example')).toMatchObject({ outcome: 'dns_failed' })
    expect(await fetchRoot('broken.example')).toMatchObject({
      outcome: 'dns_failed',
      detail: expect.stringContaining('ESERVFAIL'),
    })
  })

  it('equal lookups at the same time are one', async () => {
    nameServer.zone['acme.example'] = { A: ['93.184.216.34'] }
    await Promise.all(Array.from({ length: 10 }, () => fetchRoot('acme.example')))
    expect(addressQuestions()).toBe(1)
  })

  it('hosts on one address share its connection limit', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `shared-${i}.example`)
    for (const name of names) nameServer.zone[name] = { A: ['93.184.216.34'] }
    const all = await Promise.all(names.map(fetchRoot))
    expect(all.every(got => got.kind === 'ok')).toBe(true)
    await expect.poll(() => origin.open.size).toBeLessThanOrEqual(2)
  })

  it('TXT records are joined; their absence differs from a failure', async () => {
    nameServer.zone['_owner.acme.example'] = { TXT: ['nonce=1', 'other'] }
    nameServer.zone['_owner.empty.example'] = {}
    nameServer.zone['_owner.broken.example'] = { fails: true }
    expect(await fetcher.lookupTxt('_owner.acme.example')).toEqual({
      kind: 'found',
      records: ['nonce=1', 'other'],
    })
    const none = { kind: 'found', records: [] }
    expect(await fetcher.lookupTxt('_owner.nobody.example')).toEqual(none)
    expect(await fetcher.lookupTxt('_owner.empty.example')).toEqual(none)
    expect(await fetcher.lookupTxt('_owner.broken.example')).toEqual({
      kind: 'unknown',
      detail: expect.stringContaining('ESERVFAIL'),
    })
  })

  it('a failure of a name server is cached only briefly', async () => {
    nameServer.zone['acme.example'] = { fails: true }
    expect(await fetchRoot('acme.example')).toMatchObject({ outcome: 'dns_failed' })
    nameServer.zone['acme.example'] = { A: ['93.184.216.34'] }
    clock.tick(6 * SECOND)
    expect((await fetchRoot('acme.example')).kind).toBe('ok')
  })

  it('hosts on one address share its request limit', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `shared-${i}.example`)
    for (const name of names) nameServer.zone[name] = { A: ['93.184.216.34'] }
    busiest = 0
    await Promise.all(names.map(fetchRoot))
    expect(busiest).toBe(2)
  })

  it('in a served world every name has one invented public address', async () => {
    const resolver = createResolver({
      connectTo: origin.url,
      limits: { ...generousTimeouts, ...generousRates },
      clock,
    })
    for (let i = 0; i < 5_000; i++) {
      const address = makeUpAddress(`host-${i}.example`)
      expect(isPublicAddress(address)).toBe(true)
    }
    const resolution = { kind: 'found', addresses: [makeUpAddress('acme.example')] }
    expect(resolver.resolve('acme.example')).toEqual(resolution)
    expect(resolver.resolve('10.0.0.1')).toMatchObject({ kind: 'refused' })
    expect(nameServer.asked).toEqual([])
  })
})
