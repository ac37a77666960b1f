import { type ChildProcess, fork } from 'node:child_process'
import type { Log } from '../pipeline/core/log.ts'

/** What a child says once it is up. */
export interface Ready {
  ready: Record<string, string>
}

export type Environment = Readonly<Record<string, string | undefined>>

const END_MS = 10_000
const RESTART_MS = 500
/** A role that ends this often within this time has a fault that a restart does not mend. */
const TRIES = 5
const WITHIN_MS = 60_000

interface Child {
  name: string
  args: string[]
  env: Environment
  process: ChildProcess
  ended: number[]
}

/**
 * Keeps one child process a role. A child that ends is started again; one that keeps ending ends
 * all. Children stand in process groups of their own, so that Ctrl-C reaches only the supervisor,
 * which ends them in order, the last one started first. They end by themselves when it is killed.
 */
export class Supervisor {
  readonly #script: string
  readonly #log: Log
  readonly #children: Child[] = []
  readonly #giveUp: (reason: string) => void
  #isEnding = false

  constructor(script: string, log: Log, giveUp: (reason: string) => void) {
    this.#script = script
    this.#log = log
    this.#giveUp = giveUp
  }

  /** Starts a role and waits until it says that it is up. */
  async start(name: string, args: string[], env: Environment): Promise<Record<string, string>> {
    const process = this.#fork(args, env)
    const child: Child = { name, args, env, process, ended: [] }
    this.#children.push(child)
    const ready = await readyOf(process, name)
    this.#watch(child)
    return ready
  }

  /** Process ids by role. */
  get pids(): Record<string, number> {
    return Object.fromEntries(this.#children.map(({ name, process }) => [name, process.pid ?? 0]))
  }

  async close(): Promise<void> {
    this.#isEnding = true
    for (const { process } of [...this.#children].reverse()) await end(process)
  }

  #fork(args: string[], env: Environment): ChildProcess {
    return fork(this.#script, args, {
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  #watch(child: Child): void {
    child.process.once('exit', (status, signal) => {
      if (this.#isEnding) return
      const now = performance.now()
      child.ended = [...child.ended.filter(at => now - at < WITHIN_MS), now]
      this.#log.error({ child: child.name, status, signal }, 'child ended')
      if (child.ended.length >= TRIES) this.#giveUp(`the ${child.name} keeps ending`)
      else setTimeout(() => this.#restart(child), RESTART_MS)
    })
  }

  #restart(child: Child): void {
    if (this.#isEnding) return
    child.process = this.#fork(child.args, child.env)
    this.#watch(child)
    this.#log.info({ child: child.name, pid: child.process.pid }, 'child started again')
  }
}

function readyOf(child: ChildProcess, name: string): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    child.on('message', message => {
      if (typeof message === 'object' && message !== null && 'ready' in message) {
        resolve((message as Ready).ready)
      }
    })
    child.once('exit', status => reject(new Error(`the ${name} did not start (status ${status})`)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await ended
  clearTimeout(timer)
}
