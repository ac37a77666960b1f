import { randomUUID } from 'node:crypto'
import { RegistryClient } from '@adcp/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { PolicyContent } from '../../pipeline/model/policy.ts'
import { findReview, listReviews } from '../../pipeline/read/lookups/reviews.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() =>
  openRegistry({ ownRedis: true, limits: { bulkResolvePerMinute: 1_000 } }),
)
let key: string
let client: RegistryClient

const gdpr = {
  policy_id: 'gdpr',
  version: '2018',
  name: 'General Data Protection Regulation',
  category: 'regulation' as const,
  enforcement: 'must' as const,
  policy: 'Ask before you track.',
}
const brandSafety = {
  policy_id: 'brand_safety',
  version: '1',
  name: 'Brand säfety',
  description: 'No ads beside violence',
  category: 'standard',
  enforcement: 'should',
  governance_domains: ['content'],
  policy: 'Stay away from violence.',
} as const
const eu = { jurisdictions: ['DE'], region_aliases: { EU: ['DE', 'FR'] } }

const inject = (method: 'GET' | 'POST', url: string, payload?: object, secret = key) =>
  registry.send(method, `/api/policies/${url}`, { key: secret, payload })
const save = (payload: object) => inject('POST', 'save', payload)
const pendingIds = () =>
  listReviews(registry.reader, ({ status }) => status === 'pending').map(
    ({ review_id }) => review_id,
  )

async function decide(op: 'review.approve' | 'review.reject', notes = 'as it is') {
  const [review_id] = pendingIds()
  const { digest } = findReview(registry.reader, review_id!)!.review
  const [answer] = await registry.submit({
    op,
    review_id: review_id!,
    digest,
    reviewer: 'operator',
    notes,
  })
  return answer
}

beforeAll(async () => {
  key = await registry.createKey('Acme')
  await registry.app.listen({ port: 0, host: '127.0.0.1' })
  client = new RegistryClient({ baseUrl: registry.app.listeningOrigin, apiKey: key })
})

describe('a policy', () => {
  test('waits for review when it is new, and is not listed before', async () => {
    expect((await save({ ...gdpr, ...eu })).json()).toEqual({
      success: true,
      message: 'The policy is waiting for review',
      policy_id: 'gdpr',
      revision_number: null,
    })
    await registry.publish()
    expect((await inject('GET', 'resolve?policy_id=gdpr')).json()).toMatchObject({
      ...gdpr,
      review_status: 'pending',
      source_type: 'community',
      description: null,
      channels: null,
      policy_categories: [],
      guidance: null,
      exemplars: null,
    })
    expect((await inject('GET', 'registry')).json()).toMatchObject({
      policies: [],
      stats: { total: 0, regulation: 0, standard: 0 },
    })
    const again = await save(gdpr)
    expect(again.statusCode).toBe(409)
    expect(again.json()).toEqual({
      error: 'The policy gdpr is waiting for review.',
      code: 'conflict',
      policy_id: 'gdpr',
    })
  })

  test('is listed once it was approved, and then replaced as a whole by each save', async () => {
    const [review_id] = pendingIds()
    const stale = { op: 'review.approve', review_id: review_id!, reviewer: 'operator' } as const
    expect(await registry.submit({ ...stale, digest: '0'.repeat(64) })).toEqual([
      { refused: 'it has changed since it was read: read it again', error: 'conflict' },
    ])
    expect(await decide('review.approve')).toMatchObject({ done: { policy_id: 'gdpr' } })
    expect(pendingIds()).toEqual([])
    await registry.publish()
    expect((await inject('GET', 'registry')).json().policies).toMatchObject([
      { policy_id: 'gdpr', jurisdictions: ['DE'], review_status: 'approved' },
    ])
    registry.clock.tick(1_000)
    expect((await save({ ...gdpr, name: 'GDPR' })).json().revision_number).toBe(2)
    const found = (await inject('GET', 'resolve?policy_id=gdpr')).json()
    expect(found).toMatchObject({ name: 'GDPR', jurisdictions: [], region_aliases: {} })
    expect(found.updated_at > found.created_at).toBe(true)
    expect((await inject('GET', 'history?policy_id=gdpr')).json()).toEqual({
      policy_id: 'gdpr',
      total: 2,
      has_more: false,
      next_cursor: null,
      revisions: [
        {
          revision_number: 2,
          editor_name: 'Acme',
          is_rollback: false,
          edit_summary: 'Changed jurisdictions, name, region_aliases',
          created_at: found.updated_at,
        },
        expect.objectContaining({ revision_number: 1, editor_name: 'Acme' }),
      ],
    })
    await save({ ...gdpr, ...eu })
  })

  test('is deleted when it is rejected', async () => {
    await save(brandSafety)
    expect(await decide('review.reject')).toMatchObject({ done: {} })
    expect((await inject('GET', 'resolve?policy_id=brand_safety')).statusCode).toBe(404)
    expect((await inject('GET', 'history?policy_id=brand_safety')).statusCode).toBe(404)
    const { index } = registry.sequencer
    const left = "select 1 from revisions where domain = 'brand_safety'"
    expect(await index.all(left)).toEqual([])
    expect(await registry.verify()).toEqual([])
    expect((await save(brandSafety)).json().revision_number).toBeNull()
    await decide('review.approve')
    expect((await save(brandSafety)).json().revision_number).toBe(2)
  })

  test('of the registry cannot be changed by others', async () => {
    const policy = PolicyContent.parse({ ...gdpr, policy_id: 'coppa', name: 'COPPA' })
    const [first] = await registry.submit({ op: 'policy.publish', policy })
    expect(first).toEqual({ done: { policy_id: 'coppa', revision_number: 1 } })
    expect((await save({ ...gdpr, policy_id: 'coppa' })).json().error).toBe(
      'The policy coppa belongs to the registry.',
    )
    expect((await inject('GET', 'resolve?policy_id=coppa')).json().source_type).toBe('registry')
  })

  test.each([
    [{ policy_id: 'GDPR' }, '`policy_id` must contain only lowercase letters, digits and _'],
    [{ version: undefined }, '`version` is required'],
    [{ category: 'law' }, '`category` '],
    [{ enforcement: 'maybe' }, '`enforcement` '],
    [{ policy: ' ' }, '`policy` '],
    [{ source_url: 'ftp://x.example' }, '`source_url` '],
    [{ jurisdictions: ['x'.repeat(101)] }, '`jurisdictions[0]` '],
    [{ effective_date: 'soon' }, '`effective_date` '],
    [{ name: 'x\ud800' }, 'well-formed'],
    [{ ext: { x: 'x\u0000' } }, 'well-formed'],
  ])('400: %j', async (fault, words) => {
    const answer = await save({ ...gdpr, ...fault })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(words)
  })

  test('400: a long name is cut in the error', async () => {
    const answer = await save({ ...gdpr, region_aliases: { ['x'.repeat(50_000)]: ['EU'] } })
    expect([answer.statusCode, answer.body.length < 1_000]).toEqual([400, true])
  })

  test('401 without a key, 413 when it is too long', async () => {
    expect((await inject('POST', 'save', gdpr, 'sk_nobody')).statusCode).toBe(401)
    const ext = { more: 'x'.repeat(250_000) }
    expect((await save({ ...gdpr, ext })).statusCode).toBe(413)
  })
})

