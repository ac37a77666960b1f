import { existsSync, linkSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Programs and threads of a running registry, by the file that starts each. */
const programs = [
  'scripts/registry',
  'api/workers/worker',
  'pipeline/read/queries/agent-index-thread',
  'pipeline/replica/base-program',
  'pipeline/search/build-program',
]

/**
 * Packages that stay as they are installed: native ones, those that read files of their own or start threads
 * by path, those that few processes load, and one whose module cannot be followed.
 */
const unbundled = [
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@bull-board/api',
  '@bull-board/fastify',
  '@duckdb/node-bindings',
  '@fastify/static',
  '@resvg/resvg-wasm',
  '@scalar/fastify-api-reference',
  'dejavu-fonts-ttf',
  'jsonc-parser',
  'lmdb',
  'msgpackr-extract',
  'oidc-provider',
  'pino',
  'pino-pretty',
  'piscina',
]

/** File in a build that is written last and names the sources that it was made of. */
export const STAMP = '.stamp'
const CHUNKS = 'chunks'
/** Longest time in which the files of one build are written. */
const BUILD_MS = 60_000

/** Stands for the address of a module's file until it is known which file the module ends up in. */
const ADDRESS = '__MODULE_ADDRESS__'

/**
 * Joins the modules of each program, and those of its packages, into a few files, in place of the program that
 * was compiled into this folder: to find and read a thousand files is most of the work of starting one.
 */
export async function buildBundles(folder, names = programs) {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: Object.fromEntries(names.map(name => [name, join(folder, `${name}.js`)])),
    platform: 'node',
    external: id => unbundled.some(name => id === name || id.startsWith(`${name}/`)),
    logLevel: 'silent',
    plugins: [keepAddresses(folder)],
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
    keepNames: true,
  })
  await bundle.close()
}

/**
 * Puts the chunks of the build before into a new one, for processes that run since then and load a part late.
 * Those that had been kept there in the same way are left out.
 */
export function keepPreviousChunks(previous, fresh) {
  if (!existsSync(join(previous, STAMP)) || !existsSync(join(previous, CHUNKS))) return
  const begunAt = statSync(join(previous, STAMP)).mtimeMs - BUILD_MS
  mkdirSync(join(fresh, CHUNKS), { recursive: true })
  for (const name of readdirSync(join(previous, CHUNKS))) {
    const [old, kept] = [previous, fresh].map(folder => join(folder, CHUNKS, name))
    if (statSync(old).mtimeMs >= begunAt && !existsSync(kept)) linkSync(old, kept)
  }
}

/** Keeps `import.meta.url` the address of the file that a module was compiled to, which finds others by it. */
function keepAddresses(folder) {
  return {
    name: 'keep-addresses',
    transform(code, id) {
      if (!id.startsWith(join(folder, '/')) || !code.includes('import.meta.url')) return null
      const place = JSON.stringify(relative(folder, id))
      return { code: code.replaceAll('import.meta.url', `${ADDRESS}(${place})`), map: null }
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(ADDRESS)) return null
      const up = '../'.repeat(fileName.split('/').length - 1)
      const addresses = new RegExp(`${ADDRESS}\\("([^"]+)"\\)`, 'g')
      const resolve = (_, place) => `new URL("./${up}${place}", import.meta.url).href`
      return { code: code.replace(addresses, resolve), map: null }
    },
  }
}
