import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it, test } from 'vitest'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { hasProof } from '../../pipeline/accounts/proofs.ts'
import { DAY, MINUTE, toIso } from '../../pipeline/core/clock.ts'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { verify as verifyStores } from '../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import {
  describeChanges,
  listOrganizationChanges,
} from '../../pipeline/read/lookups/organization-audit.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { type LiveHost, openLiveWeb } from '../support/servers/live-web.ts'
import { serveNames } from '../support/servers/name-server.ts'

const names = openForAll(serveNames)
const web = openForAll(() => openLiveWeb(hosts, {}, { DNS_SERVER: names.address }))
let registry: TestRegistry
let acme: Caller
let other: Caller
const hosts: Record<string, LiveHost> = {}
const path = '/.well-known/proto-ownership.txt'

interface Caller {
  org_id: string
  key: string
}

beforeEach(async () => {
  for (const host of Object.keys(hosts)) delete hosts[host]
  names.zone = {}
  names.asked = []
  names.otherwise = { A: ['93.184.216.34'] }
  await web.forget()
  registry = await web.open()
  acme = await join('Acme')
  other = await join('Other')
})

async function join(name: string): Promise<Caller> {
  const key = await registry.createKey(name)
  const { org_id } = (await registry.sequencer.accounts.db.one<Caller>(
    'select org_id from organizations where name = $name',
    { name },
  ))!
  return { org_id, key }
}

function post(place: string, payload: object, { key }: Caller = acme) {
  return registry.send('POST', `/api/registry/ownership/${place}`, { key, payload })
}

async function issue(domain = 'acme.example', caller = acme) {
  const answer = await post('challenges', { domain }, caller)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json() as { challenge_id: string; nonce: string; expires_at: string }
}

