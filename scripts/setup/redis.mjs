import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fail, run, say } from './run.mjs'

/** Jobs need a redis-server program; the processes of the registry start and end their own. */
export function requireRedis() {
  if (isOnPath('redis-server')) return
  const mayInstall = process.getuid?.() === 0 && isOnPath('apt-get')
  if (!mayInstall || process.env.REGISTRY_NO_INSTALL === '1') {
    fail('redis-server is missing. Install it; on Debian: apt-get install redis-server')
  }
  say('redis-server is missing: installing it with apt …')
  const { ok, output } = withoutServices(() => {
    const updated = apt('update')
    return updated.ok ? apt('install', '-y', '--no-install-recommends', 'redis-server') : updated
  })
  if (!ok || !isOnPath('redis-server')) fail(`${output}\nredis-server could not be installed.`)
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return run('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Debian starts a service when it installs one; the exit status 101 of this file forbids it. */
function withoutServices(install) {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return install()
  const keepGoing = () => {}
  process.on('SIGINT', keepGoing).on('SIGTERM', keepGoing)
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return install()
  } finally {
    rmSync(policy, { force: true })
    process.off('SIGINT', keepGoing).off('SIGTERM', keepGoing)
  }
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
