import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toAscii } from '../../pipeline/core/domain.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { findReview, listReviews } from '../../pipeline/read/lookups/reviews.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { makeDataDir } from '../support/registry/registry.ts'

let folder: ReturnType<typeof makeDataDir>
let registry: TestRegistry
let key: string
const names = ['rnicrosoft.com', 'globex-login.com', 'g1obex.com', 'own.example', 'globex-shop.com']
const homograph = toAscii('асме.com')

beforeAll(async () => {
  folder = makeDataDir()
  const list = join(folder.dir, 'names.txt')
  writeFileSync(list, 'globex.com # theirs\n')
  registry = await openRegistry({ ownRedis: true, settings: { PROTECTED_NAMES: list } })
  key = await enrol(registry, { org: 'Newcomer', domains: [...names, homograph] })
  await registry.observe(
    observeBrandFile('microsoft.com', 'Microsoft'),
    observeBrandFile('acme.com', 'Acme'),
  )
})

afterAll(async () => {
  await registry.close()
  folder.remove()
})

async function save(domain: string, path = 'brands', field = 'domain', more: object = {}) {
  const answer = await registry.send('POST', `/api/${path}/save`, {
    key,
    payload: { [field]: domain, ...(path === 'brands' && { brand_name: 'Mine' }), ...more },
  })
  return { status: answer.statusCode, body: answer.json() }
}

/** Lists contradictions between the stores. */
const whole = () => registry.verify()

const resolve = async (domain: string) =>
  (await registry.app.inject(`/api/brands/resolve?domain=${domain}`)).statusCode

function listPendingReviews() {
  return listReviews(
    registry.reader,
    ({ status, kind }) => status === 'pending' && kind === 'entry',
  )
}

function decide(op: 'review.approve' | 'review.reject', subject: string) {
  const { review_id, digest } = listPendingReviews().find(review => review.subject === subject)!
  const decision = { op, review_id, digest, reviewer: 'operator', notes: 'looked at it' }
  return registry.submit(Operation.parse(decision))
}

describe('an entry under a look-alike name', () => {
  test('200: waits for review, is not shown, and cannot be edited meanwhile', async () => {
    const first = await save('rnicrosoft.com')
    expect(first).toMatchObject({ status: 200, body: { success: true, review_status: 'pending' } })
    expect(await resolve('rnicrosoft.com')).toBe(404)
    expect(await save('rnicrosoft.com')).toMatchObject({ status: 409 })
    const [review] = listPendingReviews()
    expect(review).toMatchObject({ subject: 'brand rnicrosoft.com', org_name: 'Newcomer' })
    expect(findReview(registry.reader, review!.review_id)!.payload).toMatchObject({
      domain: 'rnicrosoft.com',
      brand_name: 'Mine',
      doubt: expect.stringContaining('microsoft.com'),
    })
    expect(await whole()).toEqual([])
  })

  test('is shown from the commit of its approval, and can then be edited', async () => {
    expect(await decide('review.approve', 'brand rnicrosoft.com')).toMatchObject([{ done: {} }])
    expect(await resolve('rnicrosoft.com')).toBe(200)
    const edited = await save('rnicrosoft.com')
    expect(edited).toMatchObject({ status: 200, body: { revision_number: 2 } })
    expect(edited.body.review_status).toBeUndefined()
    expect(await whole()).toEqual([])
  })

  test('stays hidden after a rejection, and waits again after another save', async () => {
    await save('globex-login.com')
    await decide('review.reject', 'brand globex-login.com')
    expect(await resolve('globex-login.com')).toBe(404)
    expect(listPendingReviews()).toEqual([])
    expect((await save('globex-login.com')).body).toMatchObject({ review_status: 'pending' })
    await decide('review.approve', 'brand globex-login.com')
    expect(await resolve('globex-login.com')).toBe(200)
    expect(await whole()).toEqual([])
  })

  test('that two organizations enter at once waits with the content of the first', async () => {
    await registry.createKey('Others')
    await proveOwnership(registry, 'Others', 'globex-shop.com')
    const ids = await registry.sequencer.accounts.db.all<{ org_id: string; key_id: string }>(
      `select org_id, key_id from api_keys join organizations using (org_id)
       where name in ('Newcomer', 'Others') order by name`,
    )
    const operations = ids.map(({ org_id, key_id }, i) =>
      Operation.parse({
        op: 'brand.save',
        domain: 'globex-shop.com',
        brand_name: `Shop ${i}`,
        revision_id: randomUUID(),
        editor: { kind: 'key', id: key_id, org_id },
      }),
    )
    expect(await registry.submit(...operations)).toMatchObject([
      { done: { review_id: expect.any(String) } },
      { refused: expect.stringContaining('is waiting for review') },
    ])
    expect(listPendingReviews()).toHaveLength(1)
    await decide('review.approve', 'brand globex-shop.com')
    const shown = await registry.app.inject('/api/brands/resolve?domain=globex-shop.com')
    expect(shown.json()).toMatchObject({ brand_name: 'Shop 0' })
    expect(await whole()).toEqual([])
  })

  test('with properties waits as well', async () => {
    const more = { properties: [{ type: 'website', name: 'Site' }], contact: { name: 'Ann Poe' } }
    const saved = await save('g1obex.com', 'properties', 'publisher_domain', more)
    expect(saved).toMatchObject({ status: 200, body: { review_status: 'pending' } })
    const shown = () => registry.app.inject('/api/properties/resolve?domain=g1obex.com')
    expect((await shown()).statusCode).toBe(404)
    const review = listPendingReviews().find(({ subject }) => subject === 'property g1obex.com')!
    expect(JSON.stringify(findReview(registry.reader, review.review_id))).not.toContain('Ann Poe')
    await decide('review.approve', 'property g1obex.com')
    expect((await shown()).json()).toMatchObject({ properties: [{ name: 'Site' }] })
    expect(await whole()).toEqual([])
  })
})

test('400: a name in other scripts that imitates another one is refused', async () => {
  const answer = await save(homograph)
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/acme\.com/) } })
  expect(await resolve(homograph)).toBe(404)
})

test('200: a name that resembles none needs no review', async () => {
  const answer = await save('own.example')
  expect(answer.status).toBe(200)
  expect(answer.body.review_status).toBeUndefined()
  expect(await resolve('own.example')).toBe(200)
})

describe('a look-alike domain that the operator gives to an organization', () => {
  const add = (domain: string, more: object = {}) =>
    registry.submit({
      op: 'organization.domain.add',
      org: 'Newcomer',
      domain,
      proof: 'operator',
      ...more,
    } as Operation)

  test('is refused until the operator confirms it, and its entry still waits for review', async () => {
    // Whoever types the name for somebody else sees no better that paypa1 is not paypal.
    await registry.observe(observeBrandFile('paypal.com', 'Paypal'))
    for (const name of ['paypa1.com', 'paypa1.net']) {
      expect(await add(name)).toMatchObject([
        {
          refused: `${name} looks like paypal.com: add it with --confirm if it is theirs`,
          error: 'conflict',
        },
      ])
      expect(await save(name)).toMatchObject({ status: 403 })
      expect(await add(name, { is_confirmed: true })).toMatchObject([{ done: { domain: name } }])
      expect((await save(name)).body).toMatchObject({ review_status: 'pending' })
      expect(await resolve(name)).toBe(404)
    }
    expect(await add('unlike.example')).toMatchObject([{ done: {} }])
    expect(await whole()).toEqual([])
  })
})
