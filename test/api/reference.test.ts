import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const BYTES_MAX = 60_000
/** The script that adds buttons to copy with; nothing depends on it. */
const COMFORTS = /<script src="\/assets\/pages\/enhance\.\w+\.js" defer><\/script>/

const registry = openForAll(openRegistry)
let index: string

beforeAll(async () => {
  index = (await registry.app.inject('/docs')).body
})

const listLinks = (html: string) =>
  [...html.matchAll(/href="(\/docs\/(?:operations|schemas)\/[^"#]+)"/g)].map(([, path]) => path!)

describe('the API reference', () => {
  test('begins with the lookups, and lists every operation of the OpenAPI document once', async () => {
    const { body } = await registry.app.inject('/openapi/registry.yaml')
    const { paths } = parse(body) as {
      paths: Record<string, Record<string, { operationId?: string }>>
    }
    const ids = Object.values(paths).flatMap(methods =>
      Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
    )
    const listed = listLinks(index).map(path => path.replace('/docs/operations/', ''))
    expect(listed[0]).toBe('resolveBrand')
    expect([...listed].sort()).toEqual([...ids].sort())
  })

  test('has a small page for each operation and each object that these name, without a script', async () => {
    const waiting = listLinks(index)
    const visited = new Set(waiting)
    for (const path of waiting) {
      const { statusCode, body } = await registry.app.inject(path)
      expect([path, statusCode]).toEqual([path, 200])
      expect([path, Buffer.byteLength(body) < BYTES_MAX]).toEqual([path, true])
      expect(body.replace(COMFORTS, '')).not.toContain('<script')
      for (const next of listLinks(body)) {
        if (!visited.has(next)) waiting.push(next)
        visited.add(next)
      }
    }
    expect(waiting.filter(path => path.startsWith('/docs/schemas/')).length).toBeGreaterThan(100)
    expect(Buffer.byteLength(index)).toBeLessThan(BYTES_MAX)
  })

  test('shows the operations of its first group, and leads from each operation to its neighbors', async () => {
    const page = load(index)
    const group = page('details.group').first()
    expect(page('details.group[open]').get()).toEqual(group.get())
    const paths = listLinks(String(group.html()))
    for (const [i, path] of paths.entries()) {
      const operation = load((await registry.app.inject(path)).body)
      const ways = ['prev', 'next'].map(rel => operation(`.pages a[rel=${rel}]`).attr('href'))
      expect(ways).toEqual([paths[i - 1], paths[i + 1]])
    }
  })

  test('is narrowed to the operations that have some words, whose groups are open', async () => {
    const read = async (find: string) =>
      load((await registry.app.inject(`/docs?${new URLSearchParams({ find })}`)).body)
    const page = await read(' Resolve  CANONICAL ')
    expect(listLinks(page.html())).toContain('/docs/operations/resolveBrand')
    expect(listLinks(page.html()).length).toBeLessThan(5)
    expect(page('main details.group:not([open])')).toHaveLength(0)
    expect(page('input[name=find]').val()).toBe('Resolve  CANONICAL')
    for (const field of ['placement_ids', 'publisher_properties'])
      expect(listLinks((await read(field)).html())).toContain(
        '/docs/operations/validateProductAuthorization',
      )
    expect((await read('no-such-word'))('main .empty').text()).toBe('No matching operations.')
  })

  test('shows the bounds of a number, and no default that says nothing', async () => {
    const { body } = await registry.app.inject('/docs/operations/readFeed')
    expect(body).toContain('integer, 1 to 10,000, default 100')
    expect(body).not.toContain('default &#34;&#34;')
    const { body: check } = await registry.app.inject('/docs/operations/resolveBrand')
    expect(check).toContain('default false')
    const { body: agents } = await registry.app.inject('/docs/operations/listAgents')
    expect(agents).toContain('0 to 5,000, default 5,000')
  })

  test('shows fields, an example and the answers of an operation', async () => {
    const { body } = await registry.app.inject('/docs/operations/resolveBrand')
    for (const text of [
      '<code>domain</code>',
      'required',
      'curl &#39;',
      '&#34;canonical_domain&#34;: &#34;acme.example&#34;',
      'href="/docs/schemas/BrandResolution"',
      'what the request names does not exist',
      'No key required.',
    ])
      expect(body).toContain(text)
    const write = await registry.app.inject('/docs/operations/saveBrand')
    const access = load(write.body)('main a[href="/docs/guides/clients#get-a-key"]').parent()
    expect(access.text()).toContain('Requires an API key')
    const personal = await registry.app.inject('/docs/operations/acceptInvitation')
    expect(personal.body).toContain('Requires an access token, sent as a bearer token.')
    expect(personal.body).toContain('Bearer $REGISTRY_USER_TOKEN')
    expect(personal.body).not.toContain('REGISTRY_KEY')
    expect(write.body).toContain('<code>save_brand</code>')
    expect(write.body).toContain('id="body"')
  })

  test.each([
    ['listCatalog', 'headers', ['ETag', 'X-Registry-Seq', 'X-Registry-As-Of', 'X-Sync-Cursor']],
    ['listCatalog', 'parameters', ['If-None-Match']],
    ['saveBrand', 'headers', ['RateLimit-Limit', 'RateLimit-Remaining']],
    ['saveBrand', 'parameters', ['Idempotency-Key']],
    ['streamFeed', 'parameters', ['Last-Event-ID']],
  ])('shows the headers of %s among its %s', async (id, section, names) => {
    const { body } = await registry.app.inject(`/docs/operations/${id}`)
    const listed = load(body)(`#${section} th code`)
    const shown = listed.toArray().map(code => load(code).text())
    expect(shown).toEqual(expect.arrayContaining(names))
  })

  test('shows the members of nested objects and lists by their path', async () => {
    const { body } = await registry.app.inject('/docs/schemas/DomainLookup')
    expect(body).toContain('<code>domain</code>')
    expect(body).toContain('<code>authorized_agents[].url</code>')
  })

  test.each([
    [
      'saveBrand',
      'Limits: 60 saves per person or key per hour; 60 saves per organization per hour',
    ],
    [
      'resolveBrandsBulk',
      'Limits: 20 bulk requests per operation and IP address per minute. Above',
    ],
    [
      'validateAuthorizations',
      'At most 10,000 authorizations in one check of a list; a longer list returns 400.',
    ],
    [
      'validateAuthorizations',
      'bytes in one request that checks a list of authorizations; a larger one returns 413.',
    ],
    ['requestCrawl', '300 seconds between two crawl requests for one file'],
  ])('says how often %s may be called', async (id, text) => {
    const { body } = await registry.app.inject(`/docs/operations/${id}`)
    expect(load(body)('main').text().replace(/\s+/g, ' ')).toContain(text)
  })

  test.each(['/docs/operations/nothing', '/docs/schemas/toString'])('404: %s', async path => {
    expect((await registry.app.inject(path)).statusCode).toBe(404)
  })
})

describe('what programs look for first', () => {
  test('llms.txt leads to the lookups and the guides, and every link of it opens', async () => {
    const { body, headers } = await registry.app.inject('/llms.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(body).toContain('`GET /api/brands/resolve`')
    const links = [...body.matchAll(/\]\((http[^)]+)\)/g)].map(([, url]) => new URL(url!).pathname)
    expect(links.length).toBeGreaterThan(30)
    for (const path of links.filter(known => known !== '/mcp')) {
      expect([path, (await registry.app.inject(path)).statusCode]).toEqual([path, 200])
    }
  })

  test('the API catalog is a link set of addresses that answer', async () => {
    await registry.observe(
      observePublisherFile('acme.example', { sites: ['acme.example'], agents: [] }),
    )
    await registry.publish()
    const { body, headers } = await registry.app.inject('/.well-known/api-catalog')
    expect(headers['content-type']).toMatch(/^application\/linkset\+json; profile=/)
    const { linkset } = JSON.parse(body)
    expect(linkset[0].anchor).toMatch(/\/api$/)
    for (const relation of ['service-desc', 'service-doc', 'status']) {
      const [{ href }] = linkset[0][relation]
      const { statusCode } = await registry.app.inject(new URL(href).pathname)
      expect([href, statusCode]).toEqual([href, 200])
    }
  })
})
