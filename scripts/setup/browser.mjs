import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { root } from './run.mjs'

const sources = join(root, 'api/pages/browser')
/** A higher one saves a tenth of the size and takes ten times as long. */
const BROTLI_QUALITY = 5

/** Builds the programs that run in browsers, compressed too, unless that was done of the same sources. */
export async function buildBrowser(built = join(root, 'dist-browser')) {
  const stamp = hashSources()
  if (existsSync(join(built, '.stamp')) && readFileSync(join(built, '.stamp'), 'utf8') === stamp)
    return
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

/** Builds into `folder`. Vite sets NODE_ENV for its process, which would go on to the program that is started next. */
async function buildInto(folder) {
  const { NODE_ENV } = process.env
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
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
}

function hashSources() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const name of readdirSync(sources).sort()) {
    hash.update(name).update(readFileSync(join(sources, name)))
  }
  return hash.digest('hex')
}
