import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Programs and threads of a running registry, by the file that starts each. */
const programs = [
  'scripts/registry',
  'api/workers/worker',
  'pipeline/maintenance/inspect/index-status-thread',
  'pipeline/read/queries/agent-index-thread',
  'pipeline/replica/base-program',
  'pipeline/search/build-program',
  'pipeline/store/undamaged-thread',
]

/**
 * Packages that stay as they are installed: native ones, those that read files of their own or start threads
 * by path, those that few processes load, one whose module cannot be followed, and one (`@simplewebauthn/server`)
 * whose modules a bundle would load in another order than they need.
 */
const unbundled = [
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@bull-board/api',
  '@bull-board/fastify',
  '@duckdb/node-bindings',
  '@fastify/static',
  '@fontsource/unifontex',
  '@resvg/resvg-wasm',
  '@simplewebauthn/server',
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
 * Moves the chunks of a build that is replaced into the one that replaces it, for processes that began with the
 * old one and load a part late. Chunks that came from a still older build stay behind.
 */
export function moveChunks(old, current) {
  const [from, to] = [old, current].map(folder => join(folder, CHUNKS))
  if (!existsSync(join(old, STAMP)) || !existsSync(from)) return
  const begunAt = statSync(join(old, STAMP)).mtimeMs - BUILD_MS
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const isOwn = statSync(join(from, name)).mtimeMs >= begunAt
    if (isOwn && !existsSync(join(to, name))) renameSync(join(from, name), join(to, name))
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
