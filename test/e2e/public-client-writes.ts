import type { RegistryClient } from '@adcp/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { managerDomain } from '../../scripts/world/demo-agents.ts'
import type { Demo } from '../support/processes/demo.ts'
import { startClientDemo } from './client-demo.ts'

const own = 'writers.example'
let demo: Demo
let base: string
let secret: string
let client: RegistryClient

beforeAll(async () => {
  demo = await startClientDemo()
  ;({ base, secret, client } = demo)
})

async function send(method: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${base}${path}`, {
    ...init,
    method,
    redirect: 'error',
    headers: { accept: 'application/json', authorization: `Bearer ${secret}`, ...init.headers },
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}
const sendJson = (method: string, path: string, body: object) =>
  send(method, path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

describe('every method of the client that writes', () => {
  test('saveBrand', async () => {
    const brand_manifest = { description: 'Pens' }
    const brand = { domain: own, brand_name: 'Writers', brand_manifest }
    const made = await client.saveBrand(brand)
    expect(made).toMatchObject({ success: true, domain: own, id: expect.any(String) })
    expect(await client.saveBrand(brand)).toMatchObject({ id: made.id, revision_number: 2 })
    expect(await client.lookupBrand(own)).toMatchObject({ brand_name: 'Writers' })
  })

  test('saveProperty, and saveProperties, where each succeeds or fails by itself', async () => {
    const properties = [{ type: 'website', name: 'Writers' }]
    const of = (publisher_domain: string) => ({
      publisher_domain,
      authorized_agents: [],
      properties,
    })
    expect(await client.saveProperty(of(own))).toMatchObject({ success: true })
    const many = await client.saveProperties([
      of(`a.${own}`),
      of(`b.${own}`),
      of('strangers.example'),
      of(managerDomain),
    ])
    expect(many).toMatchObject({
      [`a.${own}`]: { success: true },
      [`b.${own}`]: { success: true },
      'strangers.example': { error: expect.stringContaining('403') },
    })
    expect(await client.lookupProperty(`b.${own}`)).toMatchObject({ source: 'hosted', properties })
  })

  test('savePolicy', async () => {
    const policy = {
      policy_id: 'writers_rule',
      version: '1',
      name: 'Rule',
      policy: 'Ask first.',
      category: 'standard' as const,
      enforcement: 'should' as const,
    }
    const saved = await client.savePolicy(policy)
    expect(saved).toMatchObject({ success: true, policy_id: 'writers_rule', revision_number: null })
    await expect(client.savePolicy(policy)).rejects.toThrow('409')
    const many = await client.resolvePoliciesBulk({ policy_ids: ['writers_rule', 'none'] })
    expect(many.results).toMatchObject({ writers_rule: { name: 'Rule' }, none: null })
    expect(await client.getPolicyHistory({ policy_id: 'writers_rule' })).toMatchObject({
      policy_id: 'writers_rule',
    })
  })

  test('requestCrawl', async () => {
    const asked = await client.requestCrawl(managerDomain)
    expect(asked).toMatchObject({ domain: managerDomain, message: expect.any(String) })
    await expect(client.requestCrawl(managerDomain)).rejects.toThrow('429')
  })
})

describe('every command of the client that writes', () => {
  test('save-brand: a new one, an edit, and one with a manifest', async () => {
    const domain = `cli.${own}`
    const made = await demo.run('save-brand', domain, 'Command Line')
    expect([made.status, made.stdout]).toEqual([0, expect.stringContaining(domain)])
    const manifest = JSON.stringify({ description: 'by hand', colors: { primary: '#102030' } })
    const edited = await demo.run('save-brand', domain, 'Command', manifest, '--sandbox', '--json')
    expect(edited.status).toBe(0)
    expect(JSON.parse(edited.stdout)).toMatchObject({ domain, revision_number: 2 })
    expect((await demo.run('brand', domain)).stdout).toContain('by hand')
  })

  test('save-property, with an agent that it does not authorize', async () => {
    const domain = `cli-site.${own}`
    const agent = 'https://agent.example/mcp'
    const plain = await demo.run('save-property', domain, agent)
    expect([plain.status, plain.stdout]).toEqual([0, expect.stringMatching(/saved/i)])
    const more = JSON.stringify({ properties: [{ type: 'website', name: 'Site' }] })
    const edited = await demo.run('save-property', domain, agent, more, '--json')
    expect(JSON.parse(edited.stdout)).toMatchObject({ success: true, revision_number: 2 })
    const looked = await demo.run('property', domain)
    expect(looked.stdout).toContain('Site')
    expect(looked.stdout).not.toContain(agent)
  })

  test('report refusals and exit with an error', async () => {
    const refused = await demo.run('save-brand', 'strangers.example', 'Mine')
    expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining('403')])
  })
})

describe('writes of later clients', () => {
  test('a claim and its verification, without a body', async () => {
    const empty = { headers: { 'content-type': 'application/json' } }
    const path = `/api/properties/hosted/a.${own}`
    const claimed = await send('POST', `${path}/claim`, empty)
    expect([claimed.status, claimed.body]).toMatchObject([200, { success: true }])
    const { authoritative_location } = claimed.body
    const place = `https://registry.example/publisher/a.${own}/.well-known/adagents.json`
    expect(authoritative_location.split('=')[0]).toBe(`${place}?adcp_claim`)
    const verified = await send('POST', `${path}/verify-origin`, empty)
    expect([verified.status, verified.body.verified]).toEqual([200, false])
    const file = await fetch(`${base}${new URL(place).pathname}`)
    expect(await file.json()).toMatchObject({ properties: [{ name: 'Writers' }] })
  })

  test('a logo, as a form', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452ff00ff00', 'hex')
    const body = new FormData()
    body.set('file', new Blob([Uint8Array.from(png)], { type: 'image/png' }), 'logo.png')
    body.set('tags', 'primary')
    const taken = await send('POST', `/api/brands/${own}/logos`, { body })
    expect([taken.status, taken.body]).toMatchObject([201, { review_status: 'approved' }])
    const { body: listed } = await send('GET', `/api/brands/${own}/logos?tags=primary`)
    expect(listed).toMatchObject({ domain: own, logos: [{ id: taken.body.logo_id }] })
    const { url } = listed.logos[0]
    expect(url.startsWith(`https://registry.example/assets/brands/${own}/`)).toBe(true)
    const picture = await fetch(`${base}${new URL(url).pathname}`)
    expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true)
  })

  test('a brand setup and its status', async () => {
    const brand = { domain: `set.${own}`, brand_name: 'Set' }
    const { status, body } = await sendJson('POST', '/api/brands/setup-my-brand', brand)
    expect([status, body]).toMatchObject([200, { has_brand_json: false }])
    const file = await fetch(`${base}${new URL(body.hosted_brand_json_url).pathname}`)
    expect(await file.json()).toMatchObject({ house: { name: 'Set' } })
    expect(JSON.parse(body.pointer_snippet)).toEqual({
      authoritative_location: body.hosted_brand_json_url,
    })
  })

  test('identifiers of the catalog, and a dispute', async () => {
    const asked = {
      identifiers: [{ type: 'domain', value: 'catalog-writers.example' }],
      provenance: { type: 'member_assertion' },
    }
    const resolved = await sendJson('POST', '/api/registry/resolve', asked)
    expect(resolved.status).toBe(200)
    const dispute = {
      dispute_type: 'classification',
      subject_type: 'property',
      subject_value: 'catalog-writers.example',
      claim: 'This is an ad server.',
    }
    const filed = await sendJson('POST', '/api/registry/catalog/disputes', dispute)
    expect(filed.status).toBe(200)
    const read = await send('GET', `/api/registry/catalog/disputes/${filed.body.dispute_id}`)
    expect(read.status).toBe(200)
  })

  test('a mirror, published by a moderator', async () => {
    const catalog = {
      properties: [
        {
          property_type: 'mobile_app',
          name: 'Pictures',
          publisher_domain: 'p.example',
          identifiers: [{ type: 'domain', value: 'p.example' }],
        },
      ],
    }
    const proposed = await sendJson('PUT', '/api/registry/mirrors/pictures', catalog)
    expect([proposed.status, proposed.body]).toMatchObject([202, { status: 'pending' }])
    await demo.runForOutput('review', 'approve', proposed.body.proposal_id)
    const mirror = await send('GET', '/api/registry/mirrors/pictures')
    expect(mirror.body).toMatchObject({ adagents_json: { authorized_agents: [] } })
  })
})