async function verify(domain = 'acme.example', caller = acme, more: object = {}) {
  const answer = await post('verify', { domain, ...more }, caller)
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

async function getOwnership({ key }: Caller, domain = 'acme.example') {
  const answer = await registry.send('GET', `/api/registry/ownership?domain=${domain}`, { key })
  return answer.json()
}

const inDns = (nonce: string | string[], domain = 'acme.example') => {
  names.zone[`_proto-owner.${domain}`] = { TXT: ['v=spf1 -all', nonce] }
}

const inFile = (text: string, domain = 'acme.example') => {
  hosts[domain] = { [path]: text }
}

const accounts = () => registry.sequencer.accounts.db
const proves = (domain: string, caller = acme, at = registry.clock.now()) =>
  hasProof(accounts(), caller.org_id, domain, at)

async function prove(domain = 'acme.example', caller = acme) {
  inDns((await issue(domain, caller)).nonce, domain)
  expect((await verify(domain, caller)).status).toBe(200)
}

/** Adds a domain to an organization, or removes it, as the operator. */
function changeByOperator(op: 'add' | 'remove', org: string, domain: string, proof = 'operator') {
  return registry.submit(
    Operation.parse({
      op: `organization.domain.${op}`,
      org,
      domain,
      ...(op === 'add' && { proof }),
    }),
  )
}

test('a challenge is created once under one Idempotency-Key, and stays valid when the request is repeated', async () => {
  const repeated = (domain = 'acme.example') =>
    registry.send('POST', '/api/registry/ownership/challenges', {
      key: acme.key,
      headers: { 'idempotency-key': 'once' },
      payload: { domain },
    })
  const first = await repeated()
  expect(first.statusCode, first.body).toBe(201)
  expect((await repeated()).statusCode).toBe(409)
  expect((await repeated('other.example')).json()).toMatchObject({
    code: 'conflict',
    error: 'This Idempotency-Key was used for a different request.',
  })
  inDns(first.json().nonce)
  expect((await verify()).status).toBe(200)
})

describe('the domains of the caller’s organization', () => {
  const domains = '/api/me/organization/domains'
  const ask = (method: 'GET' | 'POST' | 'DELETE', url: string, { key }: Caller, payload?: object) =>
    registry.send(method, url, { key, payload })

  it('are added by verifying a token, and listed from then on', async () => {
    const begun = await ask('POST', domains, acme, { domain: 'acme.example' })
    expect(begun.statusCode, begun.body).toBe(201)
    expect((await ask('GET', domains, acme)).json().domains).toEqual([])
    inFile(begun.json().methods.http.body)
    const done = await ask('POST', `${domains}/acme.example/verify`, acme)
    expect(done.statusCode, done.body).toBe(200)
    expect(done.json()).toMatchObject({ verified: true, domain: 'acme.example', method: 'http' })
    expect((await ask('GET', domains, acme)).json().domains).toMatchObject([
      { domain: 'acme.example', method: 'http', proven: true },
    ])
    expect(await proves('acme.example')).toBe(true)
  })

  it('are not given to others who request verification of the same token', async () => {
    const begun = await ask('POST', domains, acme, { domain: 'acme.example' })
    inFile(begun.json().nonce)
    expect((await ask('POST', `${domains}/acme.example/verify`, other)).statusCode).toBe(404)
    expect((await ask('GET', domains, other)).json().domains).toEqual([])
    expect(await proves('acme.example', other)).toBe(false)
  })

  it('are no longer about to be verified once they are removed', async () => {
    await prove()
    await ask('POST', domains, acme, { domain: 'acme.example' })
    expect((await ask('GET', domains, acme)).json().pending).toHaveLength(1)
    const removed = await ask('DELETE', `${domains}/acme.example`, acme)
    expect(removed.statusCode, removed.body).toBeLessThan(300)
    expect((await ask('GET', domains, acme)).json()).toMatchObject({ domains: [], pending: [] })
  })

  it('409: a missing token uses the challenge up, and 404 the next time', async () => {
    await ask('POST', domains, acme, { domain: 'acme.example' })
    expect((await ask('POST', `${domains}/acme.example/verify`, acme)).statusCode).toBe(409)
    expect((await ask('POST', `${domains}/acme.example/verify`, acme)).statusCode).toBe(404)
  })

  it('400: a public suffix has no owner', async () => {
    expect((await ask('POST', domains, acme, { domain: 'co.uk' })).statusCode).toBe(400)
  })
})

describe('a challenge', () => {
  it('says where its token goes, and lasts fifteen minutes', async () => {
    const answer = await post('challenges', { domain: 'https://ACME.example/about' })
    const { nonce, challenge_id } = answer.json()
    expect(answer.json()).toEqual({
      domain: 'acme.example',
      nonce,
      challenge_id,
      expires_at: toIso(registry.clock.now() + 15 * MINUTE),
      methods: {
        dns_txt: { name: '_proto-owner.acme.example', value: nonce },
        http: { url: `https://acme.example${path}`, body: nonce },
      },
    })
    expect(Buffer.from(nonce, 'base64url').length).toBeGreaterThanOrEqual(16)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await issue()).nonce).not.toBe(nonce)
  })

  it('is stored as a hash: no table contains the token', async () => {
    const { nonce } = await issue()
    const stored = []
    for (const table of ['ownership_challenges', 'submissions']) {
      stored.push(...(await accounts().all(`select * from ${table}`)))
    }
    const text = JSON.stringify([stored, registry.submitted])
    expect(text).not.toContain(nonce)
    expect(text).toContain(createHash('sha256').update(nonce).digest('hex'))
  })

  test.each([
    ['co.uk'],
    ['github.io'],
    ['printer.local'],
    ['localhost'],
    ['10.0.0.1'],
    ['a b.example'],
    [''],
  ])('is not issued for %s, which nobody owns', async domain => {
    expect((await post('challenges', { domain })).statusCode).toBe(400)
  })

  it('uses the name of the protocol', async () => {
    registry = await web.open({}, { settings: { PROTOCOL_NAME: 'adcp' } })
    const methods = (
      await post('challenges', { domain: 'acme.example' }, await join('Acme'))
    ).json().methods
    expect([methods.dns_txt.name, methods.http.url]).toEqual([
      '_adcp-owner.acme.example',
      'https://acme.example/.well-known/adcp-ownership.txt',
    ])
  })
})

