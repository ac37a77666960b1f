import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buildBrowser, isBrowserBuilt } from './browser.mjs'
import { buildBundles, moveChunks, STAMP } from './bundle.mjs'
import { noteCommit } from './commit.mjs'
import { fail, root, run, say } from './run.mjs'
import { buildValidator } from './validator.mjs'

const folders = ['pipeline', 'jobs', 'api', 'scripts']
const files = [
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.declarations.json',
  'package-lock.json',
  'package.json',
  'scripts/setup/bundle.mjs',
  'scripts/setup/validator.mjs',
]
const tsc = 'node_modules/typescript/bin/tsc'
const dist = join(root, 'dist')

/** Builds what has changed since the last time: the programs for Node, and those for browsers. */
export async function build() {
  const stamp = hashSources()
  if (readStamp() !== stamp) await buildPrograms(stamp)
  noteCommit()
  if (!isBrowserBuilt()) await buildBrowser()
}

/**
 * Builds in a process of its own, if anything has changed: the compilers take nearly a gigabyte of memory, which a
 * program that starts in this process's place would otherwise keep for as long as it runs.
 */
export function requireBuild() {
  if (readStamp() === hashSources() && isBrowserBuilt()) return noteCommit()
  const build = [join(root, 'scripts/setup.mjs'), 'build']
  const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}

/**
 * Compiles and bundles into a folder beside dist/, then swaps the two: a running program never sees
 * half a build, and loads later what it has not loaded yet from the build that it began with.
 */
async function buildPrograms(stamp) {
  say('Building …')
  const fresh = join(root, `.dist-${process.pid}`)
  compile('tsconfig.build.json', fresh)
  compile('tsconfig.declarations.json', fresh)
  await buildValidator(fresh)
  await buildBundles(fresh)
  writeFileSync(join(fresh, STAMP), stamp)
  swap(fresh)
}

/**
 * Compiles without checking types, which would take most of a first start: `npm run check` does that.
 */
function compile(project, folder) {
  const { ok, output } = run(process.execPath, [tsc, '-p', project, '--outDir', folder])
  if (ok) return
  rmSync(folder, { recursive: true, force: true })
  fail(`${output}\nThe build failed.`)
}

/**
 * Hashes names, sizes and times of the sources, not their contents: it runs before every command.
 */
function hashSources() {
  const hash = createHash('sha256')
  for (const path of [...files, ...folders.flatMap(listSources)]) {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function listSources(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true })
    .filter(name => /\.tsx?$/.test(name) && !name.startsWith('pages/browser/'))
    .map(name => join(folder, name))
    .sort()
}

function readStamp() {
  try {
    return readFileSync(join(dist, STAMP), 'utf8')
  } catch {
    return undefined
  }
}

function swap(fresh) {
  const old = `${fresh}-old`
  try {
    renameSync(dist, old)
  } catch {
    // There is no build yet, or dist/ lies in an image layer whose folders cannot be renamed.
    rmSync(dist, { recursive: true, force: true })
  }
  try {
    renameSync(fresh, dist)
  } catch (error) {
    // Another process finished a build first; that one is kept.
    if (error.code !== 'ENOTEMPTY') throw error
    rmSync(fresh, { recursive: true, force: true })
  }
  moveChunks(old, dist)
  rmSync(old, { recursive: true, force: true })
}
