import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Prints a note to stderr: stdout belongs to the requested program. */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

export function fail(line) {
  say(line)
  process.exit(1)
}

/**
 * Runs a program to its end and collects its output. One that cannot be started counts as failed.
 */
export function run(program, args, options = {}) {
  const result = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  })
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim()
  return { ok: result.status === 0, output }
}

/** Runs `node ...args` in place of this process, with the same Node. */
export function execNode(...args) {
  execWith(process.execPath, ...args)
}

/**
 * Runs `node ...args` in place of this process, as far as Node can: same terminal, same exit.
 * Ctrl-C reaches this process from the terminal and again from npm; the child is in a process group
 * of its own, so that it gets each signal only from here, and only once. A second signal, sent on
 * purpose a moment later, gets through.
 */
export function execWith(node, ...args) {
  const leash = new URL('leash.mjs', import.meta.url).href
  const child = spawn(node, ['--import', leash, ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  let quietUntil = 0
  for (const signal of signals) {
    process.on(signal, () => {
      if (performance.now() < quietUntil) return
      quietUntil = performance.now() + 500
      child.kill(signal)
    })
  }
  child.once('error', error => fail(`cannot start node: ${error.message}`))
  child.once('exit', (status, signal) => {
    if (!signal) process.exit(status ?? 1)
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}
