import { z } from 'zod'
import { type Call, defineOperation, type Operation } from '../operation/operation.ts'
import { replyOk, replyRefused } from '../responses/reply.ts'
import { createAsk } from './ask.ts'
import { rawFile } from './raw-file.ts'
import { sitemapKinds } from './sitemap.ts'

const XML = 'text/xml; charset=utf-8'
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' }
const FILE = /^([a-z]+)-([1-9]\d{0,5})\.xml$/

const declared = { method: 'GET', access: 'public', errors: ['invalid_request'] } as const

const pageFile = defineOperation({
  ...declared,
  id: 'pageFile',
  path: '/assets/pages/:file',
  summary: 'Get an asset of the pages',
  cache: 'document',
  worksWithoutStores: true,
  params: z.object({ file: z.string().max(100).describe('File name with its hash') }),
  reply: { 200: { type: ['text/css', 'text/javascript', 'image/svg+xml'] } },
  handle: async ({ params: { file } }) => {
    const { findAsset } = await import('./assets.ts')
    const asset = findAsset(`/assets/pages/${file}`)
    if (asset === undefined) return replyRefused('not_found', 'there is no such file', {})
    const { body, type, etag } = asset
    return { status: 200, body, type, etag, headers: FOR_EVER }
  },
})

const robots = defineOperation({
  ...declared,
  id: 'robots',
  path: '/robots.txt',
  summary: 'Get robots.txt',
  cache: 'document',
  worksWithoutStores: true,
  reply: { 200: { type: 'text/plain' } },
  handle: ({ services }) => ({
    ...replyOk(
      [
        'User-agent: *',
        'Disallow: /api/',
        'Disallow: /v1/',
        'Disallow: /mcp',
        'Disallow: /search',
        'Disallow: /authorization',
        'Disallow: /changes?',
        'Disallow: /watch/',
        '',
        `Sitemap: ${services.baseUrl()}/sitemap.xml`,
        '',
      ].join('\n'),
    ),
    type: 'text/plain; charset=utf-8',
  }),
})

const llms = defineOperation({
  ...declared,
  id: 'llms',
  path: '/llms.txt',
  summary: 'Get a summary of this registry for language models',
  cache: 'document',
  cacheKey: () => '',
  worksWithoutStores: true,
  reply: { 200: { type: 'text/plain' } },
  handle: async ({ services }) => {
    const { buildLlmsText } = await import('./llms-text.ts')
    return { ...replyOk(buildLlmsText(services)), type: 'text/plain; charset=utf-8' }
  },
})

const sitemapIndex = defineOperation({
  ...declared,
  id: 'sitemapIndex',
  path: '/sitemap.xml',
  summary: 'Get the index of the sitemaps',
  cache: 'document',
  cacheKey: () => '',
  reply: { 200: { type: XML } },
  errors: ['unavailable'],
  handle: async call => {
    const { buildSitemapIndex } = await import('./sitemap.ts')
    const text = await buildSitemapIndex(toSource(call), call.services.baseUrl())
    return { ...replyOk(text), type: XML }
  },
})

const sitemap = defineOperation({
  ...declared,
  id: 'sitemap',
  path: '/sitemaps/:file',
  summary: 'Get a sitemap',
  cache: 'document',
  cacheKey: () => '',
  params: z.object({ file: z.string().max(40).describe('Kind of things and number of the file') }),
  reply: { 200: { type: XML } },
  errors: ['not_found', 'unavailable'],
  handle: async call => {
    const [, name, number] = FILE.exec(call.params.file) ?? []
    const kind = sitemapKinds.find(known => known === name)
    if (kind === undefined) return replyRefused('not_found', 'there is no such sitemap', {})
    const { buildSitemap } = await import('./sitemap.ts')
    const origin = call.services.baseUrl()
    const text = await buildSitemap(toSource(call), origin, kind, Number(number))
    return { ...replyOk(text), type: XML }
  },
})

function toSource(call: Call<unknown, unknown, unknown, 'public'>) {
  return { ask: createAsk(call), snapshot: call.services.reader.snapshot }
}

/** Files beside the pages: what they load, and what other crawlers ask for. */
export const plainFiles: readonly Operation[] = [
  pageFile,
  rawFile,
  robots,
  llms,
  sitemapIndex,
  sitemap,
]
