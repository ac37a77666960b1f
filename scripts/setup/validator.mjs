import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

const NAME = 'agentic-ad-validator'

/**
 * Builds a package of its own that only validates files, without dependencies, from what was compiled into
 * `folder`: `npm pack dist/validator` packs it.
 */
export async function buildValidator(folder) {
  const built = join(folder, 'validator')
  mkdirSync(built, { recursive: true })
  const { version, license, engines, repository } = readPackage(root)
  const packages = await buildProgram(join(folder, 'scripts/validator.js'), built, version, engines)
  const fields = {
    name: NAME,
    version,
    description: 'Checks adagents.json and brand.json: files, and what a domain serves',
    license,
    repository,
    type: 'module',
    bin: { [NAME]: './validator.js' },
    // Not what a run from here has compiled.
    files: ['*.js', 'LICENSES.txt'],
    engines,
  }
  writeFileSync(join(built, 'package.json'), `${JSON.stringify(fields, null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(built, 'LICENSE'))
  writeFileSync(join(built, 'README.md'), buildReadme({ version, repository }))
  writeFileSync(join(built, 'LICENSES.txt'), collectLicenses(packages))
}

/** Builds the README from the document, whose neighbors are not in the package: links to them lead to the repository. */
function buildReadme({ version, repository }) {
  const folder = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}/docs`
  const text = readFileSync(join(root, 'docs/validator.md'), 'utf8')
  return text.replace(/\]\((?!https?:|#)/g, `](${folder}/`)
}

/** Builds the files of the program; returns the folders of the packages that are in it. */
async function buildProgram(program, built, version, engines) {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: { validator: program },
    platform: 'node',
    logLevel: 'silent',
    transform: {
      define: {
        'process.env.VALIDATOR_VERSION': JSON.stringify(version),
        'process.env.VALIDATOR_NODE': JSON.stringify(engines.node),
        // As in Node itself: without the parser of undici that is an experiment.
        esbuildDetection: 'true',
        'process.env.JEST_WORKER_ID': 'undefined',
      },
    },
    plugins: [takeClient, takeLate],
    // Its main file, for older loaders, finds its parts at run time.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    // Modules of stores are imported beside pure ones: nothing of theirs is used, so nothing of it stays.
    external: /^@duckdb\//,
    treeshake: { moduleSideEffects: false },
  })
  const { output } = await bundle.write({
    dir: built,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  const modules = output.flatMap(chunk => Object.keys(chunk.modules ?? {}))
  const found = modules.map(id => id.match(/^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)/)?.[1])
  return [...new Set(found.filter(path => path !== undefined))].sort()
}

/** Takes from undici its client alone, which is all that the crawler's connections use: the rest is four times as large. */
const takeClient = {
  name: 'take-client',
  resolveId: id => (id === 'undici' ? '\0undici-client' : null),
  load(id) {
    if (id !== '\0undici-client') return null
    const client = join(root, 'node_modules/undici/lib/dispatcher/client.js')
    return `export { default as Client } from ${JSON.stringify(client)}`
  },
}

/**
 * Modules of Node that commander needs for help and for programs of its own only. Each loads others, which would be a
 * tenth of a start: they are loaded when they are used, or not at all.
 */
const late = {
  'node:child_process': 'export default {}',
  'node:process': 'export default process',
  'node:util': `export const stripVTControlCharacters = text =>
    process.getBuiltinModule('node:util').stripVTControlCharacters(text)`,
}

const takeLate = {
  name: 'take-late',
  resolveId: (id, importer) =>
    id in late && importer?.includes('/node_modules/commander/') ? `\0late-${id}` : null,
  load: id => late[id.replace(/^\0late-/, '')] ?? null,
}

/** Joins the licenses of the bundled packages, which want to be passed on. */
function collectLicenses(folders) {
  const texts = folders.map(folder => {
    const { name, version, license } = readPackage(folder)
    const file = readdirSync(folder).find(name => /^licen[cs]e/i.test(name))
    const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8')
    return `${name} ${version}\n\n${text.trim()}\n`
  })
  return texts.join('\n---\n\n')
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
