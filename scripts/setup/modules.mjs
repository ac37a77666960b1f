import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root, say } from './run.mjs'

const read = path => JSON.parse(readFileSync(join(root, path), 'utf8'))

/**
 * Installs exactly the packages of package-lock.json; does nothing where they are there already.
 */
export function installModules() {
  if (isInstalled()) return
  say('Installing the locked packages (npm ci) …')
  const args = ['ci', '--include=dev', '--loglevel=error', '--no-update-notifier']
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error) fail(`npm could not be started: ${error.message}`)
  if (status !== 0) fail('npm ci failed: see its message above.')
}

/**
 * Compares the lock with npm's own record, which npm writes last: an interrupted install has none.
 */
function isInstalled() {
  try {
    const present = read('node_modules/.package-lock.json').packages
    return Object.entries(read('package-lock.json').packages).every(
      ([path, { version, optional }]) =>
        path === '' || optional || present[path]?.version === version,
    )
  } catch {
    return false
  }
}
