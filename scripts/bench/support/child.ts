import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { settings } from '../../../pipeline/core/config.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { youngObjectsOption } from '../../../pipeline/core/thread.ts'

export interface ChildOptions {
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Called with each line of its stderr. */
  onLine?: (line: string) => void
}

/** Folder of the project, found from the sources and from `dist` alike. */
export const root = fileURLToPath(new URL('.', import.meta.url)).replace(
  /(\/dist)?\/scripts\/bench\/support\/$/,
  '',
)
/** Folder of the compiled programs. */
export const builtFolder = fileURLToPath(new URL('../../..', import.meta.url))

const STDERR_CHARS_MAX = 4_000

/**
 * Runs a program in a child process: it reports that it is ready, answers one question at a time,
 * and is ended from here.
 */
export class Child<Ready, Question, Answer> {
  readonly ready: Ready
  readonly pid: number
  readonly #process: ChildProcess
  readonly #failure: Promise<never>

  private constructor(ready: Ready, child: ChildProcess, failure: Promise<never>) {
    this.ready = ready
    this.pid = requireValue(child.pid, 'process id')
    this.#process = child
    this.#failure = failure
  }

  static async start<Ready, Question = never, Answer = never>(
    file: string,
    { args = [], env = {}, onLine }: ChildOptions = {},
  ): Promise<Child<Ready, Question, Answer>> {
    const child = spawn(process.execPath, [youngObjectsOption, '--expose-gc', file, ...args], {
      cwd: root,
      env: { ...buildEnvironment(), ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    if (onLine && child.stderr) createInterface({ input: child.stderr }).on('line', onLine)
    const failure = failOnExit(file, child)
    const ready = await Promise.race([readMessage(child), failure])
    return new Child<Ready, Question, Answer>((ready as { ready: Ready }).ready, child, failure)
  }

  async ask(question: Question): Promise<Answer> {
    const answer = readMessage(this.#process)
    this.#process.send(question as object)
    return (await Promise.race([answer, this.#failure])) as Answer
  }

  async stop(): Promise<void> {
    this.#failure.catch(() => undefined)
    const ended = new Promise(resolve => this.#process.once('exit', resolve))
    this.#process.kill('SIGTERM')
    await ended
  }
}

/** Copies this process's environment without the registry's settings. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(settings, name)))
}

function readMessage(child: ChildProcess): Promise<unknown> {
  return new Promise(resolve => child.once('message', resolve))
}

function failOnExit(file: string, child: ChildProcess): Promise<never> {
  let stderrTail = ''
  child.stderr?.on('data', chunk => {
    stderrTail = (stderrTail + chunk).slice(-STDERR_CHARS_MAX)
  })
  const failure = new Promise<never>((_, reject) => {
    child.once('exit', status => reject(new Error(`${file} ended with ${status}:\n${stderrTail}`)))
  })
  failure.catch(() => undefined)
  return failure
}

/**
 * Reports to the parent that this process is ready, then answers its questions until it
 * disconnects.
 */
export function serveParent<Question, Answer>(
  ready: object,
  answer: (question: Question) => Promise<Answer>,
): void {
  process.on('message', question => {
    answer(question as Question).then(
      found => process.send?.(found),
      error => {
        process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
        process.exit(1)
      },
    )
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ ready })
}
