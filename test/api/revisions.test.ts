import { createHash, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findKeyHolder } from '../../api/auth/principal.ts'
import { RevisionHeld, RevisionList } from '../../pipeline/model/responses/history.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { listReviews } from '../../pipeline/read/lookups/reviews.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { makeDataDir } from '../support/registry/registry.ts'

let folder: ReturnType<typeof makeDataDir>
let registry: TestRegistry
let key: string

const doubtful = ['globex-one.com', 'globex-two.com', 'globex-three.com']
const contact = { name: 'Ada Private', email: 'ada@acme.example' }

beforeAll(async () => {
  folder = makeDataDir()
  const list = join(folder.dir, 'names.txt')
  writeFileSync(list, 'globex.com # theirs\n')
  registry = await openRegistry({ ownRedis: true, settings: { PROTECTED_NAMES: list } })
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example', 'b.example', ...doubtful] })
  await registry.observe(observeBrandFile('crawled.example', 'Crawled'))
  await saveBrand('acme.example', 'First', { description: 'one' })
  await saveBrand('acme.example', 'Second', { description: 'two' })
  await post('properties/save', {
    publisher_domain: 'acme.example',
    contact,
    properties: [{ type: 'website', name: 'Site' }],
  })
})

afterAll(async () => {
  await registry.close()
  folder.remove()
})

