import { z } from 'zod'
import { findReaderProblems } from '../../pipeline/read/health.ts'
import { defineOperation } from '../operation/operation.ts'
import { replyOk, replyRefused } from '../responses/reply.ts'

const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
const DIRECTORY = 'application/http-message-signatures-directory+json'
const OPENAPI_JSON = 'application/vnd.oai.openapi+json; charset=utf-8'
const YAML = 'application/yaml; charset=utf-8'
const Up = z.looseObject({ status: z.literal('ok').describe('Always `ok`: the process is alive') })
const KeySet = z.looseObject({
  keys: z
    .array(
      z
        .object({
          kid: z
            .string()
            .describe('ID of the key (RFC 7638 thumbprint), to which signatures refer'),
          kty: z.string().describe('Always `OKP`'),
          crv: z.string().describe('Always `Ed25519`'),
          alg: z.string().describe('Always `EdDSA`'),
          use: z.string().describe('Always `sig`'),
          key_ops: z.array(z.string()).describe('Always `verify`'),
          x: z.string().describe('The public key'),
        })
        .catchall(z.string().describe('The purpose, under the name of the protocol: `…_use`')),
    )
    .describe('Public keys: current and former ones'),
})
const McpServerDescription = z.object({
  $schema: z.string().describe('URL of the schema of this document'),
  name: z.string().describe('Unique name: a reversed host, a slash and what it serves'),
  title: z.string().describe('Human-readable name of the API'),
  description: z
    .string()
    .max(100)
    .describe('Purpose of the server, in at most a hundred characters'),
  version: z.string().describe('Version of this registry, as semver'),
  websiteUrl: z.string().describe('URL of the pages of this registry'),
  remotes: z
    .array(
      z.object({
        type: z.literal('streamable-http').describe('Transport of the protocol'),
        url: z.string().describe('URL to which MCP clients connect'),
      }),
    )
    .describe('URLs of the server'),
})

const Ready = z.looseObject({
  status: z.literal('ready').describe('Always `ready`: the stores are open'),
  seq: z.int().describe('Number of the commit that lookups show'),
  problems: z
    .array(z.string().describe('What is wrong, in a sentence'))
    .describe('Problems that do not stop reads, such as a stalled writer or outdated lists'),
})

/** Declarations of every document, which anyone may read, stores or not. */
const document = {
  method: 'GET',
  access: 'public',
  cache: 'document',
  worksWithoutStores: true,
  errors: [],
} as const

export const describeRegistry = defineOperation({
  ...document,
  id: 'describeRegistry',
  path: '/api',
  summary: 'Get an overview of this API',
  reply: {
    200: z.looseObject({
      name: z.string().describe('Name of the software that runs this registry'),
      version: z.string().describe('Version of this API, as in its description'),
      documentation: z.string().describe('URL of the human-readable reference'),
      openapi: z.string().describe('URL of the OpenAPI description'),
      endpoints: z.record(z.string(), z.string()).describe('Paths to start with, by subject'),
    }),
  },
  handle: ({ services }) => {
    const openapi = `${services.baseUrl()}/openapi/registry.yaml`
    return replyOk({
      name: 'Agentic Ad Registry',
      version: '1.0.0',
      documentation: `${services.baseUrl()}/docs`,
      openapi,
      endpoints: {
        brands: '/api/brands/registry',
        properties: '/api/properties/registry',
        publisher: '/api/registry/publisher',
        agents: '/api/registry/agents',
        search: '/api/search',
        policies: '/api/policies/registry',
        stats: '/api/registry/stats',
        feed: '/api/registry/feed',
      },
    })
  },
})

export const openapiDocuments = [
  ['openapi', '/openapi/registry.yaml', 'Get the OpenAPI 3.1 description (YAML)'],
  ['openapiWellKnown', '/.well-known/openapi.yaml', 'Find the OpenAPI 3.1 description'],
].map(([id = '', path = '', summary = '']) =>
  defineOperation({
    ...document,
    id,
    path,
    summary,
    cacheKey: () => '',
    reply: { 200: { type: YAML } },
    handle: ({ services }) => ({ ...replyOk(services.description()), type: YAML }),
  }),
)

export const openapiJson = defineOperation({
  ...document,
  id: 'openapiJson',
  path: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 description (JSON)',
  cacheKey: () => '',
  reply: { 200: { type: OPENAPI_JSON } },
  handle: ({ services }) => ({
    ...replyOk(Buffer.from(JSON.stringify(services.openapi()))),
    type: OPENAPI_JSON,
  }),
})

export const asyncapiDocument = defineOperation({
  ...document,
  id: 'asyncapi',
  path: '/asyncapi/registry.yaml',
  summary: 'Get the AsyncAPI 3.0 description of the feed and webhooks',
  cacheKey: () => '',
  reply: { 200: { type: YAML } },
  handle: ({ services }) => ({ ...replyOk(services.asyncapi()), type: YAML }),
})

