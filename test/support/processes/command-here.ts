import { vi } from 'vitest'
import { describeError } from '../../../scripts/command-line/describe-error.ts'
import { buildProgram } from '../../../scripts/command-line/program.ts'
import { buildEnvironment, type Environment, type Finished, SCRIPT } from './command.ts'

/** Thrown where a command ends its process. */
class Exit extends Error {
  readonly status: number

  constructor(status: number) {
    super(`exit ${status}`)
    this.status = status
  }
}

/**
 * Runs a command in this process, with these settings and no others: for cases about what it says and returns, as a
 * start of its own takes most of the time of a command that refuses.
 */
export async function runHere(args: readonly string[], env: Environment): Promise<Finished> {
  const said = { stdout: '', stderr: '' }
  const { argv, env: own, exitCode } = process
  const listeners = process.stdout.listeners('error')
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      said[name] += text
      return true
    }),
  )
  const exit = vi.spyOn(process, 'exit').mockImplementation(status => {
    throw new Exit(Number(status ?? 0))
  })
  process.argv = [process.execPath, SCRIPT, ...args]
  process.env = buildEnvironment(env)
  process.exitCode = undefined
  try {
    await buildProgram().parseAsync()
    return { status: Number(process.exitCode ?? 0), ...said }
  } catch (error) {
    if (error instanceof Exit) return { status: error.status, ...said }
    return { status: 1, stdout: said.stdout, stderr: `${said.stderr}${describeError(error)}\n` }
  } finally {
    for (const spy of [...spies, exit]) spy.mockRestore()
    for (const listener of process.stdout.listeners('error'))
      if (!listeners.includes(listener)) process.stdout.off('error', listener as () => void)
    Object.assign(process, { argv, env: own, exitCode })
  }
}
