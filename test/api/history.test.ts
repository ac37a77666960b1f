import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { History } from '../../pipeline/model/responses/history.ts'
import type { RevisionRow } from '../../pipeline/model/rows.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
let editor: string

/** Puts revisions into the index, whoever would have made them, and has them served. */
async function save(...rows: Partial<RevisionRow>[]): Promise<void> {
  const { index, seq } = registry.sequencer
  await index.insert(
    'revisions',
    rows.map(row => ({
      entity: 'brand',
      domain: 'saved.example',
      editor_id: 'system',
      edit_summary: '',
      source: 'community',
      is_rollback: false,
      rolled_back_to: null,
      state: {},
      created_at: '2026-11-20T03:00:00.000Z',
      seq,
      ...row,
    })),
  )
  await registry.rebuild()
}

beforeAll(async () => {
  await registry.createKey('Acme Media')
  const { db } = registry.sequencer.accounts
  const key = await db.one<object>('select key_id as principal_id, org_id from api_keys')
  editor = randomUUID()
  await db.insert('editors', [{ editor_id: editor, kind: 'key', ...key, seq: 1 }])
  const file = observePublisherFile('acme.example', { sites: ['acme.example'], agents: [] })
  await registry.observe(file, observeBrandFile('acme.example', 'Acme'), {
    kind: 'brand.json',
    location: 'gone.example',
    outcome: 'absent',
    status: 404,
  })
  await save(
    { revision_number: 1, edit_summary: 'made' },
    { revision_number: 2, edit_summary: 'a logo', editor_id: editor },
    { revision_number: 3, source: 'enriched' },
    { revision_number: 4, is_rollback: true, rolled_back_to: 2, editor_id: editor },
    ...Array.from({ length: 150 }, (_, i) => ({ domain: 'many.example', revision_number: i + 1 })),
    { entity: 'property', domain: 'shop.example', revision_number: 1 },
    { entity: 'property', domain: 'shop.example', revision_number: 2 },
  )
  await save({ revision_number: 5, edit_summary: 'later' })
})

const get = (path: string) => registry.app.inject(`/api/${path}`)
const numbersIn = async (path: string) =>
  History.parse((await get(path)).json()).revisions.map(revision => revision.revision_number)

describe('GET /api/brands/history', () => {
  test('200: every edit newest first, down to the one that created the entry', async () => {
    const answer = await get('brands/history?domain=https://SAVED.example/about')
    expect(answer.statusCode).toBe(200)
    const body = answer.json()
    expect([body.domain, body.total]).toEqual(['saved.example', 5])
    expect(body.revisions).toEqual([
      {
        revision_number: 5,
        editor_name: 'system',
        edit_summary: 'later',
        source: 'community',
        is_rollback: false,
        created_at: '2026-11-20T03:00:00.000Z',
      },
      {
        revision_number: 4,
        editor_name: 'Acme Media',
        edit_summary: '',
        source: 'community',
        is_rollback: true,
        rolled_back_to: 2,
        created_at: '2026-11-20T03:00:00.000Z',
      },
      expect.objectContaining({ revision_number: 3, editor_name: 'system', source: 'enriched' }),
      expect.objectContaining({ revision_number: 2, editor_name: 'Acme Media' }),
      // The list began at revision 2, and `total` did not count the first.
      expect.objectContaining({ revision_number: 1 }),
    ])
  })

  test('200: the index identifies editors without their names', async () => {
    const { index } = registry.sequencer
    const rows = await index.all<{ editor_id: string }>('select distinct editor_id from revisions')
    expect(rows.map(row => row.editor_id).sort()).toEqual([editor, 'system'].sort())
  })

  test('200: a page has twenty entries, at most a hundred, at any offset', async () => {
    const many = 'brands/history?domain=many.example'
    expect(await numbersIn(many)).toEqual(Array.from({ length: 20 }, (_, i) => 150 - i))
    expect(await numbersIn(`${many}&limit=1000`)).toHaveLength(100)
    expect(await numbersIn(`${many}&limit=2&offset=147`)).toEqual([3, 2])
    expect(await numbersIn(`${many}&offset=148`)).toEqual([2, 1])
    expect(await numbersIn(`${many}&offset=149`)).toEqual([1])
    expect(await numbersIn(`${many}&offset=150`)).toEqual([])
    expect((await get(`${many}&offset=900`)).json().total).toBe(150)
  })

  test.each(['limit=0', 'limit=-5', 'limit=x', 'limit=', 'offset=-1', 'offset=x'])(
    '200: %s falls back to the default',
    async query => {
      expect(await numbersIn(`brands/history?domain=many.example&${query}`)).toHaveLength(20)
    },
  )

  test('200: a brand that was only crawled has no edits', async () => {
    expect((await get('brands/history?domain=acme.example')).json()).toMatchObject({
      domain: 'acme.example',
      total: 0,
      revisions: [],
      freshness: { state: 'current' },
    })
  })

  test('404: an unknown brand comes with the freshness of its file', async () => {
    const answer = await get('brands/history?domain=gone.example')
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({
      error: 'Nothing is known about gone.example.',
      domain: 'gone.example',
      freshness: { state: 'absent' },
    })
    expect((await get('brands/history?domain=shop.example')).statusCode).toBe(404)
  })

  test('400: a domain is required', async () => {
    expect((await get('brands/history')).json()).toEqual({
      error: '`domain` is required.',
      code: 'invalid_request',
    })
    expect((await get('brands/history?domain=x')).statusCode).toBe(400)
  })
})

describe('GET /api/properties/history', () => {
  test('200: edits of a hosted entry, and none of a crawled one', async () => {
    expect(await numbersIn('properties/history?domain=shop.example')).toEqual([2, 1])
    expect((await get('properties/history?domain=acme.example')).json().total).toBe(0)
  })

  test('404: unknown, although there is a brand of that name', async () => {
    expect((await get('properties/history?domain=saved.example')).statusCode).toBe(404)
  })

  test('a rebuilt store answers the same', async () => {
    const before = (await get('brands/history?domain=saved.example')).json()
    await registry.rebuild()
    expect((await get('brands/history?domain=saved.example')).json()).toEqual(before)
  })
})