describe('policies are found', () => {
  const found = async (query: string): Promise<string[]> => {
    const { policies } = (await inject('GET', `registry?${query}`)).json()
    return policies.map(({ policy_id }: { policy_id: string }) => policy_id)
  }

  beforeAll(() => registry.publish())

  test.each([
    ['', ['coppa', 'gdpr', 'brand_safety']],
    ['category=standard', ['brand_safety']],
    ['enforcement=must', ['coppa', 'gdpr']],
    ['domain=content', ['brand_safety']],
    ['jurisdiction=de', ['coppa', 'gdpr', 'brand_safety']],
    ['jurisdiction=FR', ['coppa', 'gdpr', 'brand_safety']],
    ['jurisdiction=US', ['coppa', 'brand_safety']],
    ['search=violence%20SAFETY', ['brand_safety']],
    ['search=d_saf', ['brand_safety']],
    ['search=nothing', []],
    ['limit=1&offset=1', ['gdpr']],
    ['policy_category=x', []],
  ])('by %s', async (query, ids) => {
    expect(await found(query)).toEqual(ids)
  })

  test('with the number of matches', async () => {
    const { stats } = (await inject('GET', 'registry?limit=1')).json()
    expect(stats).toEqual({ total: 3, regulation: 2, standard: 1 })
  })

  test('by the public client', async () => {
    const { policies, stats } = await client.listPolicies({ category: 'standard' })
    expect([policies.length, stats.standard]).toEqual([1, 1])
    expect(await client.resolvePolicy({ policy_id: 'gdpr' })).toMatchObject(gdpr)
    expect(await client.resolvePolicy({ policy_id: 'gdpr', version: '2016' })).toBeNull()
    const ids = ['gdpr', '__proto__', 'none']
    const { results } = await client.resolvePoliciesBulk({ policy_ids: ids })
    expect(Object.keys(results)).toEqual(ids)
    expect(results.gdpr).toMatchObject(gdpr)
    expect(results.none).toBeNull()
    expect(await client.getPolicyHistory({ policy_id: 'gdpr' })).toMatchObject({ total: 3 })
    expect(await client.getPolicyHistory({ policy_id: 'none' })).toBeNull()
    const saved = await client.savePolicy({ ...gdpr, policy_id: `p_${randomUUID().slice(0, 8)}` })
    expect(saved).toMatchObject({ success: true, revision_number: null })
  })

  test('in one answer as far as it has room', async () => {
    const policy_ids = Array.from({ length: 20 }, (_, i) => `long_${i}`)
    for (const policy_id of policy_ids) {
      const guidance = 'x'.repeat(50_000)
      const long = { ...gdpr, policy_id, guidance, ext: { more: 'x'.repeat(100_000) } }
      const policy = PolicyContent.parse(long)
      await registry.submit({ op: 'policy.publish', policy })
    }
    const { results, omitted } = (await inject('POST', 'resolve/bulk', { policy_ids })).json()
    expect([...Object.keys(results), ...omitted]).toEqual(policy_ids)
    expect(omitted.length).toBeGreaterThan(0)
  })

  test('after a crash between the accounts and the index too', async () => {
    const policy = PolicyContent.parse({ ...gdpr, policy_id: 'late' })
    const submission = {
      submission_id: randomUUID(),
      operation: { op: 'policy.publish', policy } as const,
    }
    const { sequencer } = registry
    const stamp = { now: registry.clock.now(), seq: sequencer.seq + 1 }
    await sequencer.accounts.apply([submission], stamp)
    await sequencer.commit({ observations: [], submissions: [submission] })
    expect((await inject('GET', 'resolve?policy_id=late')).statusCode).toBe(200)
    const rows = await sequencer.index.all("select 1 from revisions where domain = 'late'")
    expect(rows).toHaveLength(1)
    await registry.restart()
    expect(await registry.verify()).toEqual([])
  })
})
