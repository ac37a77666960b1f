import { type ChildProcess, fork } from 'node:child_process'
import cluster from 'node:cluster'
import type { Log } from '../pipeline/core/log.ts'
import { youngObjectsOption } from '../pipeline/core/thread.ts'
import { endProcess, hasEnded } from './child-process.ts'
import { type ProcessReport, requestMetrics } from './metrics/messages.ts'
import { RestartDelay } from './restart-delay.ts'

/** Message that a child sends over IPC once it is ready. */
export interface Ready {
  ready: Record<string, string>
}

/** Message of a child that cannot start: a sentence, told by whoever started it. */
export interface Failed {
  failed: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Time for a child to end by itself before it is killed. */
const END_MS = 10_000
/** Time that a process has until its first answer: on a busy machine it loads for long. */
const STARTING_MS = 60_000
const STDIO = ['ignore', 'inherit', 'inherit', 'ipc'] as const

/** A role to run as a child process. */
export interface ChildRole {
  name: string
  args: string[]
  env: Environment
  /** True when processes of this role share a port. */
  sharesPort?: boolean
  /** False for a process without metrics. */
  isMeasured?: boolean
}

interface Child {
  role: ChildRole
  restarts: number
  process: ChildProcess
  delay: RestartDelay
  isReady: boolean
  startedAt: number
  /** Tells whether it has told its metrics since. */
  hasAnswered: boolean
  /** Why it cannot start, as it says itself. */
  reason?: string | undefined
  /** Why it could not start the last time. */
  toldReason?: string | undefined
  restarting?: NodeJS.Timeout
  /** Resolves the promise of `start`. */
  resolve: (ready: Ready['ready']) => void
  reject: (error: Error) => void
}

/**
 * Keeps one child process per role running and restarts those that end, without affecting the others.
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
  }

  /** Asks every process that serves metrics for them; each has `waitMs` for its answer. */
  readReports(waitMs: number): Promise<ProcessReport[]> {
    const measured = this.#children.filter(({ role }) => role.isMeasured !== false)
    return Promise.all(measured.map(child => readReport(child, waitMs)))
  }

  /** Starts a role and resolves with its ready message. Fails when it ends for good before that. */
  start(role: ChildRole): Promise<Ready['ready']> {
    return new Promise((resolve, reject) => {
      const process = this.#fork(role)
      const delay = new RestartDelay()
      const child = {
        role,
        process,
        delay,
        restarts: 0,
        isReady: false,
        startedAt: performance.now(),
        hasAnswered: false,
        resolve,
        reject,
      }
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
  #fork({ args, env, sharesPort }: ChildRole): ChildProcess {
    const execArgv = [...process.execArgv, youngObjectsOption]
    if (!sharesPort) {
      return fork(this.#script, args, { env, execArgv, detached: true, stdio: [...STDIO] })
    }
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: this.#script, args, execArgv, stdio: [...STDIO] })
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
      if (typeof message !== 'object' || message === null) return
      if ('failed' in message) child.reason = (message as Failed).failed
      if (!('ready' in message)) return
      child.isReady = true
      child.toldReason = undefined
      child.resolve((message as Ready).ready)
    })
  }

  #onEnd(child: Child, how: { status: number | null; signal: NodeJS.Signals | null }): void {
    if (this.#isStopping) return
    const { name } = child.role
    if (!child.isReady && !this.#mayRecover()) {
      this.#children.splice(this.#children.indexOf(child), 1)
      child.reject(new Error(child.reason ?? describeEnd(name, how)))
      return
    }
    const restartMs = child.delay.next()
    const { reason } = child
    // On a full disk a role tries for hours, and ends for the same reason each time.
    const isRepeated = reason !== undefined && reason === child.toldReason
    child.toldReason = reason
    const facts = { child: name, ...how, reason, again_in_ms: restartMs }
    this.#log[isRepeated ? 'debug' : 'error'](facts, 'child ended')
    child.restarting = setTimeout(() => this.#restart(child), restartMs)
  }

  #restart(child: Child): void {
    child.restarts++
    child.reason = undefined
    child.startedAt = performance.now()
    child.hasAnswered = false
    child.process = this.#fork(child.role)
    this.#watch(child)
    const facts = { child: child.role.name, pid: child.process.pid }
    this.#log[child.toldReason === undefined ? 'info' : 'debug'](facts, 'child started again')
  }
}

async function readReport(child: Child, waitMs: number): Promise<ProcessReport> {
  const { role, process, restarts } = child
  const isRunning = !hasEnded(process)
  const values = isRunning ? await requestMetrics(process, waitMs) : undefined
  // Meanwhile another one may have been started in its place.
  if (values !== undefined && child.process === process) child.hasAnswered = true
  return {
    // Its subcommand: processes of one role are numbered in their names.
    role: role.args[0] ?? role.name,
    values,
    pid: isRunning ? process.pid : undefined,
    isStarting:
      isRunning && !child.hasAnswered && performance.now() - child.startedAt < STARTING_MS,
    restarts,
  }
}

function describeEnd(name: string, how: { status: number | null; signal: string | null }): string {
  return `the ${name} did not start (${how.signal ?? `status ${how.status}`})`
}
