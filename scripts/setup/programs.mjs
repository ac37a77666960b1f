import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fail, run, say } from './run.mjs'

/**
 * Installs a Debian package where none of its programs is there and it may be installed. `programs`
 * are names under which systems know the same program.
 */
export function requireProgram(programs, name) {
  if (programs.some(isOnPath)) return
  const mayInstall = process.getuid?.() === 0 && isOnPath('apt-get')
  if (!mayInstall || process.env.REGISTRY_NO_INSTALL === '1') {
    fail(`${name} is missing. Install it; on Debian: apt-get install ${name}`)
  }
  say(`${name} is missing: installing it with apt …`)
  const { ok, output } = runWithoutServices(() => {
    const updated = runApt('update')
    return updated.ok ? runApt('install', '-y', '--no-install-recommends', name) : updated
  })
  if (!ok || !programs.some(isOnPath)) fail(`${output}\n${name} could not be installed.`)
}

function runApt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return run('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/**
 * Runs `install` without starting services: Debian starts one when it installs it, and exit status
 * 101 of this file forbids that.
 */
function runWithoutServices(install) {
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
