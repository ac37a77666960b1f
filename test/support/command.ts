import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const SCRIPT = 'dist/scripts/registry.js'

export type Environment = Record<string, string | undefined>

export interface Finished {
  status: number | null
  stdout: string
  stderr: string
}

/** The built command line as a process. */
export class Command {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''

  constructor(args: string[], env: Environment = {}) {
    this.child = spawn(process.execPath, [SCRIPT, ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    })
    this.child.stdout?.on('data', text => {
      this.stdout += text
    })
    this.child.stderr?.on('data', text => {
      this.stderr += text
    })
  }

  /** Resolves when stdout matches; throws with all output when the process ends before, or too late. */
  async says(pattern: RegExp, seconds: number): Promise<RegExpExecArray> {
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end && this.child.exitCode === null) {
      const match = pattern.exec(this.stdout)
      if (match) return match
      await pause(50)
    }
    const { exitCode, signalCode } = this.child
    const how = exitCode ?? signalCode ?? `not within ${seconds} s`
    throw new Error(`never said ${pattern} (${how}):\n${this.stdout}\n${this.stderr}`)
  }

  async finish(): Promise<Finished> {
    if (this.child.exitCode === null && this.child.signalCode === null)
      await once(this.child, 'exit')
    return { status: this.child.exitCode, stdout: this.stdout, stderr: this.stderr }
  }

  /** Ends it as Ctrl-C does, and waits. */
  interrupt(): Promise<Finished> {
    this.child.kill('SIGINT')
    return this.finish()
  }
}

export function registry(args: string[], env: Environment = {}): Promise<Finished> {
  return new Command(args, env).finish()
}

/** What a command prints that must succeed. */
export async function printed(args: string[], env: Environment = {}): Promise<string> {
  const { status, stdout, stderr } = await registry(args, env)
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'registry-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

export async function until<Value>(
  work: () => Promise<Value | undefined | false>,
  seconds: number,
): Promise<Value> {
  for (const end = performance.now() + seconds * 1_000; ; await pause(100)) {
    const value = await work().catch(() => undefined)
    if (value) return value
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${work}`)
  }
}
