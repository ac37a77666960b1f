import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const format = (id: string) => ({ agent_url: 'https://agent.example/creative/mcp', id })
const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250 }
const link = { asset_type: 'url', url: 'https://acme.example/sale?id={ID}' }
const banner = { format_id: format('display_300x250'), assets: { image, click_url: link } }

const clock = testClock('2026-11-20T00:00Z')
const agent = openForAll(() => startReferenceAgent(clock))
let keys = 0

const keyed = (args: object) => ({ idempotency_key: `key-of-this-test-${++keys}`, ...args })
const build = (args: object) => agent.succeed('creative-builder', 'build_creative', keyed(args))
const preview = (args: object) => agent.succeed('creative', 'preview_creative', args)
const sync = (args: object) =>
  agent.succeed('creative', 'sync_creatives', keyed({ account, ...args }))
const open = (url: string) => agent.app.inject(new URL(url).pathname)

describe('a format id that is a text', () => {
  const bare = 'display_300x250'
  test.each<[tenant: string, task: string, args: object, field: string]>([
    ['creative', 'build_creative', { target_format_id: bare }, 'target_format_id'],
    ['creative', 'build_creative', { target_format_id: bare, message: 7 }, 'target_format_id'],
    ['creative', 'build_creative', { target_format_ids: [bare] }, 'target_format_ids[0]'],
    ['creative', 'build_creative', { target_format_ids: bare }, 'target_format_ids'],
    [
      'creative',
      'build_creative',
      { creative_manifest: { format_id: bare } },
      'creative_manifest.format_id',
    ],
    ['creative-builder', 'build_creative', { target_format_id: bare }, 'target_format_id'],
    ['creative', 'preview_creative', { format_id: bare }, 'format_id'],
    ['creative', 'preview_creative', { requests: [{ format_id: bare }] }, 'requests[0].format_id'],
    ['creative', 'sync_creatives', { creatives: [{ format_id: bare }] }, 'creatives[0].format_id'],
    ['creative', 'list_creatives', { filters: { format_ids: [bare] } }, 'filters.format_ids[0]'],
    ['creative', 'list_creative_formats', { format_ids: bare }, 'format_ids'],
    ['sales', 'get_products', { filters: { format_ids: [bare] } }, 'filters.format_ids[0]'],
    [
      'sales',
      'create_media_buy',
      { packages: [{ format_ids: [bare] }] },
      'packages[0].format_ids[0]',
    ],
  ])('is told by %s: %s %j, whatever else is missing', async (tenant, task, args, field) => {
    expect(await agent.fail(tenant, task, args)).toEqual({ code: 'INVALID_FORMAT_ID', field })
  })

  test('in what the answer only repeats is nobody’s concern', async () => {
    const context = { format_id: bare }
    const answer = await agent.succeed('creative', 'list_creative_formats', { context })
    expect(answer.context).toEqual(context)
  })
})

