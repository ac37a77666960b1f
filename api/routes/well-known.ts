import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const DIRECTORY = 'application/http-message-signatures-directory+json'
const YAML = 'application/yaml; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
const Up = z.looseObject({ status: z.string() })

export const describeRegistry = operation({
  id: 'describeRegistry',
  method: 'GET',
  path: '/api',
  summary: 'What is here',
  access: 'public',
  cache: 'document',
  reply: {
    200: z.looseObject({
      name: z.string(),
      version: z.string(),
      documentation: z.string(),
      openapi: z.string(),
      endpoints: z.record(z.string(), z.string()),
    }),
  },
  errors: [],
  handle: ({ services }) => {
    const openapi = `${services.baseUrl()}/openapi/registry.yaml`
    return ok({
      name: 'Agentic Ad Registry',
      version: '1.0.0',
      documentation: `${services.baseUrl()}/docs`,
      openapi,
      endpoints: {
        brands: '/api/brands/registry',
        properties: '/api/properties/registry',
        publisher: '/api/registry/publisher',
        stats: '/api/registry/stats',
        feed: '/api/registry/feed',
      },
    })
  },
})

export const openapiDocuments = [
  ['openapi', '/openapi/registry.yaml'],
  ['openapiWellKnown', '/.well-known/openapi.yaml'],
].map(([id, path]) =>
  operation({
    id: id!,
    method: 'GET',
    path: path!,
    summary: 'This description, as OpenAPI 3.1',
    access: 'public',
    cache: 'document',
    reply: { 200: { type: YAML } },
    errors: [],
    handle: ({ services }) => ({ ...ok(services.description()), type: YAML }),
  }),
)

/** Nothing on the page runs, and nothing is loaded from elsewhere. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

export const referencePages = [
  ['home', '/'],
  ['reference', '/docs'],
].map(([id, path]) =>
  operation({
    id: id!,
    method: 'GET',
    path: path!,
    summary: 'This description, for people',
    access: 'public',
    cache: 'document',
    reply: { 200: { type: HTML } },
    errors: [],
    handle: ({ services }) => ({
      ...ok(services.reference(), { 'content-security-policy': PAGE_POLICY }),
      type: HTML,
    }),
  }),
)

export const describeCrawlerKeys = operation({
  id: 'crawlerKeys',
  method: 'GET',
  path: '/.well-known/http-message-signatures-directory',
  summary: 'The key by which the requests of our crawler can be verified',
  description: 'A JSON Web Key Set (Web Bot Auth), empty where the crawler does not sign.',
  access: 'public',
  cache: 'document',
  reply: { 200: { type: DIRECTORY } },
  errors: [],
  handle({ services: { crawlerKey } }) {
    const keys = crawlerKey ? [crawlerKey] : []
    // Bytes: to a text the server would add a charset, which this media type does not have.
    return { ...ok(Buffer.from(JSON.stringify({ keys }))), type: DIRECTORY }
  },
})

export const isAlive = operation({
  id: 'isAlive',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process answers',
  access: 'public',
  cache: 'none',
  reply: { 200: Up },
  errors: [],
  handle: () => ok({ status: 'ok' }),
})

export const isReady = operation({
  id: 'isReady',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether there is something to answer from',
  access: 'public',
  cache: 'none',
  reply: { 200: Up },
  errors: ['unavailable'],
  handle: ({ services: { reader } }) =>
    reader.isReady
      ? ok({ status: 'ready', seq: reader.serving?.seq ?? 0 })
      : refuse('unavailable', 'nothing was committed yet'),
})

export const readMetrics = operation({
  id: 'metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Measurements for Prometheus',
  access: 'public',
  cache: 'none',
  reply: { 200: { type: 'text/plain' } },
  errors: [],
  handle: async ({ services: { metrics } }) => ({
    ...ok(await metrics.text()),
    type: metrics.type,
  }),
})
