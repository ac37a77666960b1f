import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { generousTimeouts } from '../registry/generous-limits.ts'

export const SCRIPT = 'dist/scripts/registry.js'
/** Seconds after which a test gives up waiting. */
const TIMEOUT_S = 300
/** Shorter timeouts than patience would have: the web of a test has hosts that never answer. */
export const webTimeouts = {
  connectMs: 15_000,
  nameMs: 15_000,
  fetchMs: 15_000,
  documentMs: 30_000,
  probeMs: 25_000,
  agentCardMs: 25_000,
}

export type Environment = Record<string, string | undefined>

export interface Finished {
  status: number | null
  stdout: string
  stderr: string
}

/** The built command line as a process. */
export class Command {
  readonly child: ChildProcess
  readonly #closed: Promise<unknown>
  stdout = ''
  stderr = ''

  /** Starts the command; `through` is a command, such as `unshare`, that runs the one after it. */
  constructor(args: string[], env: Environment = {}, through: string[] = []) {
    const [program, ...rest] = [...through, process.execPath, SCRIPT, ...args]
    this.child = spawn(program!, rest, { env: buildEnvironment(env) })
    // 'close', not 'exit': the last output may arrive after the exit.
    this.#closed = once(this.child, 'close')
    this.child.stdout?.setEncoding('utf8').on('data', text => {
      this.stdout += text
    })
    this.child.stderr?.setEncoding('utf8').on('data', text => {
      this.stderr += text
    })
  }

  /** Resolves when stdout matches; throws with all output when the process ends before, or too late. */
  async waitForOutput(pattern: RegExp, seconds = TIMEOUT_S): Promise<RegExpExecArray> {
    const end = performance.now() + seconds * 1_000
    for (let isOver = false; !isOver; ) {
      const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null
      if (hasEnded) await this.#closed
      isOver = hasEnded || performance.now() > end
      const match = pattern.exec(this.stdout)
      if (match) return match
      await pause(50)
    }
    const { exitCode, signalCode } = this.child
    const how = exitCode ?? signalCode ?? `not within ${seconds} s`
    throw new Error(`never printed ${pattern} (${how}):\n${this.stdout}\n${this.stderr}`)
  }

  async finish(): Promise<Finished> {
    await this.#closed
    return { status: this.child.exitCode, stdout: this.stdout, stderr: this.stderr }
  }

  /** Ends it as Ctrl-C does, and waits. */
  interrupt(): Promise<Finished> {
    this.child.kill('SIGINT')
    return this.finish()
  }
}

export function runRegistry(args: string[], env: Environment = {}): Promise<Finished> {
  return new Command(args, env).finish()
}

/** Builds all that a command finds in its environment. */
export function buildEnvironment(env: Environment): Environment {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CRAWL_SCHEDULE: buildDistantSchedule(),
    // That web is one process, which answers many at once late.
    CRAWL_CONCURRENCY: '16',
    ...env,
    LIMITS: formatLimits(env),
  }
}

/** Formats the limits of commands and roles: generous, except for those that a test sets. */
function formatLimits({ LIMITS = '{}' }: Environment): string {
  return JSON.stringify({ ...generousTimeouts, ...webTimeouts, ...JSON.parse(LIMITS) })
}

/** Builds a crawl schedule by which no known file is due again while a test runs. */
function buildDistantSchedule(): string {
  const now = new Date()
  return `${now.getUTCMinutes()} ${(now.getUTCHours() + 12) % 24} * * *`
}

/** Runs a command that must succeed, and returns its trimmed stdout. */
export async function runForOutput(args: string[], env: Environment = {}): Promise<string> {
  const { status, stdout, stderr } = await runRegistry(args, env)
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

export function makeTemporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'registry-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Finds a port that nobody listens on, outside the ephemeral range, so that no outgoing connection takes it before
 * the server of the test is up.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise(resolve => server.close(resolve))
    if (isFree) return port
  }
}

/** Repeats the work ten times a second until it returns something truthy, and returns that. */
export async function waitUntil<Value>(
  work: () => Promise<Value | undefined | false>,
  seconds = TIMEOUT_S,
): Promise<Value> {
  for (const end = performance.now() + seconds * 1_000; ; await pause(100)) {
    const value = await work().catch(() => undefined)
    if (value) return value
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${work}`)
  }
}
