import type { ChildProcess } from 'node:child_process'

/** Tells whether a child process has ended, by itself or by a signal. */
export function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined
}

/** Ends a child process: asks it to, kills it after `patienceMs`, and resolves once it is gone. */
export async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (hasEnded(child)) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(timer)
}

/** Tells whether a process with this pid exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Tells whether a supervisor started this process, which hears from it and speaks for all roles. */
export function hasSupervisor(): boolean {
  return process.send !== undefined && process.connected
}