describe('a manifest', () => {
  const wrong = { ...banner, assets: { image: { ...image, width: 301 } } }

  test.each([
    [
      '400: a format id that is a text',
      { ...banner, format_id: 'display_300x250' },
      'INVALID_FORMAT_ID',
      400,
    ],
    ['400: no assets', { format_id: banner.format_id }, 'INVALID_REQUEST', 400],
    [
      '404: a format of another agent',
      { ...banner, format_id: { ...banner.format_id, agent_url: 'https://other.example/mcp' } },
      'REFERENCE_NOT_FOUND',
      404,
    ],
    [
      '404: an unknown format',
      { ...banner, format_id: format('display_1x1') },
      'REFERENCE_NOT_FOUND',
      404,
    ],
    ['422: a picture of another size', wrong, 'CREATIVE_REJECTED', 422],
    ['422: no picture', { ...banner, assets: {} }, 'CREATIVE_REJECTED', 422],
    [
      '422: an address that is none',
      { ...banner, assets: { image: { ...image, url: 'javascript:alert(1)' } } },
      'CREATIVE_REJECTED',
      422,
    ],
    [
      '422: an asset of another type',
      { ...banner, assets: { image: { asset_type: 'text', content: 'x' } } },
      'CREATIVE_REJECTED',
      422,
    ],
    [
      '422: a file of another type',
      { ...banner, assets: { image: { ...image, url: 'https://cdn.example/a.bmp' } } },
      'CREATIVE_REJECTED',
      422,
    ],
  ])('is refused: %s', async (_what, creative_manifest, code, status) => {
    const args = { request_type: 'single', creative_manifest }
    const { isError, payload } = await agent.call('creative', 'preview_creative', args)
    expect(isError).toBe(true)
    expect(payload).toMatchObject({ code, error: { code, status } })
  })

  test('gets a report of everything wrong with it', async () => {
    const creative_manifest = {
      format_id: format('native_content'),
      assets: { headline: { asset_type: 'text', content: 'x'.repeat(61) } },
    }
    const args = { request_type: 'single', creative_manifest }
    const { payload } = await agent.call('creative', 'preview_creative', args)
    expect(payload.adcp_error.issues).toEqual([
      { pointer: '/assets/image', message: expect.any(String), keyword: 'required' },
      { pointer: '/assets/headline/content', message: expect.any(String), keyword: 'maxLength' },
    ])
  })

  test('is stored only if all are valid, or without the invalid ones on request', async () => {
    const good = { creative_id: 'good', name: 'Good', ...banner }
    const bad = { creative_id: 'bad', name: 'Bad', ...wrong }
    const actions = async (args: object) =>
      (await sync({ creatives: [good, bad], ...args })).creatives.map((one: Payload) => one.action)
    const list = async (filters: object = {}) =>
      (await agent.succeed('creative', 'list_creatives', { account, filters })).creatives.map(
        (one: Payload) => one.creative_id,
      )
    expect(await actions({})).toEqual(['created', 'failed'])
    expect(await list()).toEqual([])
    expect(await actions({ validation_mode: 'lenient' })).toEqual(['created', 'failed'])
    expect(await actions({ validation_mode: 'lenient' })).toEqual(['unchanged', 'failed'])
    expect(await list({ format_ids: [banner.format_id] })).toEqual(['good'])
    expect(await list({ format_ids: [format('video_6s')] })).toEqual([])
    const other = { ...good, creative_id: 'other' }
    expect(await actions({ creatives: [other], delete_missing: true })).toEqual([
      'created',
      'deleted',
    ])
    expect(await list()).toEqual(['other'])
  })
})