describe('a domain shows the token', () => {
  it('in a TXT record, also in pieces and among others', async () => {
    const { nonce } = await issue()
    inDns([nonce.slice(0, 10), nonce.slice(10)])
    const now = registry.clock.now()
    expect(await verify()).toMatchObject({
      status: 200,
      body: {
        verified: true,
        domain: 'acme.example',
        method: 'dns_txt',
        verified_at: toIso(now),
        valid_until: toIso(now + 90 * DAY),
      },
    })
    expect(await proves('acme.example')).toBe(true)
    expect(await getOwnership(acme)).toEqual({
      domain: 'acme.example',
      proven: true,
      method: 'dns_txt',
      proven_by: 'acme.example',
      verified_at: toIso(now),
      valid_until: toIso(now + 90 * DAY),
    })
  })

  it('in a file, with blanks around it', async () => {
    inFile(`\n ${(await issue()).nonce}\r\n`)
    expect(await verify()).toMatchObject({ status: 200, body: { method: 'http' } })
  })

  it('in a file that another path of the same host redirects to', async () => {
    const { nonce } = await issue()
    hosts['acme.example'] = {
      [path]: ({ response }) => response.writeHead(302, { location: '/there' }).end(),
      '/there': nonce,
    }
    expect((await verify()).status).toBe(200)
  })

  test.each<[string, (nonce: string) => LiveHost | undefined]>([
    ['nowhere', () => undefined],
    ['on a page with other words', nonce => ({ [path]: `the word is ${nonce}` })],
    ['in other letters', nonce => ({ [path]: nonce.toLowerCase() })],
    [
      'as what is kept of it',
      nonce => ({ [path]: createHash('sha256').update(nonce).digest('hex') }),
    ],
    ['on a page that is too long', nonce => ({ [path]: nonce + ' '.repeat(1_024) })],
    [
      'on a page that is missing',
      nonce => ({ [path]: ({ response }) => response.writeHead(404).end(nonce) }),
    ],
    [
      'on another host',
      nonce => {
        hosts['www.acme.example'] = { [path]: nonce }
        const location = `https://www.acme.example${path}`
        return { [path]: ({ response }) => response.writeHead(301, { location }).end() }
      },
    ],
    [
      'without encryption',
      nonce => {
        const location = 'http://acme.example/plain'
        return {
          [path]: ({ response }) => response.writeHead(301, { location }).end(),
          '/plain': nonce,
        }
      },
    ],
  ])('not when it is published %s', async (_, host) => {
    const { nonce } = await issue()
    const said = host(nonce)
    if (said) hosts['acme.example'] = said
    expect(await verify()).toMatchObject({
      status: 409,
      body: { code: 'ownership_verification_failed', verified: false, error: expect.any(String) },
    })
    expect(await proves('acme.example')).toBe(false)
  })

  test.each<[string, () => void, string]>([
    ['nothing', () => {}, 'there is no TXT record _proto-owner.acme.example; there is no file at'],
    ['the token of before', () => inFile('xBwv-old'), 'contains different text: "xBwv-old")'],
    ['a file without content', () => inFile(' \n'), 'proto-ownership.txt is empty)'],
    [
      'a page',
      () => inFile(`<!doctype html>\u202e\u0007${'x'.repeat(900)}`),
      `contains different text: "<!doctype html>${'x'.repeat(45)}…")`,
    ],
    [
      'a record of another token',
      () => {
        names.zone['_proto-owner.acme.example'] = { TXT: ['old'] }
      },
      'the TXT record _proto-owner.acme.example contains different text: "old"; there is no file',
    ],
    [
      'a server that refuses',
      () => {
        hosts['acme.example'] = { [path]: ({ response }) => response.writeHead(403).end() }
      },
      'could not be read: access denied (401, 403, 451))',
    ],
  ])('the refusal says what is in its place: %s', async (_, publish, words) => {
    await issue()
    // Nothing else is served at the domain.
    hosts['acme.example'] = {}
    publish()
    const { status, body } = await verify()
    expect(status).toBe(409)
    expect(body.error).toContain(words)
  })

  it('not on a server that never finishes', async () => {
    const dns = { DNS_SERVER: names.address }
    const hasty = await openLiveWeb(hosts, { ownershipMs: 1_500 }, dns)
    registry = await hasty.open()
    acme = await join('Acme')
    await issue()
    hosts['acme.example'] = { [path]: () => undefined }
    expect(await verify()).toMatchObject({
      status: 409,
      body: { code: 'ownership_verification_failed', verified: false },
    })
    expect(await proves('acme.example')).toBe(false)
    await hasty.close()
  })

  it('not where the caller excluded it', async () => {
    inDns((await issue()).nonce)
    expect((await verify('acme.example', acme, { method: 'http' })).status).toBe(409)
    expect(names.asked.filter(asked => asked.endsWith('TXT'))).toEqual([])
  })

  it('not when no name server answers', async () => {
    await issue()
    names.zone['_proto-owner.acme.example'] = { fails: true }
    expect((await verify()).status).toBe(409)
  })

  it('not when its name resolves to a private network', async () => {
    const { nonce } = await issue('inside.example')
    inFile(nonce, 'inside.example')
    names.zone['inside.example'] = { A: ['10.0.0.1'] }
    expect((await verify('inside.example')).status).toBe(409)
    expect(web.origin.asked).toEqual([])
  })
})

