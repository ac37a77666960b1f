import { type ChildProcess, fork } from 'node:child_process'
import cluster from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from '../pipeline/core/log.ts'
import { isMetricsRequest, type MetricsAnswer } from './api-client/metrics-messages.ts'
import { endProcess } from './child-process.ts'
import { RestartDelay } from './restart-delay.ts'

/** Message of a child that is ready. */
export interface Ready {
  ready: Record<string, string>
}

export type Environment = Readonly<Record<string, string | undefined>>

const END_MS = 10_000
const STDIO = ['ignore', 'inherit', 'inherit', 'ipc'] as const

/** A role to run. */
export interface Role {
  name: string
  args: string[]
  env: Environment
  /** True when processes of this role share a port. */
  sharesPort?: boolean
}

interface Child {
  role: Role
  process: ChildProcess
  delay: RestartDelay
  isUp: boolean
  restarting?: NodeJS.Timeout
  up: (ready: Ready['ready']) => void
  failed: (error: Error) => void
}

/**
 * Keeps one child process per role running and restarts those that end, while the others go on.
 * Children end by themselves when the supervisor is killed.
 */
export class Supervisor {
  readonly #script: string
  readonly #log: Log
  readonly #children: Child[] = []
  readonly #mayRecover: () => boolean
  #isStopping = false

  /**
   * Creates the supervisor; `mayRecover` tells whether a role that ends before it was ready may become
   * ready later.
   */
  constructor(script: string, log: Log, mayRecover: () => boolean = () => false) {
    this.#script = script
    this.#log = log
    this.#mayRecover = mayRecover
    answerMetricsRequests()
  }

  /** Starts a role and resolves with its ready message. Fails when it ends for good before that. */
  start(role: Role): Promise<Ready['ready']> {
    return new Promise((up, failed) => {
      const process = this.#fork(role)
      const child = { role, process, delay: new RestartDelay(), isUp: false, up, failed }
      this.#children.push(child)
      this.#watch(child)
    })
  }

  /** Stops all in order, the last one started first. */
  async close(): Promise<void> {
    this.#isStopping = true
    for (const child of [...this.#children].reverse()) {
      clearTimeout(child.restarting)
      await endProcess(child.process, END_MS)
    }
  }

  /** Kills all at once. */
  kill(): void {
    this.#isStopping = true
    for (const { process } of this.#children) process.kill('SIGKILL')
  }

  /**
   * Starts children in process groups of their own, so that Ctrl-C reaches only the supervisor.
   * Roles that share a port accept connections from a socket of the supervisor: as long as one of
   * them runs, a connection waits instead of being refused.
   */
  #fork({ args, env, sharesPort }: Role): ChildProcess {
    if (!sharesPort) {
      return fork(this.#script, args, { env, detached: true, stdio: [...STDIO] })
    }
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: this.#script, args, stdio: [...STDIO] })
    return cluster.fork(env).process as ChildProcess
  }

  #watch(child: Child): void {
    let hasEnded = false
    const ended = (status: number | null, signal: NodeJS.Signals | null, error?: Error) => {
      if (hasEnded) return
      hasEnded = true
      this.#onEnd(child, { status, signal, ...(error && { error: error.message }) })
    }
    child.process.once('exit', ended)
    child.process.once('error', error => ended(null, null, error))
    child.process.on('message', message => {
      if (typeof message !== 'object' || message === null || !('ready' in message)) return
      child.isUp = true
      child.up((message as Ready).ready)
    })
  }

  #onEnd(child: Child, how: { status: number | null; signal: NodeJS.Signals | null }): void {
    if (this.#isStopping) return
    const { name } = child.role
    if (!child.isUp && !this.#mayRecover()) {
      this.#children.splice(this.#children.indexOf(child), 1)
      child.failed(new Error(`the ${name} did not start (${how.signal ?? `status ${how.status}`})`))
      return
    }
    const againInMs = child.delay.next()
    this.#log.error({ child: name, ...how, again_in_ms: againInMs }, 'child ended')
    child.restarting = setTimeout(() => this.#restart(child), againInMs)
  }

  #restart(child: Child): void {
    child.process = this.#fork(child.role)
    this.#watch(child)
    this.#log.info({ child: child.role.name, pid: child.process.pid }, 'child started again')
  }
}

/**
 * Answers metrics requests with the sum over the processes that share a port, since a scrape
 * reaches one of them at random. A process that gets no answer reports only its own.
 */
function answerMetricsRequests(): void {
  const all = new AggregatorRegistry()
  cluster.on('message', async (worker, message: unknown) => {
    if (!isMetricsRequest(message)) return
    const text = await all.clusterMetrics().catch(() => undefined)
    if (text === undefined || !worker.isConnected()) return
    const answer: MetricsAnswer = { metrics_answer: message.metrics_request, text }
    worker.send(answer, () => undefined)
  })
}
