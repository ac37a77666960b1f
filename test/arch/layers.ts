/** A folder, what of ours it may import besides itself, and why nothing else. */
interface Layer {
  folder: string
  imports: string[]
  because: string
  /** Said instead of `because` when this target was imported. */
  never?: Record<string, string>
  /** Modules of Node it may use; all, where nothing is said. */
  node?: string[]
}

const computing = ['node:buffer', 'node:crypto', 'node:url', 'node:util', 'node:zlib']
const core = 'pipeline/core'
const model = 'pipeline/model'
const fetch = 'pipeline/fetch'
const parse = 'pipeline/parse'
const crawl = 'pipeline/crawl'
const resolve = 'pipeline/resolve'
const diff = 'pipeline/diff'
const live = 'pipeline/live'
const signing = 'pipeline/signing'
const store = 'pipeline/store'
const columnar = 'pipeline/store/columnar'
const accounts = 'pipeline/accounts'
const search = 'pipeline/search'
const serving = 'pipeline/serving'
const read = 'pipeline/read'
const writer = 'pipeline/writer'
const maintenance = 'pipeline/maintenance'
const storyboards = 'pipeline/storyboards'
const push = 'pipeline/push'
const replica = 'pipeline/replica'
const transparency = 'pipeline/transparency'
const apiClient = 'jobs/api-client'
const jobMetrics = 'jobs/metrics'

/** Contains code for clients, as text, that reads their environment. */
const codeSamples = 'api/reference/code-samples.ts'
const crossOrigin = 'api/operation/cross-origin.ts'

/** Say how published files are named. */
const publishedNames = [`${replica}/manifest.ts`, `${transparency}/tile-names.ts`]

const readsNoWeb = 'the writer and its projections take observations and reach no network'

export const layers: Layer[] = [
  { folder: core, imports: [], because: 'core is the lowest layer' },
  { folder: model, imports: [core], because: 'a model is only a shape', node: computing },
  {
    folder: parse,
    imports: [core, model],
    because: 'parsing is pure: bytes in, documents and faults out',
    node: computing,
  },
  {
    folder: resolve,
    imports: [core, model],
    because: 'the rules are pure: documents in, answers out',
    node: computing,
  },
  {
    folder: diff,
    imports: [core, model, resolve],
    because: 'a difference is pure: two states in, changes out',
    node: computing,
  },
  {
    folder: signing,
    imports: [core],
    because: 'other programs import it: signatures know nothing of a registry',
    node: computing,
  },
  { folder: fetch, imports: [core], because: 'fetching does not know what a brand is' },
  {
    folder: crawl,
    imports: [core, model, fetch, parse],
    because: 'a crawl returns observations and writes nowhere',
    node: computing,
  },
  {
    folder: live,
    imports: [core, model, fetch, parse, crawl, resolve, diff, `${serving}/documents.ts`],
    because: 'it asks the web now, answers by the rules, and writes nowhere',
    node: computing,
  },
  {
    folder: storyboards,
    imports: [core, model, fetch, parse, crawl, signing],
    because: 'it tests agents and returns what came of it',
    node: [...computing, 'node:fs', 'node:module', 'node:path', 'node:zlib'],
  },
  {
    folder: store,
    imports: [core, model, resolve, diff],
    because: 'a store does not know who asks',
  },
  {
    folder: columnar,
    imports: [core, model, store],
    because: 'the columnar index is made of the record, which knows nothing of it',
  },
  {
    folder: accounts,
    imports: [core, model, store, resolve],
    because: 'the accounts know nothing of the records that are projected from them',
  },
  {
    folder: search,
    imports: [core, model, diff, store],
    because: 'the search file is built from texts of the store alone',
  },
  {
    folder: serving,
    imports: [core, model, resolve, diff, store, accounts],
    because: 'a projection reads rows and makes records',
    never: { [fetch]: readsNoWeb, [crawl]: readsNoWeb },
  },
  {
    folder: transparency,
    imports: [core, store],
    because: 'a log of lines knows neither who writes them nor what they say',
  },
  {
    folder: read,
    imports: [core, model, resolve, diff, store, serving, search, transparency],
    because: 'readers know nothing of the writer',
  },
  {
    folder: push,
    imports: [core, model, fetch, signing, store, serving, read],
    because: 'it posts what readers see, and writes only how far it is',
    node: [...computing, 'node:fs', 'node:path', 'node:timers'],
  },
  {
    folder: replica,
    imports: [core, fetch, store, serving, search, transparency],
    because: 'it copies what is published, and knows neither the writer nor what a brand is',
  },
  {
    folder: writer,
    imports: [core, model, resolve, diff, parse, store, accounts, serving, search, transparency],
    because: 'the writer knows nothing of the readers',
    never: { [fetch]: readsNoWeb, [crawl]: readsNoWeb },
  },
  {
    folder: maintenance,
    imports: [
      core,
      model,
      resolve,
      diff,
      store,
      accounts,
      serving,
      search,
      transparency,
      read,
      writer,
    ],
    because: 'maintenance works on the stores alone',
  },
  {
    folder: 'jobs',
    imports: ['pipeline'],
    because: 'jobs say when things run',
    never: { api: 'jobs do not serve HTTP' },
  },
  {
    folder: 'api',
    imports: [
      core,
      model,
      parse,
      resolve,
      read,
      signing,
      `${storyboards}/catalog.ts`,
      `${push}/state.ts`,
      ...publishedNames,
      apiClient,
      jobMetrics,
      'jobs/redis.ts',
    ],
    because: 'the API reads stores and asks by jobs',
    never: {
      [fetch]: 'the API has no way out to the network',
      [crawl]: 'the API has no way out to the network',
      [live]: 'the API has no way out to the network',
      [storyboards]: 'the API has no way out to the network',
      [writer]: 'the API reads only, through pipeline/read',
      [store]: 'the API reads only, through pipeline/read',
      jobs: 'the API asks through jobs/api-client and jobs/redis',
    },
  },
  {
    folder: 'api/agent',
    imports: [
      core,
      'pipeline/model/documents/vocabulary.ts',
      `${fetch}/http.ts`,
      signing,
      `${store}/lmdb-head.ts`,
      `${store}/paths.ts`,
      crossOrigin,
      'api/operation/mcp-transport.ts',
      'api/limits/caller.ts',
      jobMetrics,
    ],
    because:
      'the reference agent is a program of its own: it knows the words of the protocol, and nothing about the registry',
  },
  {
    folder: 'api/operator',
    imports: [
      core,
      `${read}/health.ts`,
      `${store}/paths.ts`,
      apiClient,
      jobMetrics,
      'jobs/redis.ts',
    ],
    because: 'it shows the operator what the processes tell, and opens no store',
  },
  {
    folder: 'scripts/world',
    imports: [],
    because: 'the demo internet must not share the mistakes of what it tests',
  },
  {
    folder: 'scripts',
    imports: ['pipeline', 'jobs', 'api', 'scripts/world'],
    because: 'programs and benches may use everything but the tests',
  },
]

