import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ReviewKind } from '../../pipeline/model/review.ts'
import {
  enterDashboard,
  openWithSignIn,
  sendForm,
  type TestBrowser,
} from '../support/clients/signing-in.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { createModerator } from '../support/fixtures/mirrors.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const PAGES = '/dashboard/reviews'
const API = '/api/registry/reviews'

const registry = openForAll(openWithSignIn)
let moderator: TestBrowser
let moderatorKey: string
let member: TestBrowser
let key: string

beforeAll(async () => {
  moderatorKey = await createModerator(registry)
  moderator = await enterDashboard(registry, 'mo@registry.example')
  member = await enterDashboard(registry, 'ann@acme.example')
  const id = load((await moderator.get('/dashboard/access')).body)('main code')
    .first()
    .text()
  await registry.submit({ op: 'role.grant', role: 'moderator', holder: 'user', id })
  key = await enrol(registry, {
    org: 'Acme',
    tier: 'company_standard',
    domains: ['acme.example', 'rnicrosoft.com'],
  })
  await registry.observe(observeBrandFile('microsoft.com', 'Microsoft'))
})

async function ask(method: 'GET' | 'POST', url: string, payload?: object, secret = key) {
  const headers = { authorization: `Bearer ${secret}` }
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}

async function submit(method: 'POST', url: string, payload: object): Promise<void> {
  const answer = await ask(method, url, payload)
  expect(answer.statusCode, answer.body).toBe(200)
}

