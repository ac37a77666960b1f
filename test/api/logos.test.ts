import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Domain } from '../../pipeline/core/domain.ts'
import { restore } from '../../pipeline/maintenance/restore.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { createModerator } from '../support/fixtures/mirrors.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { createDataDir } from '../support/registry/registry.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const WEBP = Buffer.from('RIFF\x10\0\0\0WEBPVP8L', 'latin1')

const many = { savesPerHour: 1_000, savesPerOrganizationHour: 1_000 }
const registry = openForAll(() =>
  openRegistry({
    ownRedis: true,
    limits: { ...many, savesPerOrganizationDay: 1_000, logoBytes: 10_000 },
  }),
)
let acme: string
let stranger: string
let moderator: string

beforeAll(async () => {
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  stranger = await registry.createKey('Strangers')
  moderator = await createModerator(registry)
})

/** Builds a unique picture. */
const picture = (start = PNG) => Buffer.concat([start, Buffer.from(randomUUID())])
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function saveLogo(
  bytes: Buffer,
  {
    domain = 'acme.example',
    secret = acme,
    tags = '',
    note = '',
    key = '',
    name = 'logo.png',
  } = {},
) {
  const form = new FormData()
  form.set('file', new Blob([Uint8Array.from(bytes)], { type: 'image/svg+xml' }), name)
  if (tags) form.set('tags', tags)
  if (note) form.set('note', note)
  const sent = new Response(form)
  return registry.send('POST', `/api/brands/${domain}/logos`, {
    key: secret,
    headers: {
      'content-type': sent.headers.get('content-type')!,
      ...(key && { 'idempotency-key': key }),
    },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
}

const get = (url: string, secret?: string) =>
  registry.app.inject({ url, ...(secret && { headers: { authorization: `Bearer ${secret}` } }) })
const listed = async (domain: string, secret?: string, query = '') =>
  (await get(`/api/brands/${domain}/logos${query}`, secret)).json()
const toPath = (url: string) => new URL(url).pathname
const decide = async (op: 'review.approve' | 'review.reject', review_id: string) => {
  const { digest } = (await registry.sequencer.accounts.db.one<{ digest: string }>(
    'select digest from reviews where review_id = $review_id',
    { review_id },
  ))!
  const decision = { review_id, digest, reviewer: 'operator' }
  const [answer] = await registry.submit(
    op === 'review.approve' ? { op, ...decision } : { op, ...decision, notes: 'not theirs' },
  )
  expect(answer).toHaveProperty('done')
}

describe('a logo from a verified owner of the domain', () => {
  test('is shown at once, served only as an image', async () => {
    const bytes = picture()
    const answer = await saveLogo(bytes, { tags: 'Primary, light-bg', note: 'for headers' })
    expect(answer.statusCode, answer.body).toBe(201)
    const taken = answer.json()
    const url = `https://registry.example/assets/brands/acme.example/${sha256(bytes)}.png`
    expect(taken).toMatchObject({ review_status: 'approved', content_type: 'image/png', url })
    expect((await listed('acme.example')).logos).toEqual([
      {
        id: taken.logo_id,
        url,
        content_type: 'image/png',
        bytes: bytes.length,
        sha256: sha256(bytes),
        source: 'brand_owner',
        tags: ['primary', 'light-bg'],
        note: 'for headers',
        review_status: 'approved',
        uploaded_at: expect.any(String),
      },
    ])
    const served = await get(toPath(url))
    expect(served.rawPayload.equals(bytes)).toBe(true)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const held = await registry.send('GET', toPath(url), {
      headers: { 'if-none-match': String(served.headers.etag) },
    })
    expect(held.statusCode).toBe(304)
  })

  test('is one logo, however often the same image is sent', async () => {
    const bytes = picture(WEBP)
    const ids = []
    for (let i = 0; i < 3; i++) ids.push((await saveLogo(bytes)).json().logo_id)
    expect(new Set(ids).size).toBe(1)
    const key = randomUUID()
    const other = picture()
    const [first, again] = [await saveLogo(other, { key }), await saveLogo(other, { key })]
    expect(again.json()).toEqual(first.json())
    expect((await saveLogo(picture(), { key })).statusCode).toBe(409)
  })

  test('is found by all requested tags', async () => {
    await saveLogo(picture(), { domain: 'tags.acme.example', tags: 'primary,dark-bg' })
    await saveLogo(picture(), { domain: 'tags.acme.example', tags: 'icon' })
    const of = async (tags: string) =>
      (await listed('tags.acme.example', undefined, `?tags=${tags}`)).logos.length
    expect([await of('primary'), await of('PRIMARY,dark-bg'), await of('primary,icon')]).toEqual([
      1, 1, 0,
    ])
  })
})

describe('a logo from anybody else', () => {
  test('is visible to its organization and to moderators until it is approved', async () => {
    const bytes = picture()
    const { logo_id, review_status, url } = (await saveLogo(bytes, { secret: stranger })).json()
    expect(review_status).toBe('pending')
    const statuses = async () =>
      Promise.all(
        [undefined, 'sk_nobody', acme, stranger, moderator].map(
          async secret => (await get(toPath(url), secret)).statusCode,
        ),
      )
    expect(await statuses()).toEqual([404, 404, 404, 200, 200])
    expect((await get(toPath(url), stranger)).headers['cache-control']).toBe('private, no-store')
    const ids = async (secret?: string) =>
      (await listed('acme.example', secret)).logos.map(({ id }: { id: string }) => id)
    expect(await ids()).not.toContain(logo_id)
    expect(await ids(acme)).not.toContain(logo_id)
    expect(await ids(stranger)).toContain(logo_id)
    expect((await listed('acme.example', moderator)).stats.pending).toBe(1)
    await decide('review.approve', logo_id)
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    expect(await ids()).toContain(logo_id)
  })

  test('that is rejected is deleted with its image', async () => {
    const bytes = picture()
    const { logo_id, url } = (await saveLogo(bytes, { secret: stranger })).json()
    const file = registry.reader.paths.logoFile(sha256(bytes))
    expect(readFileSync(file).equals(bytes)).toBe(true)
    await decide('review.reject', logo_id)
    expect(existsSync(file)).toBe(false)
    expect((await get(toPath(url), stranger)).statusCode).toBe(404)
    const { logos } = await listed('acme.example', stranger)
    const rejected = logos.find(({ id }: { id: string }) => id === logo_id)
    expect(rejected).toMatchObject({ review_status: 'rejected' })
    expect(rejected).not.toHaveProperty('url')
    const again = (await saveLogo(bytes, { secret: stranger })).json()
    expect(again.review_status).toBe('pending')
    expect(existsSync(file)).toBe(true)
  })

  test('that is rejected leaves the image to another brand that uses it', async () => {
    const bytes = picture()
    const { logo_id } = (await saveLogo(bytes, { secret: stranger, domain: 'b.example' })).json()
    const { url } = (await saveLogo(bytes)).json()
    await decide('review.reject', logo_id)
    expect((await get(toPath(url))).statusCode).toBe(200)
  })
})

describe('a file that is no image is refused by its bytes', () => {
  test.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['half a PNG', PNG.subarray(0, 12)],
    ['nothing', Buffer.alloc(0)],
  ])('%s: 415', async (_, bytes) => {
    const answer = await saveLogo(bytes)
    expect([answer.statusCode, answer.json().error]).toEqual([
      415,
      '`file` must be a PNG, JPEG, GIF or WebP image by its bytes; SVG is not accepted.',
    ])
  })

  test('413: larger than the limit', async () => {
    const answer = await saveLogo(Buffer.concat([PNG, Buffer.alloc(10_000)]))
    expect(answer.statusCode).toBe(413)
    expect((await saveLogo(Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]))).statusCode).toBe(
      413,
    )
  })

  test('400: no form, no file, invalid tags', async () => {
    const send = (payload: string, type = 'multipart/form-data; boundary=b') =>
      registry.send('POST', '/api/brands/acme.example/logos', {
        key: acme,
        headers: { 'content-type': type },
        payload,
      })
    expect((await send('x')).statusCode).toBe(400)
    expect((await send('x', 'multipart/form-data')).statusCode).toBe(400)
    const field = '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\ntext\r\n--b--\r\n'
    expect((await send(field)).json().error).toBe('`file` is required.')
    expect((await saveLogo(picture(), { tags: 'a b' })).statusCode).toBe(400)
    expect((await saveLogo(picture(), { secret: 'sk_nobody' })).statusCode).toBe(401)
  })
})