/**
 * Rooms of the API; each may import those before it, and only `api/app.ts` knows all. So what nothing below names (pages,
 * sign-in, the dashboard) can be taken out by leaving out its lines there.
 */
export const apiRooms = [
  'auth',
  'inputs',
  'limits',
  'pictures',
  'responses',
  'checks',
  'live',
  'workers',
  'reference',
  'operation',
  'mcp',
  'routes',
  'pages',
  'identity',
  'dashboard',
]

/** Programs beside the API that share its folder; each has a layer of its own. */
export const apiPrograms = ['agent', 'operator']

/** Folders that may import each outside package, and each way out to the network. */
export const doors: Record<string, string[]> = {
  zod: ['pipeline', 'jobs', 'api', 'scripts'],
  pino: [core],
  '@opentelemetry/api': [`${core}/trace.ts`, 'jobs/tracing.ts'],
  '@opentelemetry/*': ['jobs/tracing.ts'],
  'bullmq-otel': ['jobs/queues.ts'],
  'pino-pretty': [`${core}/log.ts`],
  tldts: [core],
  'idn-hostname': [core],
  unhomoglyph: [`${core}/lookalikes/confusables.ts`],
  papaparse: ['api/inputs/csv.ts'],
  'jsonc-parser': [`${parse}/fault-places.ts`],
  'cron-parser': [`${core}/schedule.ts`],
  undici: [fetch],
  'ipaddr.js': [fetch],
  'p-limit': [`${crawl}/crawl-batch.ts`],
  cheerio: [`${crawl}/home-page.ts`],
  '@duckdb/node-api': [`${columnar}/duckdb.ts`, `${columnar}/duckdb-instance.ts`],
  'node:sqlite': [`${store}/sqlite.ts`, `${store}/sqlite-values.ts`, `${store}/lease.ts`],
  'structured-headers': [`${signing}/structured-fields.ts`],
  lmdb: [
    `${serving}/lmdb.ts`,
    `${push}/state.ts`,
    'api/agent/state/store.ts',
    'api/agent/state/ledger.ts',
    'api/agent/state/call-counter.ts',
  ],
  bullmq: ['jobs'],
  '@bull-board/api': ['api/operator/queue-board.ts'],
  '@bull-board/fastify': ['api/operator/queue-board.ts'],
  ioredis: ['jobs/redis.ts'],
  piscina: ['api/workers/worker-pool.ts'],
  'markdown-it': ['api/pages/html/markdown.ts'],
  '@duckdb/duckdb-wasm': ['api/pages/browser'],
  'prom-client': ['api', 'jobs/metrics'],
  fastify: ['api'],
  '@fastify/*': ['api'],
  '@modelcontextprotocol/sdk': [
    'api/mcp',
    'api/agent/mcp-endpoint.ts',
    'api/operation/mcp-transport.ts',
  ],
  '@a2a-js/sdk': ['api/agent'],
  '@resvg/resvg-wasm': ['api/pictures/to-png.ts'],
  '@aws-sdk/*': [`${replica}/bucket.ts`],
  nodemailer: ['pipeline/live/send-mail.ts'],
  'oidc-provider': ['api/identity'],
  '@simplewebauthn/server': ['api/identity/passkeys.ts'],
  jose: ['api/auth/user-tokens.ts', 'api/responses/badge-token.ts', `${live}/id-token.ts`],
  yaml: ['api', 'scripts'],
  'js-yaml': [`${storyboards}/bundle-text.ts`],
  'modern-tar': [`${storyboards}/bundles/read-archive.ts`],
  ajv: [`${storyboards}/schemas.ts`],
  'ajv-formats': [`${storyboards}/schemas.ts`],
  tsx: [`${core}/thread.ts`],
  'lru-cache': [`${core}/ttl-cache.ts`, `${read}/cache`, store, 'api'],
  commander: ['scripts'],
  'cli-progress': ['scripts'],
  '@peculiar/x509': ['scripts/world'],
  autocannon: ['scripts/bench'],
  'node:dgram': [fetch, 'scripts'],
  'node:dns': [fetch, 'scripts'],
  'node:http': [fetch, 'jobs', 'scripts'],
  'node:http2': [fetch, 'scripts'],
  'node:https': [fetch, 'scripts'],
  'node:net': [fetch, 'jobs', 'scripts'],
  'node:tls': [fetch, 'scripts'],
}