async function saveLogo(domain: string): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([Uint8Array.from(PNG), domain]), 'logo.png')
  const sent = new Response(form)
  const answer = await registry.send('POST', `/api/brands/${domain}/logos`, {
    key,
    headers: { 'content-type': sent.headers.get('content-type')! },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
  expect(answer.json().review_status, answer.body).toBe('pending')
  return new URL(answer.json().url).pathname
}

/** Returns the newest pending review of a kind, as the API lists it to moderators. */
async function findPending(kind: ReviewKind): Promise<string> {
  const answer = await ask('GET', `${API}?kind=${kind}&limit=1`, undefined, moderatorKey)
  return answer.json().reviews[0]?.review_id
}

async function decide(id: string, form: Record<string, string>) {
  const page = load((await moderator.get(`${PAGES}/${id}`)).body)
  const digest = String(page('input[name=digest]').val())
  return sendForm(moderator, `${PAGES}/${id}`, { digest, ...form })
}

const buildPolicy = (policy_id: string) => ({
  policy_id,
  version: '1',
  name: `The ${policy_id}`,
  category: 'standard',
  enforcement: 'must',
  policy: 'Be fair.',
})

describe('moderators decide in the dashboard', () => {
  test('logos: they see the picture, which nobody else does before it is approved', async () => {
    const path = await saveLogo('stranger.example')
    const id = await findPending('logo')
    const page = load((await moderator.get(`${PAGES}/${id}`)).body)
    const src = page('#picture img').attr('src')!
    const { statusCode, headers, rawPayload } = await moderator.get(src)
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/png'])
    expect(rawPayload.subarray(0, PNG.length)).toEqual(PNG)
    expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'")
    expect((await member.get(src)).statusCode).toBe(404)
    expect((await registry.app.inject(path)).statusCode).toBe(404)
    const { headers: done } = await decide(id, { decision: 'approve' })
    expect(done.location).toBe(`${PAGES}?done=approved`)
    expect((await registry.app.inject(path)).statusCode).toBe(200)
  })

  test('logos that are rejected are gone, picture and all', async () => {
    const path = await saveLogo('elsewhere.example')
    const id = await findPending('logo')
    await decide(id, { decision: 'reject', notes: 'Not theirs.' })
    expect((await ask('GET', path)).statusCode).toBe(404)
    const page = load((await moderator.get(`${PAGES}/${id}`)).body)
    expect(page('main').text()).toContain('Not theirs.')
    expect(page('#picture, form.panel')).toHaveLength(0)
    expect((await moderator.get(`${PAGES}/${id}/picture`)).statusCode).toBe(404)
  })

  test('first versions of policies, which are listed from then on', async () => {
    await submit('POST', '/api/policies/save', buildPolicy('be_fair'))
    await decide(await findPending('policy'), { decision: 'approve' })
    await registry.publish()
    const { policies } = (await registry.app.inject('/api/policies/registry')).json()
    expect(policies.map(({ policy_id }: { policy_id: string }) => policy_id)).toEqual(['be_fair'])
  })

  test('submitted brands, which are shown from then on', async () => {
    const brand_manifest = { colors: { primary: '#23e2a5' } }
    const brand = { domain: 'told.example', brand_name: 'Told', brand_manifest }
    await submit('POST', '/api/brands/discovered/community', brand)
    const id = await findPending('brand')
    const page = load((await moderator.get(`${PAGES}/${id}`)).body)
    expect(page('.facts').text()).not.toMatch(/[{}_]|editor kind/)
    expect(page('.colors rect').attr('fill')).toBe('#23e2a5')
    await decide(id, { decision: 'approve' })
    const found = await registry.app.inject('/api/brands/resolve?domain=told.example')
    expect(found.json().brand_name, found.body).toBe('Told')
  })

  test('saves under a name that looks like another one, which are hidden until then', async () => {
    await submit('POST', '/api/brands/save', { domain: 'rnicrosoft.com', brand_name: 'Mine' })
    const resolve = () => registry.app.inject('/api/brands/resolve?domain=rnicrosoft.com')
    expect((await resolve()).statusCode).toBe(404)
    await decide(await findPending('entry'), { decision: 'approve' })
    expect((await resolve()).json().brand_name).toBe('Mine')
  })

  test('disputes, whose state anybody reads', async () => {
    const filed = await ask('POST', '/api/registry/catalog/disputes', {
      dispute_type: 'property_data',
      subject_type: 'property',
      subject_value: 'news.example',
      claim: 'This is not the site of a newspaper.',
    })
    const { dispute_id } = filed.json()
    const queue = load((await moderator.get(PAGES)).body)
    expect(queue(`a[href="${PAGES}/${dispute_id}"]`)).toHaveLength(1)
    await decide(dispute_id, { decision: 'reject', notes: 'It is.' })
    const read = await registry.app.inject(`/api/registry/catalog/disputes/${dispute_id}`)
    expect(read.json().status).toBe('rejected')
  })

  test('nothing without a reason for a rejection, and nothing twice', async () => {
    await submit('POST', '/api/policies/save', buildPolicy('be_kind'))
    const id = await findPending('policy')
    expect((await decide(id, { decision: 'reject' })).statusCode).toBe(400)
    expect(await findPending('policy')).toBe(id)
    const { digest } = (await ask('GET', `${API}/${id}`, undefined, moderatorKey)).json()
    await decide(id, { decision: 'reject', notes: 'Too short.' })
    const again = await decide(id, { decision: 'approve', digest })
    expect([again.statusCode, load(again.body)('[role=alert]').text()]).toEqual([
      400,
      'It was already rejected.',
    ])
  })
})

describe('the reviews of the API', () => {
  test('are decided by moderators alone, and for the version that they read', async () => {
    await submit('POST', '/api/policies/save', buildPolicy('be_brief'))
    const id = await findPending('policy')
    const { digest } = (await ask('GET', `${API}/${id}`, undefined, moderatorKey)).json()
    const approve = (body: object, secret: string) =>
      ask('POST', `${API}/${id}/approve`, body, secret)
    expect((await approve({ digest }, key)).statusCode).toBe(403)
    expect((await approve({ digest: '0'.repeat(64) }, moderatorKey)).statusCode).toBe(409)
    expect((await approve({ digest }, moderatorKey)).json()).toEqual({
      success: true,
      review_id: id,
      status: 'approved',
    })
  })

  test('are listed by kind and status, with who submitted them', async () => {
    const listed = await ask('GET', `${API}?status=rejected&kind=policy`, undefined, moderatorKey)
    expect(listed.json()).toMatchObject({
      total: 1,
      has_more: false,
      reviews: [
        {
          kind: 'policy',
          subject: 'be_kind',
          status: 'rejected',
          notes: 'Too short.',
          submitter: { organization: 'Acme' },
        },
      ],
    })
  })
})