export const apiCatalog = defineOperation({
  ...document,
  id: 'apiCatalog',
  path: '/.well-known/api-catalog',
  summary: 'Get the URLs of this API',
  description:
    'A link set (RFC 9727): the OpenAPI description, the reference and the state of the API.',
  reply: { 200: { type: LINKSET } },
  handle({ services }) {
    const origin = services.baseUrl()
    const api = {
      anchor: `${origin}/api`,
      'service-desc': [
        { href: `${origin}/openapi/registry.yaml`, type: 'application/yaml' },
        { href: `${origin}/openapi.json`, type: 'application/vnd.oai.openapi+json' },
        { href: `${origin}/asyncapi/registry.yaml`, type: 'application/yaml' },
      ],
      'service-doc': [{ href: `${origin}/docs`, type: 'text/html' }],
      'service-meta': [{ href: `${origin}/schemas/v3/index.json`, type: 'application/json' }],
      status: [{ href: `${origin}/readyz`, type: 'application/json' }],
    }
    const mcp = {
      anchor: `${origin}/mcp`,
      'service-desc': [{ href: `${origin}/server.json`, type: 'application/json' }],
      'service-doc': [{ href: `${origin}/llms.txt` }],
    }
    const body = Buffer.from(JSON.stringify({ linkset: [api, mcp] }))
    return { ...replyOk(body), type: LINKSET }
  },
})

export const mcpServer = defineOperation({
  ...document,
  id: 'mcpServer',
  path: '/server.json',
  summary: 'Get the MCP server’s description',
  description:
    'In the format of the MCP registry, so that the operator can publish it there. Its name is the ' +
    'reversed host name of this registry.',
  reply: { 200: McpServerDescription },
  handle({ services }) {
    const origin = services.baseUrl()
    const host = new URL(origin).hostname.replace(/[[\]]/g, '')
    return replyOk({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: `${host.split('.').toReversed().join('.')}/registry`,
      title: 'Agentic Ad Registry',
      description:
        'Which brand is behind this domain, what does a publisher own, and which agents can sell its ads',
      version: services.openapi().info.version,
      websiteUrl: origin,
      remotes: [{ type: 'streamable-http', url: `${origin}/mcp` }],
    } as const)
  },
})

export const describeCrawlerKeys = defineOperation({
  ...document,
  id: 'crawlerKeys',
  path: '/.well-known/http-message-signatures-directory',
  summary: 'Get the crawler’s public signing key',
  description:
    'A JSON Web Key Set (Web Bot Auth), empty if the crawler does not sign its requests.',
  reply: { 200: { type: DIRECTORY } },
  handle({ services: { crawlerKey } }) {
    const keys = crawlerKey ? [crawlerKey] : []
    // As bytes: the server would add a charset to a text, which this media type does not have.
    return { ...replyOk(Buffer.from(JSON.stringify({ keys }))), type: DIRECTORY }
  },
})

export const describeRegistryKeys = defineOperation({
  ...document,
  id: 'registryKeys',
  path: '/.well-known/jwks.json',
  summary: 'Get the registry’s public signing keys',
  description:
    'A JSON Web Key Set (RFC 7517). Each key names its purpose: badges, or webhooks of the registry. Empty if the registry does not sign.',
  reply: { 200: KeySet },
  handle: ({ services: { keys } }) => replyOk({ keys: keys?.published ?? [] }),
})

export const describeBadgeKeys = defineOperation({
  ...document,
  id: 'badgeKeys',
  path: '/api/.well-known/jwks.json',
  summary: 'Get the public keys for badges',
  description:
    'A JSON Web Key Set (RFC 7517) of the keys that sign badges; `/.well-known/jwks.json` has these and others. Empty if the registry does not sign.',
  reply: { 200: KeySet },
  handle: ({ services: { keys } }) => replyOk({ keys: keys?.listPublished('badge-signing') ?? [] }),
})

export const isAlive = defineOperation({
  id: 'isAlive',
  method: 'GET',
  path: '/healthz',
  summary: 'Check that the process is alive',
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  reply: { 200: Up },
  errors: [],
  handle: () => replyOk({ status: 'ok' }),
})

export const isReady = defineOperation({
  id: 'isReady',
  method: 'GET',
  path: '/readyz',
  summary: 'Check that the registry is ready',
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  reply: { 200: Ready },
  errors: ['unavailable'],
  handle: async ({ services: { reader, redisRoom, config } }) => {
    // Whoever waits for the first commit asks again and again: that is nothing to warn of.
    if (!reader.isReady)
      return replyRefused('unavailable', 'nothing has been committed yet; try again', {})
    const ofRedis = await redisRoom.findProblems(config)
    const problems = [...findReaderProblems(reader), ...ofRedis]
    return replyOk({ status: 'ready', seq: reader.serving?.seq ?? 0, problems })
  },
})
