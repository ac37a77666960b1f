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
const crawl = 'pipeline/crawl'
const resolve = 'pipeline/resolve'
const diff = 'pipeline/diff'
const live = 'pipeline/live'
const index = 'pipeline/index'
const answers = ['reader.ts', 'points', 'queries'].map(name => `${index}/${name}`)

/** Read files that a caller proposes, with what the crawler knows of such files; they fetch nothing. */
const parsers = [`${crawl}/check-adagents.ts`, `${crawl}/check-brand.ts`]

export const layers: Layer[] = [
  { folder: core, imports: [], because: 'core knows nothing of ours' },
  { folder: model, imports: [core], because: 'a model is only a shape', node: computing },
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
  { folder: fetch, imports: [core], because: 'fetching does not know what a brand is' },
  {
    folder: crawl,
    imports: [core, model, fetch],
    because: 'a crawl returns observations and writes nowhere',
    node: computing,
  },
  {
    folder: live,
    imports: [core, model, fetch, crawl, resolve, diff, `${index}/answers.ts`],
    because: 'it asks the web now, answers by the rules, and writes nowhere',
    node: computing,
  },
  {
    folder: index,
    imports: [core, model, resolve, diff],
    because: 'the index is made of observations',
    never: {
      [fetch]: 'the index asks nobody, it is told',
      [crawl]: 'the index asks nobody, it is told',
    },
  },
  {
    folder: 'jobs',
    imports: ['pipeline'],
    because: 'jobs say when things run',
    never: { api: 'jobs do not serve HTTP' },
  },
  {
    folder: 'api',
    imports: [core, model, resolve, ...answers, ...parsers, 'jobs/enqueue.ts', 'jobs/redis.ts'],
    because: 'the API reads stores and asks by jobs',
    never: {
      [fetch]: 'the API has no way out to the network',
      [crawl]: 'the API has no way out to the network',
      [index]: 'the API reads only, through reader, points and queries',
      jobs: 'the API asks through enqueue and redis',
    },
  },
  {
    folder: 'scripts/world',
    imports: [],
    because: 'the demo internet must not share the mistakes of what it tests',
  },
  {
    folder: 'scripts',
    imports: ['pipeline', 'jobs', 'api', 'scripts/world'],
    because: 'it is not built',
  },
]

/** Where each outside package, and each way out to the network, may be imported. */
export const doors: Record<string, string[]> = {
  zod: ['pipeline', 'jobs', 'api', 'scripts'],
  pino: [core],
  tldts: [core],
  'idn-hostname': [core],
  unhomoglyph: [`${core}/look.ts`],
  'cron-parser': [`${core}/schedule.ts`],
  undici: [fetch],
  'ipaddr.js': [fetch],
  'p-limit': [`${crawl}/crawl-batch.ts`],
  cheerio: [`${crawl}/home-page.ts`],
  '@duckdb/node-api': [`${index}/duckdb.ts`],
  lmdb: [`${index}/serving.ts`, `${index}/search/file.ts`],
  bullmq: ['jobs'],
  ioredis: ['jobs/redis.ts'],
  'prom-client': ['api', 'jobs'],
  fastify: ['api'],
  '@fastify/*': ['api'],
  '@modelcontextprotocol/sdk': ['api/mcp'],
  jose: ['api/user-tokens.ts'],
  yaml: ['api', 'scripts'],
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

/** Static and dynamic imports and `export … from`, read as text: no compiler is at hand to ask. */
export function importsOf(source: string): Import[] {
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

/** What a file may not do, each as a sentence. `path` is relative to the project, with slashes. */
export function faultsOf(path: string, source: string): string[] {
  const imports = importsOf(source)
  const faults = imports.map(({ specifier, typeOnly }) =>
    specifier.startsWith('.')
      ? layerFault(path, targetOf(path, specifier))
      : doorFault(path, specifier, typeOnly),
  )
  if (!isWithin(path, 'scripts') && /\bprocess\.env\b|['"]node:process['"]/.test(source)) {
    faults.push('only scripts/ reads process.env: settings are passed in')
  }
  return faults.filter(fault => fault !== undefined).map(fault => `${path}: ${fault}`)
}

function layerFault(path: string, target: string): string | undefined {
  const layer = layerOf(path)
  if (!layer) return `stands in no layer`
  const { folder, imports, because, never = {} } = layer
  const to = layerOf(target)?.folder
  if (to === folder || imports.some(place => isWithin(target, place))) return undefined
  const named = to === undefined || imports.some(place => isWithin(place, to)) ? target : to
  return `${folder}/ may not import ${named}: ${never[to ?? ''] ?? because}`
}

function doorFault(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const parts = specifier.split('/')
  const scoped = specifier.startsWith('@')
  const name = parts.slice(0, scoped ? 2 : 1).join('/')
  const places = doors[name] ?? (scoped ? doors[`${parts[0]}/*`] : undefined)
  if (name.startsWith('node:')) {
    if (typeOnly) return undefined
    const { folder, because, node } = layerOf(path)!
    if (node && !node.includes(name)) return `${folder}/ may not import ${name}: ${because}`
    if (!places) return undefined
  }
  if (!places) return `${name} has no place yet: give it one in test/arch/layers.ts`
  if (places.some(place => isWithin(path, place))) return undefined
  return `${name} may be imported only in ${places.join(', ')}`
}

/** The innermost layer a path stands in. */
function layerOf(path: string): Layer | undefined {
  return layers
    .filter(({ folder }) => isWithin(path, folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0]
}

function targetOf(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1)
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}