async function post(path: string, payload: object) {
  const answer = await registry.send('POST', `/api/${path}`, { key, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

const saveBrand = (domain: string, brand_name: string, brand_manifest: object = {}) =>
  post('brands/save', { domain, brand_name, brand_manifest })
const get = (path: string) => registry.app.inject(`/api/${path}`)
const toRevisionsPath = (domain: string) => `brands/discovered/${domain}/revisions`

async function readContent(domain: string, number: number) {
  const answer = await get(`${toRevisionsPath(domain)}/${number}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return RevisionHeld.parse(answer.json()).content
}

async function decide(op: 'review.approve' | 'review.reject', subject: string): Promise<void> {
  const found = listReviews(registry.reader, review => review.subject === subject)
  const { review_id, digest } = found.find(({ status }) => status === 'pending')!
  const decision = { op, review_id, digest, reviewer: 'operator', notes: 'looked at it' }
  expect(await registry.submit(Operation.parse(decision))).toMatchObject([{ done: {} }])
}

describe('GET /api/brands/discovered/{domain}/revisions', () => {
  test.each(['', '/1'])('names the domain that was saved without its www. (%j)', async part => {
    expect((await get(toRevisionsPath('www.acme.example') + part)).json()).toMatchObject({
      domain: 'www.acme.example',
      did_you_mean: ['acme.example'],
    })
  })

  test('200: every revision, newest first, the first one included', async () => {
    const answer = await get(toRevisionsPath('acme.example'))
    expect(answer.statusCode).toBe(200)
    const body = RevisionList.parse(answer.json())
    expect([body.domain, body.total]).toEqual(['acme.example', 2])
    expect(body.revisions.map(revision => revision.revision_number)).toEqual([2, 1])
    expect(body.revisions[0]).toEqual({
      revision_number: 2,
      edit_summary: 'Fields changed: name, description',
      source: 'community',
      is_rollback: false,
      editor_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: new Date(registry.clock.now()).toISOString(),
    })
  })

  test('200: the editor is an id that reveals neither credential nor name', async () => {
    const { body } = await get(toRevisionsPath('acme.example'))
    const { id, org_id } = findKeyHolder(registry.reader, key)!
    const hash = createHash('sha256').update(key).digest('hex')
    for (const secret of [id, org_id!, hash, '"Acme"']) expect(body).not.toContain(secret)
  })

  test('200: any offset works, and an invalid limit falls back to the default', async () => {
    const numbers = async (query: string) =>
      (await get(`${toRevisionsPath('acme.example')}?${query}`))
        .json()
        .revisions.map((revision: { revision_number: number }) => revision.revision_number)
    expect(await numbers('limit=1')).toEqual([2])
    expect(await numbers('limit=1&offset=1')).toEqual([1])
    expect(await numbers('offset=2')).toEqual([])
    expect(await numbers('limit=x')).toEqual([2, 1])
  })

  test('404: for an entry that was only crawled; 400: for an invalid domain', async () => {
    expect((await get(toRevisionsPath('crawled.example'))).statusCode).toBe(404)
    expect((await get(toRevisionsPath('nobody.example'))).json()).toEqual({
      error: 'Nobody has saved nobody.example.',
      code: 'not_found',
      domain: 'nobody.example',
    })
    expect((await get(toRevisionsPath('x'))).statusCode).toBe(400)
  })
})

describe('GET /api/brands/discovered/{domain}/revisions/{number}', () => {
  test('200: the content after that revision, not the current one', async () => {
    expect(await readContent('acme.example', 1)).toEqual({
      brand_name: 'First',
      document: { brand_manifest: { description: 'one' } },
    })
    expect(await readContent('acme.example', 2)).toMatchObject({ brand_name: 'Second' })
  })

  test('200: every listed revision can be read at once', async () => {
    await saveBrand('acme.example', 'Third')
    const { revisions } = (await get('brands/history?domain=acme.example')).json()
    const listed = (await get(toRevisionsPath('acme.example'))).json()
    expect(revisions[0]).toMatchObject({ revision_number: 3 })
    expect(revisions[0]).not.toHaveProperty('editor_id')
    expect(listed.revisions[0]).not.toHaveProperty('editor_name')
    const {
      domain: _,
      content,
      ...facts
    } = (await get(`${toRevisionsPath('acme.example')}/3`)).json()
    expect(content).toMatchObject({ brand_name: 'Third' })
    expect(facts).toEqual(listed.revisions[0])
    expect(await registry.verify()).toEqual([])
  })

  test('404: for an unknown number; 400: for an invalid one', async () => {
    for (const [number, status] of [
      ['9', 404],
      ['0', 400],
      ['01', 400],
      ['-1', 400],
      ['1e1', 400],
    ]) {
      const answer = await get(`${toRevisionsPath('acme.example')}/${number}`)
      expect([number, answer.statusCode]).toEqual([number, status])
    }
  })

  test('revisions that are pending or were rejected before are hidden', async () => {
    for (const domain of doubtful) await saveBrand(domain, `Mine ${domain}`)
    await decide('review.approve', 'brand globex-two.com')
    await decide('review.reject', 'brand globex-three.com')
    await saveBrand('globex-three.com', 'Again')
    await decide('review.approve', 'brand globex-three.com')
    expect(await readContent('globex-one.com', 1)).toBeNull()
    expect(await readContent('globex-two.com', 1)).toMatchObject({
      brand_name: 'Mine globex-two.com',
    })
    expect(await readContent('globex-three.com', 1)).toBeNull()
    expect(await readContent('globex-three.com', 2)).toMatchObject({ brand_name: 'Again' })
  })

  test('revisions of a withdrawn entry are hidden, those of a rolled back one are not', async () => {
    await saveBrand('b.example', 'One')
    await saveBrand('b.example', 'Two')
    const { id, org_id } = findKeyHolder(registry.reader, key)!
    const back = (to_revision: number) =>
      registry.submit(
        Operation.parse({
          op: 'entry.rollback',
          entity: 'brand',
          domain: 'b.example',
          to_revision,
          revision_id: randomUUID(),
          moderates: true,
          editor: { kind: 'key', id, org_id },
        }),
      )
    expect(await back(1)).toMatchObject([{ done: {} }])
    const rolledBack = (await get(`${toRevisionsPath('b.example')}/3`)).json()
    expect(rolledBack).toMatchObject({ is_rollback: true, rolled_back_to: 1 })
    expect(rolledBack.content).toMatchObject({ brand_name: 'One' })
    expect(await readContent('b.example', 2)).toMatchObject({ brand_name: 'Two' })
    expect(await back(0)).toMatchObject([{ done: {} }])
    for (const number of [1, 2, 3, 4]) expect(await readContent('b.example', number)).toBeNull()
  })
})

test('the history of an entry and its revisions list the same, page by page', async () => {
  for (const [history, place] of [
    ['brands/history?domain=acme.example', 'brands/discovered/acme.example/revisions?'],
    ['properties/history?domain=acme.example', 'properties/hosted/acme.example/revisions?'],
  ]) {
    for (const page of ['', '&limit=1', '&limit=1&offset=1', '&offset=5']) {
      const [short, long] = [(await get(history + page)).json(), (await get(place + page)).json()]
      const pick = ({
        total,
        revisions,
      }: {
        total: number
        revisions: { revision_number: number }[]
      }) => [total, revisions.map(({ revision_number }) => revision_number)]
      expect(pick(short)).toEqual(pick(long))
    }
  }
})

describe('GET /api/properties/hosted/{domain}/revisions', () => {
  test('200: the properties without their contact', async () => {
    const place = 'properties/hosted/acme.example/revisions'
    expect((await get(place)).json()).toMatchObject({ total: 1, revisions: [{}] })
    const answer = await get(`${place}/1`)
    expect(answer.json().content).toEqual({
      document: {
        authorized_agents: [],
        properties: [expect.objectContaining({ name: 'Site' })],
      },
    })
    expect(answer.body).not.toMatch(/contact|Ada|ada@/)
  })

  test('404: brands and properties of one name have separate revisions', async () => {
    expect((await get('properties/hosted/b.example/revisions')).statusCode).toBe(404)
    expect((await get('properties/hosted/acme.example/revisions/2')).statusCode).toBe(404)
  })
})

test('all stores agree', async () => {
  expect(await registry.verify()).toEqual([])
})
