import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, toIso } from '../../pipeline/core/clock.ts'
import { BrandOwnership, OrganizationDomains } from '../../pipeline/model/responses/ownership.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'
import { START } from '../support/worlds/clock.ts'

const registry = openForAll(() =>
  openRegistry({ settings: { PUBLIC_BASE_URL: 'https://registry.example' } }),
)
let acme: string
let quiet: string
let plain: string

beforeAll(async () => {
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  quiet = await enrol(registry, { org: 'Quiet', domains: ['quiet.example'], public: false })
  // An organization without a profile.
  plain = await registry.createKey('Plain')
  await proveOwnership(registry, 'Plain', 'plain.example')
  await add('Plain', 'mailbox.example', 'email')
  await add('Plain', 'entered.example', 'operator')
})

async function submit(operation: object): Promise<void> {
  expect(await registry.submit(Operation.parse(operation))).toMatchObject([{ done: {} }])
}

const add = (org: string, domain: string, proof: string) =>
  submit({ op: 'organization.domain.add', org, domain, proof })

function get(path: string, secret?: string) {
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  return registry.app.inject({ url: `/api/${path}`, headers })
}

async function getOwnership(domain: string, secret?: string) {
  const answer = await get(`brands/${domain}/ownership`, secret)
  expect(answer.statusCode, answer.body).toBe(200)
  return BrandOwnership.parse(answer.json())
}

async function listDomains(secret: string) {
  const answer = await get('me/organization/domains', secret)
  expect(answer.statusCode, answer.body).toBe(200)
  return OrganizationDomains.parse(answer.json())
}

describe('GET /api/brands/{domain}/ownership', () => {
  test('an owner with a public profile is shown to everybody, also below its domain', async () => {
    for (const domain of ['acme.example', 'shoes.acme.example']) {
      expect(await getOwnership(domain)).toEqual({
        domain,
        status: 'verified',
        owner: { name: 'Acme' },
        authenticated: false,
        can_manage: false,
        can_claim: false,
        manage_url: null,
        claim_url: null,
      })
    }
  })

  test('an owner without a public profile is shown only to itself', async () => {
    const nameless = { status: 'verified', owner: null, can_manage: false, can_claim: false }
    for (const secret of [undefined, acme]) {
      expect(await getOwnership('quiet.example', secret)).toMatchObject(nameless)
      expect(await getOwnership('plain.example', secret)).toMatchObject(nameless)
    }
    expect(await getOwnership('quiet.example', quiet)).toMatchObject({ owner: { name: 'Quiet' } })
    expect(await getOwnership('plain.example', plain)).toMatchObject({ owner: { name: 'Plain' } })
  })

  test('the owner may manage it, and an organization may claim one without an owner', async () => {
    expect(await getOwnership('acme.example', acme)).toMatchObject({
      can_manage: true,
      manage_url: 'https://registry.example/api/brands/save',
      can_claim: false,
      claim_url: null,
      authenticated: true,
    })
    expect(await getOwnership('free.example', acme)).toMatchObject({
      status: 'community',
      owner: null,
      can_manage: false,
      manage_url: null,
      can_claim: true,
      claim_url: 'https://registry.example/api/registry/ownership/challenges',
    })
    expect(await getOwnership('free.example')).toMatchObject({ can_claim: false, claim_url: null })
  })

  test('a mailbox at a domain proves nothing, and keeps nobody from claiming it', async () => {
    const unproven = { status: 'community', owner: null, can_manage: false, can_claim: true }
    for (const secret of [plain, acme])
      expect(await getOwnership('mailbox.example', secret)).toMatchObject(unproven)
  })

  test('a verified subdomain belongs to the organization that verified it', async () => {
    await add('Quiet', 'sold.acme.example', 'dns_txt')
    expect(await getOwnership('www.sold.acme.example', quiet)).toMatchObject({ can_manage: true })
    expect(await getOwnership('www.sold.acme.example', acme)).toMatchObject({ can_manage: false })
  })

  test('a domain that was taken from its owner has none, and is orphaned while it points here', async () => {
    const gone = { op: 'organization.domain.remove', org: 'Acme', domain: 'gone.example' }
    await add('Acme', 'gone.example', 'dns_txt')
    await submit({
      op: 'origin.verify',
      domain: 'gone.example',
      checked_at: registry.clock.now(),
      reason: 'authoritative_location_pointer',
    })
    expect(await getOwnership('gone.example')).toMatchObject({ status: 'verified' })
    await submit(gone)
    expect(await getOwnership('gone.example', acme)).toMatchObject({
      status: 'orphaned',
      owner: null,
      can_manage: false,
      can_claim: true,
    })
    await submit({
      op: 'origin.verify',
      domain: 'gone.example',
      checked_at: registry.clock.now() + 1,
      reason: 'not_found',
    })
    expect(await getOwnership('gone.example')).toMatchObject({ status: 'community' })
  })

  test('an invalid credential counts as none, and an invalid domain gets 400', async () => {
    expect(await getOwnership('acme.example', 'sk_wrong')).toMatchObject({ authenticated: false })
    expect((await get('brands/x/ownership')).statusCode).toBe(400)
  })
})

