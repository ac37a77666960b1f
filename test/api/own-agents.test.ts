import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { enrol } from '../support/registry/members.ts'
import { openForAll, openForEach } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const issuer = openForAll(openIssuer)
const registry = openForEach(() => openWithIssuer(issuer))
let acme: string

beforeEach(async () => {
  acme = await enrol(registry, { org: 'Acme', tier: 'company_leader', domains: ['acme.example'] })
})
afterEach(async () => {
  expect(await registry.verify()).toEqual([])
})

const url = 'https://agent.acme.example/mcp'
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const ask = (bearer: string, method: Method, at = '', payload?: object) =>
  registry.send(method, `/api/me/agents${at}`, { key: bearer, payload })
const at = (agent = url) => `/${encodeURIComponent(agent)}`
const add = (bearer = acme, more: object = {}) =>
  ask(bearer, 'POST', '', { url, type: 'sales', ...more })
const listed = async (bearer = acme) => (await ask(bearer, 'GET')).json().agents
const listVisibleAgents = async (bearer?: string) => {
  await registry.publish()
  const headers = bearer ? { authorization: `Bearer ${bearer}` } : {}
  const answer = await registry.app.inject({ url: '/api/registry/agents', headers })
  return answer.json().agents.map((agent: { url: string }) => agent.url)
}

describe('enrolling an agent', () => {
  test('keeps it private by default', async () => {
    const answer = await add(acme, { url: 'HTTPS://Agent.acme.example:443/mcp/', other: 1 })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toEqual({
      agent: { url, type: 'sales', visibility: 'private', enrolled_at: expect.any(String) },
    })
    expect(await listVisibleAgents(acme)).toEqual([])
  })

  test('again changes the given fields and keeps the rest', async () => {
    await add(acme, {
      name: 'One',
      visibility: 'members_only',
      health_check_url: 'https://h.example/',
    })
    const answer = await add(acme, { type: 'signals', visibility: 'nobody', health_check_url: 'x' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().agent).toMatchObject({
      type: 'signals',
      name: 'One',
      visibility: 'members_only',
      health_check_url: 'https://h.example/',
    })
  })

  test('publishes it at once, with either field for that', async () => {
    await add(acme, { visibility: 'public' })
    await add(acme, { url: `${url}/two`, is_public: true })
    expect(await listVisibleAgents()).toEqual([url, `${url}/two`])
    expect((await listed()).map((agent: { url: string }) => agent.url)).toEqual([url, `${url}/two`])
  })

  test('limits it to members where the member has no API access', async () => {
    const key = await enrol(registry, { org: 'Small', tier: 'individual_academic' })
    const own = 'https://small.example/mcp'
    const answer = await add(key, { url: own, visibility: 'public' })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toMatchObject({
      agent: { visibility: 'members_only' },
      warnings: [
        {
          code: 'visibility_downgraded',
          agent_url: own,
          requested: 'public',
          applied: 'members_only',
          reason: 'tier_required',
        },
      ],
    })
    expect(await listVisibleAgents()).toEqual([])
    expect(await listVisibleAgents(key)).toEqual([])
    expect(await listVisibleAgents(acme)).toEqual([own])
  })

  test('accepts only hosts of the member’s domains, once there are any', async () => {
    const answer = await add(acme, { url: 'https://agent.other.example' })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      error: expect.any(String),
      code: 'unverified_hostname',
      agent_hostname: 'agent.other.example',
      verified_domains: ['acme.example'],
      reason: 'hostname_mismatch',
    })
    expect((await add(acme, { url: 'https://notacme.example' })).statusCode).toBe(400)
    expect((await add(acme, { url: 'https://acme.example' })).statusCode).toBe(201)
    const nameless = await registry.createKey('Nameless')
    const anywhere = await add(nameless, { url: 'https://agent.other.example' })
    expect(anywhere.statusCode).toBe(201)
    expect(anywhere.json()).toMatchObject({ profile_auto_created: true })
  })

  test('changes one that the operator enrolled elsewhere', async () => {
    const foreign = 'https://agent.other.example'
    await registry.submit({ op: 'member.agent.save', org: 'Acme', url: foreign, type: 'sales' })
    expect((await add(acme, { url: foreign, type: 'signals' })).statusCode).toBe(200)
  })

  test.each([
    { type: undefined },
    { type: 'unknown' },
    { url: undefined },
    { url: 'agent.acme.example' },
    { url: `${url}?x=1` },
    { url: `${url}#x` },
    { name: '' },
    { url: 'http://127.0.0.1:8080/mcp' },
    { url: 'http://[::1]/mcp' },
    { url: 'http://169.254.169.254/latest' },
    { url: 'https://agent.corp.internal/mcp' },
    { url: 'http://localhost/mcp' },
  ])('is refused for %j', async more => {
    expect((await add(acme, more)).statusCode).toBe(400)
    expect(await listed()).toEqual([])
  })
})

