import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'
import { FairTurns } from '../limits/fair-turns.ts'
import { type TaskInput, type TaskName, type TaskResult, tasks } from './tasks.ts'
import type { TaskMessage, TaskReply } from './worker.ts'

/** Bodies up to this size are processed where they were read: that takes a few milliseconds. */
const SMALL_BYTES = 16 * 1024
const TASK_MS = 15_000
const IDLE_MS = 30_000
const HEAP_MB = 256
const THREADS_MAX = 2
const BUSY = 'too many files are being checked at once; try again'

/** Caller of a task, and the length of its body. */
export interface TaskAsked {
  caller: string
  bytes: number
}

/**
 * Runs the work on large bodies on threads beside the one that answers: started on demand, ended when idle.
 * Callers take turns.
 */
export class WorkerPool {
  readonly #threads = Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1))
  readonly #turns: FairTurns
  #pool: Piscina<TaskMessage, TaskReply> | undefined

  /** Creates a pool in which `most` tasks run or wait at once, since they hold their bodies in memory. */
  constructor(most: number) {
    const atOnce = Math.min(this.#threads, most)
    this.#turns = new FairTurns({ atOnce, waiting: most - atOnce, busy: BUSY })
  }

  async run<Name extends TaskName>(
    name: Name,
    { caller, bytes }: TaskAsked,
    ...input: TaskInput<Name>
  ): Promise<TaskResult<Name>> {
    if (bytes <= SMALL_BYTES) {
      const task: unknown = tasks[name]
      return (task as (...input: TaskInput<Name>) => TaskResult<Name>)(...input)
    }
    const reply = await this.#turns.run(caller, () => this.#send({ name, input }))
    if ('result' in reply) return reply.result as TaskResult<Name>
    const { error, text, fields } = reply.refused
    throw new PublicError(error, text, fields)
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  async #send(message: TaskMessage): Promise<TaskReply> {
    this.#pool ??= openPool(this.#threads)
    const signal = AbortSignal.timeout(TASK_MS)
    try {
      return await this.#pool.run(message, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
      return refuse('too_large', 'checking the file takes too long')
    }
  }
}

function openPool(maxThreads: number): Piscina<TaskMessage, TaskReply> {
  const isBuilt = import.meta.url.endsWith('.js')
  const filename = fileURLToPath(new URL(isBuilt ? './worker.js' : './worker.ts', import.meta.url))
  return new Piscina({
    filename,
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    env: {},
    execArgv: isBuilt ? [] : ['--import', 'tsx'],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
}
