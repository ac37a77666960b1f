import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'
import { FairQueue } from '../../pipeline/core/fair-queue.ts'
import { type TaskInput, type TaskName, type TaskResult, tasks } from './tasks.ts'
import type { TaskMessage, TaskReply } from './worker.ts'

/** Bodies up to this size are processed on the main thread, which takes a few milliseconds. */
const SMALL_BYTES = 16 * 1024
/** Time after which a task is stopped. */
const TASK_MS = 15_000
/** Time after which an idle thread ends. */
const IDLE_MS = 30_000
const HEAP_MB = 256
const THREADS_MAX = 2
const BUSY_MESSAGE = 'too many files are being checked at once; try again'

/** The caller of a task, and the length of its body in bytes. */
export interface TaskOrigin {
  caller: string
  bytes: number
}

/**
 * Runs work on large bodies on other threads than the one that answers requests. Threads start on demand and
 * end when idle. Callers take turns.
 */
export class WorkerPool {
  readonly #threads = Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1))
  readonly #queue: FairQueue<number>
  #pool: Piscina<TaskMessage, TaskReply> | undefined

  /** Creates a pool in which at most `tasksMax` tasks run or wait, since they hold their bodies in memory. */
  constructor(tasksMax: number) {
    const concurrency = Math.min(this.#threads, tasksMax)
    this.#queue = new FairQueue({
      tools: [...Array(concurrency).keys()],
      waitingMax: tasksMax - concurrency,
      refusal: BUSY_MESSAGE,
    })
  }

  /**
   * Runs a task on a body: on this thread if it is small, on another one if it is large. Throws the refusal
   * of the task; refuses with 503 if too many tasks wait, with 413 if the task takes too long.
   */
  async run<Name extends TaskName>(
    name: Name,
    { caller, bytes }: TaskOrigin,
    ...input: TaskInput<Name>
  ): Promise<TaskResult<Name>> {
    if (bytes <= SMALL_BYTES) {
      const task: unknown = tasks[name]
      return (task as (...input: TaskInput<Name>) => TaskResult<Name>)(...input)
    }
    const reply = await this.#queue.run(caller, () => this.#send({ name, input }))
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