test('images are restored from a backup, unless they were changed', async () => {
  const bytes = picture()
  await saveLogo(bytes)
  const [backups, dataDir] = [createDataDir(), createDataDir()]
  await registry.sequencer.backUp(`${backups}/whole`)
  await restore(dataDir, `${backups}/whole`, {})
  const { logoFile } = resolvePaths(dataDir)
  expect(readFileSync(logoFile(sha256(bytes))).equals(bytes)).toBe(true)
  const storedLogo = resolvePaths(`${backups}/whole`).logoFile(sha256(bytes))
  writeFileSync(storedLogo, 'something else')
  await expect(restore(createDataDir(), `${backups}/whole`, {})).rejects.toThrow(
    'does not match the backup’s manifest',
  )
})

test('a domain that is taken down shows no logo and accepts none', async () => {
  const domain = 'down.acme.example' as Domain
  const bytes = picture()
  const { url } = (await saveLogo(bytes, { domain })).json()
  await registry.submit({ op: 'domain.takedown', domain })
  expect((await get(toPath(url))).statusCode).toBe(404)
  expect(existsSync(registry.reader.paths.logoFile(sha256(bytes)))).toBe(false)
  expect((await listed(domain)).logos).toEqual([])
  expect((await saveLogo(picture(), { domain })).statusCode).toBe(400)
})