describe('a preview', () => {
  test('is a page for browsers with the values of each variant', async () => {
    const inputs = [{ name: 'One', macros: { ID: 'a&b"' } }, { name: 'Two' }]
    const args = { request_type: 'single', creative_manifest: banner, inputs }
    const answer = await preview(args)
    expect(listSchemaFaults('creative/preview-creative-response.json', answer)).toEqual([])
    const [one, two] = answer.previews
    const page = await open(one.preview_url)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain('sandbox')
    const style = /<style>([^<]*)<\/style>/.exec(page.body)![1]!
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
    expect(policy).not.toContain('unsafe')
    expect(page.body).toContain('href="https://acme.example/sale?id=a%26b%22"')
    expect((await open(two.preview_url)).body).toContain('sale?id={ID}')
    expect(one.renders[0]).toMatchObject({ preview_url: one.preview_url })
  })

  test('can be opened for one day', async () => {
    const { previews, expires_at } = await preview({
      request_type: 'single',
      creative_manifest: banner,
    })
    expect(Date.parse(expires_at)).toBe(clock.now() + 864e5)
    clock.tick({ days: 1, ms: 1 })
    await preview({ request_type: 'single', creative_manifest: banner })
    expect((await open(previews[0].preview_url)).statusCode).toBe(404)
  })

  test('of several creatives reports each result', async () => {
    const requests = [
      { creative_manifest: banner, output_format: 'html' },
      { creative_manifest: { ...banner, assets: {} } },
    ]
    const answer = await preview({ request_type: 'batch', requests })
    expect(listSchemaFaults('creative/preview-creative-response.json', answer)).toEqual([])
    expect(answer.results.map((one: Payload) => one.success)).toEqual([true, false])
    expect(answer.previews[0].preview_html).toMatch(/^<!doctype html>/)
  })

  test('contains nothing executable, whatever a creative contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async text => {
        const creative_manifest = {
          format_id: format('native_content'),
          assets: {
            image,
            headline: { asset_type: 'text', content: `x<script>"'${text.slice(0, 40)}` },
          },
        }
        const args = { request_type: 'single', creative_manifest, output_format: 'html' }
        const { isError, payload } = await agent.call('creative', 'preview_creative', args)
        if (isError) return
        expect(payload.previews[0].preview_html).not.toMatch(/<script|\son\w+=|javascript:/i)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a creative is built', () => {
  test('from a brand and its offer', async () => {
    const promoted_offerings = {
      brand_manifest: {
        url: 'https://acme.example/',
        name: 'Acme',
        colors: { primary: '#F2B134' },
      },
      inline_offerings: [{ name: 'Lamps at half price', description: 'Until Sunday' }],
    }
    const answer = await build({
      creative_manifest: { format_id: format('native_content'), assets: { promoted_offerings } },
      target_format_id: format('native_content'),
      include_preview: true,
    })
    expect(listSchemaFaults('media-buy/build-creative-response.json', answer)).toEqual([])
    const { assets } = answer.creative_manifest
    expect(assets.headline.content).toBe('Lamps at half price')
    expect(assets.click_url.url).toBe('https://acme.example/')
    const picture = await open(assets.image.url)
    expect(picture.headers['content-type']).toContain('image/svg+xml')
    expect(picture.body).toContain('#F2B134')
    expect((await open(answer.preview.previews[0].preview_url)).statusCode).toBe(200)
  })

  test('from another one, in several formats that accept it', async () => {
    const master = {
      asset_type: 'image',
      url: 'https://cdn.example/m.jpg',
      width: 1200,
      height: 628,
    }
    const headline = { asset_type: 'text', content: 'Summer sale: 40 % off all gear' }
    const answer = await build({
      creative_manifest: { assets: { master, headline, click_url: link } },
      target_format_ids: ['display_300x250', 'display_728x90', 'native_content'].map(format),
    })
    expect(listSchemaFaults('media-buy/build-creative-response.json', answer)).toEqual([])
    const [, leaderboard, native] = answer.creative_manifests
    expect(leaderboard.assets.image).toMatchObject({ width: 728, height: 90 })
    expect(native.assets.image).toEqual(master)
    for (const creative_manifest of answer.creative_manifests) {
      await preview({ request_type: 'single', creative_manifest })
    }
  })

  test('from a video, as a tag that players show', async () => {
    const video = { asset_type: 'video', url: 'https://cdn.example/v.mp4', duration_ms: 30_000 }
    const { creative_manifest } = await build({
      creative_manifest: { assets: { video, click_url: link } },
      target_format_id: format('vast_30s'),
    })
    expect(creative_manifest.assets.vast.content).toContain('https://cdn.example/v.mp4')
    await preview({ request_type: 'single', creative_manifest })
  })

  test.each([
    ['nothing', {}, 'INVALID_REQUEST'],
    [
      'words as a video',
      { message: 'A film', target_format_id: format('video_15s') },
      'UNSUPPORTED_FEATURE',
    ],
    ['an unknown creative', { creative_id: 'none' }, 'CREATIVE_NOT_FOUND'],
    ['no format', { message: 'x', target_format_id: undefined }, 'INVALID_REQUEST'],
  ])('but not of %s', async (_what, args, code) => {
    const asked = keyed({ target_format_id: format('display_300x250'), ...args })
    expect((await agent.fail('creative-builder', 'build_creative', asked)).code).toBe(code)
  })
})
