import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { root } from './run.mjs'

const sources = join(root, 'api/pages/browser')
/** A higher one saves a tenth of the size and takes ten times as long. */
const BROTLI_QUALITY = 5

const built = join(root, 'dist-browser')
const stampFile = join(built, '.stamp')

/** Tells whether the programs that run in browsers are built from the present sources. */
export function isBrowserBuilt() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources()
}

/** Builds the programs that run in browsers, compressed too. */
export async function buildBrowser() {
  // Before the build: what changes meanwhile is built next time.
  const stamp = hashSources()
  const fresh = `${built}-${process.pid}`
  await buildInto(fresh)
  for (const name of readdirSync(fresh).filter(name => /\.(?:js|wasm)$/.test(name))) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
    const bytes = brotliCompressSync(readFileSync(join(fresh, name)), { params })
    writeFileSync(join(fresh, `${name}.br`), bytes)
  }
  writeFileSync(join(fresh, '.stamp'), stamp)
  rmSync(built, { recursive: true, force: true })
  renameSync(fresh, built)
}

async function buildInto(folder) {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'warn',
    root: sources,
    base: '/assets/browser/',
    build: {
      outDir: folder,
      emptyOutDir: false,
      assetsDir: '',
      manifest: 'manifest.json',
      modulePreload: false,
      rollupOptions: { input: join(sources, 'sql.ts') },
    },
  })
}

function hashSources() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const name of readdirSync(sources).sort()) {
    hash.update(name).update(readFileSync(join(sources, name)))
  }
  return hash.digest('hex')
}