test('the audit log keeps who uploaded a logo, but no image', async () => {
  const rows = await registry.sequencer.accounts.db.all<{ content: object }>(
    `select content from submissions where operation = 'logo.save'`,
  )
  expect(rows.length).toBeGreaterThan(5)
  expect(Object.keys(rows[0]!.content)).toEqual(
    expect.arrayContaining(['domain', 'sha256', 'content_type']),
  )
  expect(rows.filter(({ content }) => 'bytes' in content)).toEqual([])
})

test('all stores agree on logos, and no public one names their authors', async () => {
  await registry.publish()
  expect(await registry.verify()).toEqual([])
  await registry.restart()
  expect(await registry.verify()).toEqual([])
})

test('an empty list names the domain that has logos without its www.', async () => {
  expect(await listed('www.acme.example')).toMatchObject({
    logos: [],
    did_you_mean: ['acme.example'],
  })
  expect(await listed('www.nobody.example')).not.toHaveProperty('did_you_mean')
})

test('a house shows the approved logos of its brands as a tree, and no other', async () => {
  const house = 'house-of-logos.example'
  const buildLeaf = (location: string) => ({
    kind: 'brand.json' as const,
    location,
    document: {
      ...(observeBrandFile(location, location).document as object),
      house_domain: house,
    } as never,
  })
  await registry.observe(buildLeaf('acme.example'), buildLeaf('waits.example'), {
    kind: 'brand.json',
    location: house,
    outcome: 'absent',
    status: 404,
  })
  const bytes = picture()
  expect((await saveLogo(bytes)).statusCode).toBe(201)
  await saveLogo(picture(), { domain: 'waits.example', secret: stranger })
  const page = load((await get(`/brand/${house}`)).body)
  const [first] = (await listed('acme.example')).logos
  expect(page('.tree li').length).toBe(2)
  expect(
    page('.tree img')
      .map((_, image) => page(image).attr('src'))
      .get(),
  ).toEqual([toPath(first.url)])
})