describe('a challenge is verified once', () => {
  it('a verified one is used up', async () => {
    await prove()
    expect((await verify()).status).toBe(404)
  })

  it('a failed one is void, whatever the domain shows later', async () => {
    const { nonce, challenge_id } = await issue()
    expect((await verify()).status).toBe(409)
    inDns(nonce)
    expect((await verify()).status).toBe(404)
    expect((await verify('acme.example', acme, { challenge_id })).status).toBe(404)
  })

  it('a newer one replaces the one before', async () => {
    const old = await issue()
    const fresh = await issue()
    inDns(old.nonce)
    const { challenge_id } = old
    expect((await verify('acme.example', acme, { challenge_id })).status).toBe(404)
    inDns(fresh.nonce)
    expect((await verify()).status).toBe(200)
  })

  it('until the last moment of its fifteen minutes', async () => {
    inDns((await issue()).nonce)
    registry.clock.tick(15 * MINUTE - 1)
    expect((await verify()).status).toBe(200)
    inDns((await issue()).nonce)
    registry.clock.tick(15 * MINUTE)
    expect(await verify()).toMatchObject({ status: 410, body: { code: 'challenge_expired' } })
  })

  it('not when the check took longer than it lasted', async () => {
    const { nonce } = await issue()
    registry.clock.tick(15 * MINUTE - 1)
    hosts['acme.example'] = {
      [path]: ({ response }) => {
        registry.clock.tick(1)
        response.end(nonce)
      },
    }
    expect((await verify()).status).toBe(410)
    expect(await proves('acme.example')).toBe(false)
  })

  it('of fifty attempts at once one gets it, and the others get 404', async () => {
    inDns((await issue()).nonce)
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify()))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array<number>(49).fill(404)])
    expect(names.asked.filter(asked => asked.endsWith('TXT'))).toHaveLength(1)
    expect(await accounts().all('select domain from ownership_proofs')).toHaveLength(1)
  })

  it('an attempt that is lost has used it up, and a new challenge helps', async () => {
    const { nonce } = await issue()
    inDns(nonce)
    const { org_id } = acme
    const domain = parseDomain('acme.example')!
    await registry.submit({ op: 'ownership.take', attempt_id: randomUUID(), org_id, domain })
    expect((await verify()).status).toBe(404)
    await prove()
  })

  it('an attempt only decides the challenge it took', async () => {
    const { challenge_id } = await issue()
    const domain = parseDomain('acme.example')!
    const mine = { challenge_id, org_id: acme.org_id, domain }
    const attempt_id = randomUUID()
    await registry.submit({ op: 'ownership.take', attempt_id, ...mine })
    const verify = (id: string) =>
      registry.submit({ op: 'ownership.settle', attempt_id: id, ...mine, found: 'http' })
    expect(await verify(randomUUID())).toMatchObject([{ error: 'not_found' }])
    expect(await verify(attempt_id)).toMatchObject([{ done: { verified: true } }])
    expect(await verify(attempt_id)).toMatchObject([{ error: 'not_found' }])
  })

  it('it remains when nothing could be checked', async () => {
    let away = true
    const send: WriterClient['requestLive'] = (request, ms) =>
      away ? refuse('unavailable', 'nobody is there') : web.writer.requestLive(request, ms)
    registry = await web.open({}, { writer: { requestLive: send } })
    acme = await join('Acme')
    inDns((await issue()).nonce)
    expect((await verify()).status).toBe(503)
    away = false
    expect((await verify()).status).toBe(200)
  })

  it('it remains when the domain is at its limit', async () => {
    const send = (async () => ({
      found: null,
      throttled: true,
    })) as unknown as WriterClient['requestLive']
    registry = await web.open({}, { writer: { requestLive: send } })
    acme = await join('Acme')
    inDns((await issue()).nonce)
    const { status, headers } = await verify()
    expect([status, Number(headers['retry-after']) > 0]).toEqual([503, true])
    const open = await accounts().all("select 1 from ownership_challenges where state = 'issued'")
    expect(open).toHaveLength(1)
  })
})