export interface Import {
  specifier: string
  typeOnly: boolean
}

/** Lists static and dynamic imports and `export … from`, by patterns on the text. */
export function listImports(source: string): Import[] {
  const fromLine = /^(import|export)(\s+type)?\b[^'"]*?\bfrom\s*['"]([^'"]+)['"]/gm
  const bareOrDynamic = /(?:^import\s*|\bimport\(\s*)['"]([^'"]+)['"]/gm
  return [
    ...Array.from(source.matchAll(fromLine), ([, , type, specifier]) => ({
      specifier: specifier!,
      typeOnly: type !== undefined,
    })),
    ...Array.from(source.matchAll(bareOrDynamic), ([, specifier]) => ({
      specifier: specifier!,
      typeOnly: false,
    })),
  ]
}

/** Lists what a file does that it may not, each as a sentence. `path` is relative to the project, with slashes. */
export function findFaults(path: string, source: string): string[] {
  const imports = listImports(source)
  const faults = imports.map(({ specifier, typeOnly }) =>
    specifier.startsWith('.')
      ? findLayerFault(path, resolveTarget(path, specifier))
      : findDoorFault(path, specifier, typeOnly),
  )
  if (
    !isWithin(path, 'scripts') &&
    path !== codeSamples &&
    /\bprocess\.env\b|['"]node:process['"]/.test(source)
  ) {
    faults.push('only scripts/ reads process.env: settings are passed in')
  }
  return faults.filter(fault => fault !== undefined).map(fault => `${path}: ${fault}`)
}

function findLayerFault(path: string, target: string): string | undefined {
  const layer = findLayer(path)
  if (!layer) return `stands in no layer`
  const { folder, imports, because, never = {} } = layer
  const to = findLayer(target)?.folder
  if (to === folder || imports.some(place => isWithin(target, place))) return undefined
  const named = to === undefined || imports.some(place => isWithin(place, to)) ? target : to
  return `${folder}/ may not import ${named}: ${never[to ?? ''] ?? because}`
}

function findDoorFault(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const parts = specifier.split('/')
  const scoped = specifier.startsWith('@')
  const name = parts.slice(0, scoped ? 2 : 1).join('/')
  const places = doors[name] ?? (scoped ? doors[`${parts[0]}/*`] : undefined)
  if (name.startsWith('node:')) {
    if (typeOnly) return undefined
    const { folder, because, node } = findLayer(path)!
    if (node && !node.includes(name)) return `${folder}/ may not import ${name}: ${because}`
    if (!places) return undefined
  }
  if (!places) return `${name} has no place yet: give it one in test/arch/layers.ts`
  if (places.some(place => isWithin(path, place))) return undefined
  return `${name} may be imported only in ${places.join(', ')}`
}

/** Finds the innermost layer of a path. */
function findLayer(path: string): Layer | undefined {
  return layers
    .filter(({ folder }) => isWithin(path, folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0]
}

function resolveTarget(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1)
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}
