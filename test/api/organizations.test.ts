import { afterEach, describe, expect, test } from 'vitest'
import { openForAll, openForEach } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const issuer = openForAll(openIssuer)
const registry = openForEach(() => openWithIssuer(issuer))

afterEach(async () => {
  expect(await registry.verify()).toEqual([])
})

const token = (sub: string, email?: string, email_verified = true) =>
  issuer.token({ sub, ...(email && { email, email_verified }) })
const found = async (bearer: string, payload: object = { organization_name: 'Acme' }) =>
  registry.send('POST', '/api/organizations', { key: bearer, payload })
const domains = () =>
  registry.sequencer.accounts.db.all(
    `select name, domain, proof from verified_domains join organizations using (org_id) order by domain`,
  )

describe('founding an organization', () => {
  test('makes its founder the owner, and verifies the domain of their email address', async () => {
    const ann = await token('ann', 'ann@acme.example')
    const answer = await found(ann, {
      organization_name: ' Acme ',
      company_type: 'brand',
      revenue_tier: '1m_5m',
      membership_tier: 'company_leader',
      corporate_domain: 'other.example',
    })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toEqual({
      success: true,
      organization: { id: expect.any(String), name: 'Acme' },
    })
    const [row] = await registry.sequencer.accounts.db.all(
      `select name, membership_tier, company_type, revenue_tier, marketing_opt_in, role
       from organizations join memberships using (org_id) where user_id = 'ann'`,
    )
    expect(row).toEqual({
      name: 'Acme',
      membership_tier: null,
      company_type: 'brand',
      revenue_tier: '1m_5m',
      marketing_opt_in: false,
      role: 'owner',
    })
    expect(await domains()).toEqual([{ name: 'Acme', domain: 'acme.example', proof: 'email' }])
    const keys = await registry.send('GET', '/api/me/api-keys', { key: ann })
    expect(keys.json()).toEqual({ api_keys: [] })
  })

  test.each([
    ['that is not verified', () => token('ann', 'ann@acme.example', false)],
    ['that is none', () => token('ann', 'acme.example')],
    ['that is missing', () => token('ann')],
  ])('reveals no domain for an address %s', async (_, make) => {
    expect((await found(await make())).statusCode).toBe(201)
    expect(await domains()).toEqual([])
  })

  test.each(['gmail.com', 'YAHOO.co.uk', 'mail.ru', 'web.de'])(
    'of a company fails for an address at %s, of a person it works',
    async host => {
      const ann = await token('ann', `ann@${host}`)
      expect((await found(ann)).statusCode).toBe(400)
      const personal = { organization_name: 'Ann', is_personal: true }
      expect((await found(ann, personal)).statusCode).toBe(201)
      expect(await domains()).toEqual([])
      const again = await found(ann, { organization_name: 'Ann too', is_personal: true })
      expect(again.statusCode).toBe(409)
      expect(again.json()).toMatchObject({ existing_org_name: 'Ann', message: expect.any(String) })
    },
  )

  test('for a domain that already has an organization is refused and names it', async () => {
    const first = await found(await token('ann', 'ann@acme.example'))
    for (const host of ['acme.example', 'students.acme.example']) {
      const answer = await found(await token('eve', `eve@${host}`), { organization_name: 'Eve' })
      expect(answer.statusCode).toBe(409)
      expect(answer.json()).toMatchObject({
        existing_org_id: first.json().organization.id,
        existing_org_name: 'Acme',
      })
    }
  })

  test('for the domain of an organization of yours is created without the domain', async () => {
    const ann = await token('ann', 'ann@acme.example')
    expect((await found(ann)).statusCode).toBe(201)
    expect((await found(ann, { organization_name: 'Acme Labs' })).statusCode).toBe(201)
    const students = await token('ann', 'ann@students.acme.example')
    expect((await found(students, { organization_name: 'Students' })).statusCode).toBe(201)
    expect(await domains()).toEqual([{ name: 'Acme', domain: 'acme.example', proof: 'email' }])
  })

  test('adopts an existing organization of the domain that has no member yet, once', async () => {
    const org_id = '3b6c1d5e-7f6f-4a0e-9a53-0e6b7c3f1a11'
    const domain = 'acme.example' as never
    await registry.submit(
      { op: 'organization.create', org_id, name: 'Acme Prospect' },
      { op: 'organization.domain.add', org: 'Acme Prospect', domain, proof: 'operator' },
    )
    const answer = await found(await token('ann', 'ann@acme.example'))
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ id: org_id, name: 'Acme Prospect', adopted: true })
    expect((await found(await token('bob', 'bob@acme.example'))).statusCode).toBe(409)
  })

  test('adopts none that has a key, since somebody uses it', async () => {
    await registry.createKey('Acme Inc')
    const domain = 'acme.example' as never
    await registry.submit({
      op: 'organization.domain.add',
      org: 'Acme Inc',
      domain,
      proof: 'operator',
    })
    expect((await found(await token('ann', 'ann@acme.example'))).statusCode).toBe(409)
  })

  test('needs an unused name, and a person', async () => {
    const key = await registry.createKey('Acme')
    expect((await found(await token('ann'))).statusCode).toBe(409)
    expect((await found(key, { organization_name: 'Another' })).statusCode).toBe(403)
  })

  test.each([
    {},
    { organization_name: '' },
    { organization_name: 'x'.repeat(201) },
    { organization_name: 'Acme', company_type: 'bank' },
    { organization_name: 'Acme', revenue_tier: 'much' },
  ])('is refused for %j', async payload => {
    expect((await found(await token('ann'), payload)).statusCode).toBe(400)
  })

  test('is limited to ten organizations', async () => {
    const ann = await token('ann')
    for (let i = 0; i < 10; i++) {
      expect((await found(ann, { organization_name: `Acme ${i}` })).statusCode).toBe(201)
    }
    expect((await found(ann, { organization_name: 'Acme 10' })).statusCode).toBe(400)
  })

  test('delivered twice happens once', async () => {
    const operation = {
      op: 'organization.found',
      org_id: '3b6c1d5e-7f6f-4a0e-9a53-0e6b7c3f1a11',
      user_id: 'ann',
      name: 'Acme',
      is_personal: false,
      marketing_opt_in: false,
    } as const
    const submissions = [{ submission_id: '8d4f0a1c-6d5e-4a0f-8f67-1c7a1b2c3d4e', operation }]
    for (let i = 0; i < 2; i++) {
      const { answers } = await registry.sequencer.commit({ observations: [], submissions })
      expect([...answers.values()]).toMatchObject([{ done: { name: 'Acme' } }])
    }
  })
})