describe('a token belongs to one organization and one domain', () => {
  it('reading it in DNS proves nothing for others', async () => {
    const mine = await issue()
    inDns(mine.nonce)
    await issue('acme.example', other)
    expect((await verify('acme.example', other)).status).toBe(409)
    expect(await proves('acme.example', other)).toBe(false)
    expect((await verify()).status).toBe(200)
  })

  it('the challenge of another organization is refused and stays theirs', async () => {
    const { challenge_id, nonce } = await issue()
    inDns(nonce)
    expect((await verify('acme.example', other, { challenge_id })).status).toBe(403)
    expect((await verify('acme.example', acme, { challenge_id })).status).toBe(200)
    expect(await getOwnership(other)).toMatchObject({ proven: false, verified_at: null })
  })

  it('the token of one domain is invalid for another', async () => {
    const { challenge_id, nonce } = await issue('one.example')
    inDns(nonce, 'two.example')
    expect((await verify('two.example', acme, { challenge_id })).status).toBe(404)
    await issue('two.example')
    expect((await verify('two.example')).status).toBe(409)
  })

  it('two organizations that control a domain both prove it; the first one keeps it', async () => {
    await prove('acme.example', acme)
    await prove('acme.example', other)
    expect([await proves('acme.example', acme), await proves('acme.example', other)]).toEqual([
      true,
      true,
    ])
    const held = await accounts().all('select org_id, domain, proof from verified_domains')
    expect(held).toEqual([{ org_id: acme.org_id, domain: 'acme.example', proof: 'dns_txt' }])
  })

  it('a domain that one of two organizations removes is held by the other', async () => {
    await prove('acme.example', acme)
    await prove('acme.example', other)
    await changeByOperator('remove', 'Acme', 'acme.example')
    expect([await proves('acme.example', acme), await proves('acme.example', other)]).toEqual([
      false,
      true,
    ])
    const held = await accounts().all('select org_id, domain, proof from verified_domains')
    expect(held).toEqual([{ org_id: other.org_id, domain: 'acme.example', proof: 'dns_txt' }])
    await changeByOperator('remove', 'Other', 'acme.example')
    expect(await accounts().all('select * from verified_domains')).toEqual([])
    expect(await registry.verify()).toEqual([])
  })
})