describe('GET /api/me/organization/domains', () => {
  test('the domains of the caller’s organization with their proof and its expiry', async () => {
    const { organization, domains } = await listDomains(plain)
    const verified_at = toIso(START)
    const days = registry.config.LIMITS.proofDays
    expect(organization.name).toBe('Plain')
    expect(domains).toEqual([
      {
        domain: 'entered.example',
        method: 'operator',
        verified_at,
        proven: true,
        valid_until: null,
      },
      {
        domain: 'mailbox.example',
        method: 'email',
        verified_at,
        proven: false,
        valid_until: null,
      },
      {
        domain: 'plain.example',
        method: 'dns_txt',
        verified_at,
        proven: true,
        valid_until: toIso(START + days * DAY),
      },
    ])
  })

  test('only its own are listed, and a removed one no longer', async () => {
    await add('Quiet', 'brief.example', 'dns_txt')
    const names = async (secret: string) =>
      (await listDomains(secret)).domains.map(({ domain }) => domain)
    expect(await names(quiet)).toEqual(['brief.example', 'quiet.example', 'sold.acme.example'])
    await submit({ op: 'organization.domain.remove', org: 'Quiet', domain: 'brief.example' })
    expect(await names(quiet)).toEqual(['quiet.example', 'sold.acme.example'])
    expect(await names(acme)).toEqual(['acme.example'])
  })

  test('a rebuilt store lists the same', async () => {
    const readAnswers = async () => [
      await listDomains(plain),
      await listDomains(quiet),
      await getOwnership('acme.example'),
      await getOwnership('gone.example'),
    ]
    const before = await readAnswers()
    await registry.restart()
    expect(await readAnswers()).toEqual(before)
    expect(await registry.verify()).toEqual([])
  })

  test('an expired proof keeps the domain, but proves nothing until it is renewed', async () => {
    registry.clock.tick((registry.config.LIMITS.proofDays + 1) * DAY)
    const { domains } = await listDomains(plain)
    expect(domains.map(({ domain, proven }) => [domain, proven])).toEqual([
      ['entered.example', true] as const,
      ['mailbox.example', false] as const,
      ['plain.example', false],
    ] as const)
  })

  test('401: without a credential; 403: for another organization', async () => {
    expect((await get('me/organization/domains')).statusCode).toBe(401)
    const { organization } = await listDomains(plain)
    const other = await get(`me/organization/domains?org=${organization.id}`, acme)
    expect(other.statusCode).toBe(403)
    expect(other.body).not.toContain('plain.example')
  })
})

test('a member of several organizations names the one to add a domain to', async () => {
  const issuer = await openIssuer()
  const theirs = await openWithIssuer(issuer)
  try {
    for (const org of ['First', 'Second']) {
      await theirs.createKey(org)
      const member = { op: 'membership.set', org, user_id: 'ann', role: 'member' }
      expect(await theirs.submit(Operation.parse(member))).toMatchObject([{ done: {} }])
    }
    const { db } = theirs.sequencer.accounts
    const second = await db.one<{ org_id: string }>(
      `select org_id from organizations where name = 'Second'`,
    )
    const headers = { authorization: `Bearer ${await issuer.token({ sub: 'ann' })}` }
    const begin = (query: string, domain: string) =>
      theirs.send('POST', `/api/me/organization/domains${query}`, { headers, payload: { domain } })
    expect((await begin('', 'one.example')).statusCode).toBe(201)
    expect((await begin(`?org=${second!.org_id}`, 'two.example')).statusCode).toBe(201)
    const issued = await db.all(
      `select c.domain, o.name from ownership_challenges c join organizations o using (org_id)
       order by c.domain`,
    )
    expect(issued).toEqual([
      { domain: 'one.example', name: 'First' },
      { domain: 'two.example', name: 'Second' },
    ])
  } finally {
    await theirs.close()
    await issuer.close()
  }
})