describe('a person without an organization', () => {
  const person = (claims: object) => issuer.token({ sub: 'ann', ...claims })

  test('founds that of their domain with their first agent, and a private profile', async () => {
    const ann = await person({ email: 'ann@new.example', email_verified: true })
    const own = 'https://agent.new.example'
    const answer = await add(ann, { url: own })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toMatchObject({ org_auto_created: true, profile_auto_created: true })
    const [row] = await registry.sequencer.accounts.db.all(
      `select o.name, m.display_name, m.is_public, s.role from organizations o
       join members m using (org_id) join memberships s using (org_id) where s.user_id = 'ann'`,
    )
    expect(row).toEqual({
      name: 'new.example',
      display_name: 'new.example',
      is_public: false,
      role: 'owner',
    })
    const second = await add(ann, { url: `${own}/two` })
    expect(second.statusCode).toBe(201)
    expect(second.json()).not.toHaveProperty('org_auto_created')
  })

  test.each([
    [{ name: 'Ann' }, 'Ann’s Workspace'],
    [{ email: 'ann@gmail.com', email_verified: true }, 'Personal Workspace'],
  ])('and without a domain %j has a workspace', async (claims, name) => {
    await registry.submit({
      op: 'organization.create',
      org_id: '3b6c1d5e-7f6f-4a0e-9a53-0e6b7c3f1a11',
      name,
    })
    expect((await add(await person(claims))).statusCode).toBe(201)
    const rows = await registry.sequencer.accounts.db.all(
      'select name, is_personal from organizations join memberships using (org_id)',
    )
    expect(rows).toEqual([{ name: `${name} 2`, is_personal: true }])
  })

  test('learns who owns the domain, and nothing is created', async () => {
    const ann = await person({ email: 'ann@acme.example', email_verified: true })
    const answer = await add(ann)
    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({ existing_org_name: 'Acme' })
    expect((await ask(ann, 'GET')).statusCode).toBe(400)
  })

  test('founds nothing with an agent that is refused', async () => {
    const ann = await person({ email: 'ann@new.example', email_verified: true })
    expect((await add(ann)).json()).toMatchObject({ verified_domains: ['new.example'] })
    expect((await ask(ann, 'GET')).statusCode).toBe(400)
  })

  test('founds one organization with two agents at once', async () => {
    const ann = await person({})
    const answers = await Promise.all([add(ann), add(ann, { url: 'https://b.example' })])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201])
    const rows = await registry.sequencer.accounts.db.all('select org_id from memberships')
    expect(rows).toHaveLength(1)
    expect(await listed(ann)).toHaveLength(2)
  })
})

describe('listing', () => {
  test('shows the agents of the requested organization', async () => {
    const other = await registry.createKey('Other')
    const none = await ask(other, 'GET')
    expect([none.statusCode, none.json().error]).toEqual([
      404,
      expect.stringContaining('POST /api/me/agents creates it'),
    ])
    await add()
    for (const org of ['Other', 'Acme']) {
      await registry.submit({ op: 'membership.set', org, user_id: 'ann', role: 'member' })
    }
    const ann = await issuer.token({ sub: 'ann' })
    const { org_id } = (await registry.sequencer.accounts.db.one<{ org_id: string }>(
      "select org_id from organizations where name = 'Acme'",
    ))!
    expect((await ask(ann, 'GET')).statusCode).toBe(404)
    expect((await ask(ann, 'GET', `?org=${org_id}`)).json().agents).toMatchObject([{ url }])
    expect((await ask(other, 'GET', `?org=${org_id}`)).statusCode).toBe(403)
    expect((await ask(other, 'POST', `?org=${org_id}`, { url, type: 'sales' })).statusCode).toBe(
      403,
    )
  })
})

describe('changing an agent', () => {
  test('changes the given fields', async () => {
    await add(acme, { name: 'One' })
    const answer = await ask(acme, 'PATCH', at(), { visibility: 'public' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().agent).toMatchObject({ type: 'sales', name: 'One', visibility: 'public' })
    expect(await listVisibleAgents()).toEqual([url])
    await ask(acme, 'PATCH', at(), { visibility: 'private' })
    expect(await listVisibleAgents()).toEqual([])
  })

  test('keeps its address, whatever spelling is sent', async () => {
    await add()
    const same = await ask(acme, 'PATCH', at(), { url: 'HTTPS://agent.acme.example/mcp/' })
    expect(same.statusCode).toBe(200)
    const moved = await ask(acme, 'PATCH', at(), { url: `${url}/two` })
    expect([moved.statusCode, moved.json().code]).toEqual([400, 'url_immutable'])
  })

  test('refuses an unknown type and an unknown agent', async () => {
    await add()
    const odd = await ask(acme, 'PATCH', at(), { type: 'unknown' })
    expect([odd.statusCode, odd.json().code]).toEqual([400, 'invalid_type'])
    expect((await ask(acme, 'PATCH', at(`${url}/two`), { name: 'x' })).statusCode).toBe(404)
    expect((await ask(acme, 'PATCH', at('nothing'), { name: 'x' })).statusCode).toBe(400)
    const other = await enrol(registry, { org: 'Other', domains: ['other.example'] })
    expect((await ask(other, 'PATCH', at(), { name: 'x' })).statusCode).toBe(404)
    expect((await ask(other, 'DELETE', at())).statusCode).toBe(404)
    expect(await listed()).toMatchObject([{ url, type: 'sales' }])
  })
})

describe('removing an agent', () => {
  test('requires a public one to be hidden first', async () => {
    await add(acme, { visibility: 'public' })
    const refused = await ask(acme, 'DELETE', at())
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toEqual({
      error: expect.any(String),
      code: 'unpublish_first',
      agent_url: url,
    })
    await ask(acme, 'PATCH', at(), { visibility: 'members_only' })
    const removed = await ask(acme, 'DELETE', at())
    expect([removed.statusCode, removed.body]).toEqual([204, ''])
    expect((await ask(acme, 'DELETE', at())).statusCode).toBe(404)
    expect(await listed()).toEqual([])
  })

  test('decodes an escaped address once', async () => {
    const odd = 'https://agent.acme.example/a%20b'
    await add(acme, { url: odd })
    expect((await ask(acme, 'DELETE', at(odd))).statusCode).toBe(204)
  })
})