describe('the value of a proof', () => {
  it('the domain and its subdomains, nothing above or beside', async () => {
    await prove('shop.acme.example')
    expect(await proves('shop.acme.example')).toBe(true)
    expect(await proves('eu.shop.acme.example')).toBe(true)
    expect(await getOwnership(acme, 'eu.shop.acme.example')).toMatchObject({
      proven: true,
      proven_by: 'shop.acme.example',
      domain: 'eu.shop.acme.example',
    })
    for (const domain of ['acme.example', 'workshop.acme.example', 'shop.acme.example.org']) {
      expect(await proves(domain)).toBe(false)
    }
  })

  it('sites under a shared suffix are proven one by one', async () => {
    const rows = [{ domain: 'github.io' }, { domain: 'co.uk' }].map(row => ({
      ...row,
      org_id: acme.org_id,
      method: 'http',
      seq: 0,
      verified_at: toIso(registry.clock.now()),
    }))
    await accounts().insert('ownership_proofs', rows)
    expect([await proves('acme.github.io'), await proves('acme.co.uk')]).toEqual([false, false])
  })

  it('ninety days, then it must be renewed', async () => {
    await prove()
    registry.clock.tick(90 * DAY - 1)
    expect([await proves('acme.example'), (await getOwnership(acme)).proven]).toEqual([true, true])
    registry.clock.tick(1)
    expect([await proves('acme.example'), (await getOwnership(acme)).proven]).toEqual([
      false,
      false,
    ])
    expect((await getOwnership(acme)).method).toBe('dns_txt')
    await prove()
    expect(await proves('acme.example')).toBe(true)
  })

  it('as many days as the settings say', async () => {
    registry = await web.open({ proofDays: 1 })
    acme = await join('Acme')
    await prove()
    const day = registry.clock.now() + DAY
    expect(await hasProof(accounts(), acme.org_id, 'acme.example', day, 1)).toBe(false)
    registry.clock.tick(DAY)
    expect((await getOwnership(acme)).proven).toBe(false)
  })

  it('an operator’s assignment does not expire, a proof that an operator recorded does', async () => {
    await changeByOperator('add', 'Acme', 'given.example')
    await changeByOperator('add', 'Acme', 'seen.example', 'dns_txt')
    const readBoth = async (domain: string) => [
      await proves(domain),
      (await getOwnership(acme, domain)).proven,
    ]
    expect(await readBoth('given.example')).toEqual([true, true])
    expect(await readBoth('seen.example')).toEqual([true, true])
    registry.clock.tick(90 * DAY)
    expect(await readBoth('given.example')).toEqual([true, true])
    expect(await readBoth('seen.example')).toEqual([false, false])
    expect((await getOwnership(acme, 'given.example')).valid_until).toBeNull()
  })

  it('more than a mailbox at the domain: who proves it becomes its holder', async () => {
    await changeByOperator('add', 'Other', 'mailed.example', 'email')
    await prove('mailed.example')
    const page = { limit: 1, cursor: undefined }
    const { changes } = listOrganizationChanges(registry.reader, other.org_id, page)
    const [lost] = describeChanges(registry.reader, other.org_id, changes)
    expect(lost).toMatchObject({
      text: 'Lost a domain that another organization has verified',
      by: { kind: 'registry' },
      facts: { domain: 'mailed.example' },
    })
    const holders = () =>
      accounts().all("select org_id, proof from verified_domains where domain = 'mailed.example'")
    expect(holders()).toEqual([{ org_id: acme.org_id, proof: 'dns_txt' }])
    await prove('mailed.example', other)
    expect(holders()).toEqual([{ org_id: acme.org_id, proof: 'dns_txt' }])
  })

  it('a mailbox at a domain is no proof, and replaces an earlier one', async () => {
    await changeByOperator('add', 'Acme', 'mailed.example', 'dns_txt')
    expect((await getOwnership(acme, 'mailed.example')).proven).toBe(true)
    await changeByOperator('add', 'Acme', 'mailed.example', 'email')
    expect(await proves('mailed.example')).toBe(false)
    expect(await getOwnership(acme, 'mailed.example')).toMatchObject({
      proven: false,
      method: null,
    })
    await prove('mailed.example')
    expect((await getOwnership(acme, 'mailed.example')).proven).toBe(true)
    expect(await verifyStores(registry.sequencer)).toEqual([])
  })

  it('nothing once an operator takes the domain from the organization', async () => {
    await prove()
    await changeByOperator('remove', 'Acme', 'acme.example')
    expect(await proves('acme.example')).toBe(false)
    expect(await getOwnership(acme)).toMatchObject({ proven: false, verified_at: null })
    await prove()
    expect((await getOwnership(acme)).proven).toBe(true)
  })

  it('the same after a restart, and in a rebuilt store', async () => {
    await prove()
    await changeByOperator('add', 'Acme', 'given.example')
    await changeByOperator('add', 'Acme', 'gone.example')
    await changeByOperator('remove', 'Acme', 'gone.example')
    await registry.restart()
    await registry.reader.refresh()
    expect((await getOwnership(acme)).proven).toBe(true)
    expect(await verifyStores(registry.sequencer)).toEqual([])
  })
})
