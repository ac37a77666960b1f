import { createHash } from 'node:crypto'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeBody } from '../../pipeline/writer/crawl/replace-documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
const get = (url: string) => registry.app.inject({ url, headers: { accept: 'text/html' } })
const PUBLISHER = 'herald.example'
const BRAND = 'acme.example'
const PATH = `/file/adagents.json/${PUBLISHER}`

/** A file with a payload and bytes that a parser drops. */
const file =
  '\ufeff{"properties": [],\r\n "authorized_agents":\t[], "note": "<script>alert(1)</script>"}'
const contact = { name: 'Ann', email: 'ann@acme.example' }
const personal = { id: 'acme', names: [{ en: 'Acme' }] }
const personalFile = JSON.stringify({ ...personal, contact }).replace('contact', '\\u0063ontact')

/** Files that are too long to redact: only the one with contact data is withheld. */
const padding = 'x'.repeat(1024 * 1024)
const longFiles = [
  ['long.example', { properties: [], authorized_agents: [], padding }, 200],
  ['withheld.example', { properties: [], authorized_agents: [], padding, contact }, 404],
] as const

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Stores these bytes as those that the crawler got of a file. */
async function keepBytes(text: string, kind: string, location: string) {
  const sql = 'select hash from documents where kind = $kind and location = $location'
  const { db } = registry.reader.snapshot!
  const { hash } = (await db.one<{ hash: string }>(sql, { kind, location }))!
  storeBody(registry.reader.paths, hash, Buffer.from(text))
}

beforeAll(async () => {
  const now = registry.clock.now()
  await registry.observe(
    observeFile('adagents.json', PUBLISHER, file, now),
    observeFile('brand.json', BRAND, personalFile, now),
    ...longFiles.map(([domain, content]) => observeFile('adagents.json', domain, content, now)),
  )
  await registry.publish()
  await keepBytes(file, 'adagents.json', PUBLISHER)
  await keepBytes(personalFile, 'brand.json', BRAND)
  for (const [domain, content] of longFiles)
    await keepBytes(JSON.stringify(content), 'adagents.json', domain)
})

describe('the bytes of a file', () => {
  test('200: are sent as they were fetched, as text that no browser runs', async () => {
    const answer = await get(PATH)
    expect([answer.statusCode, answer.rawPayload]).toEqual([200, Buffer.from(file)])
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'content-disposition': `inline; filename="${PUBLISHER}-adagents.json"`,
      'x-frame-options': 'DENY',
      etag: `"${digest(file)}"`,
    })
    expect(answer.headers['x-registry-omitted']).toBeUndefined()
    const held = await registry.send('GET', PATH, {
      headers: { 'if-none-match': String(answer.headers.etag) },
    })
    expect(held.statusCode).toBe(304)
  })

  test('are linked from the page of the publisher, with their digest', async () => {
    const page = load((await get(`/publisher/${PUBLISHER}`)).body)
    expect(page(`#file a[href="${PATH}"]`)).toHaveLength(1)
    expect(page('#file').text()).toContain(digest(file))
    const brand = load((await get(`/brand/${BRAND}`)).body)
    expect(brand(`#file a[href="/file/brand.json/${BRAND}"]`)).toHaveLength(1)
  })

  test('are sent without contact data of people, which a header says', async () => {
    const answer = await get(`/file/brand.json/${BRAND}`)
    expect([answer.statusCode, answer.json()]).toEqual([200, personal])
    expect(answer.headers['x-registry-omitted']).toBe('contacts')
    expect(answer.headers.etag).not.toContain(digest(personalFile))
  })

  test.each(longFiles)(
    'are linked from the page of %s only if they are shown, which says why not',
    async (domain, _content, status) => {
      const path = `/file/adagents.json/${domain}`
      const answer = await get(path)
      const page = load((await get(`/publisher/${domain}`)).body)
      const isShown = status === 200
      expect([answer.statusCode, page(`#file a[href="${path}"]`).length]).toEqual([
        status,
        isShown ? 1 : 0,
      ])
      const reason = 'the file contains contact data and is too long to redact'
      expect(answer.body.toLowerCase().includes(reason)).toBe(!isShown)
      expect(page('#file').text().includes(`bytes (not shown: ${reason})`)).toBe(!isShown)
    },
  )

  test.each([
    '/file/adagents.json/nobody.example',
    '/file/adagents.json/not%20a%20domain',
    '/file/adagents.json/https%3A%2F%2Fuser%3Apw%40a.example%2Fx',
    '/file/brand.json/..%2F..%2Faccounts',
  ])('404: there are none at %s', async path => {
    const answer = await get(path)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
  })

  test('400: of another kind', async () => {
    expect((await get(`/file/ads.txt/${PUBLISHER}`)).statusCode).toBe(400)
  })
})
