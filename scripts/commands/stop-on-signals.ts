import type { Supervisor } from '../../jobs/supervisor.ts'

/** Time after a signal in which others count as the same: a closing terminal sends several at once. */
const SAME_SIGNAL_MS = 1_000

/**
 * Ends a program that runs roles: in order at a signal or with its parent, and at once at a second signal.
 * Everything that was accepted is on disk.
 */
export function stopOnSignals(supervisor: Supervisor, end: () => Promise<void>): void {
  // Writing to a closed terminal fails; the processes must still be stopped in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  let since: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (since !== undefined && performance.now() - since > SAME_SIGNAL_MS) supervisor.kill()
      if (since === undefined) printStopping(signal)
      since ??= performance.now()
      void end()
    })
  }
  process.on('disconnect', () => void end())
}

/** Answers whoever stops it, as the end may take seconds. */
function printStopping(signal: NodeJS.Signals): void {
  const again = signal === 'SIGINT' ? 'press Ctrl-C again' : 'send the signal again'
  process.stdout.write(`Stopping. Work in progress is finished first; ${again} to stop at once.\n`)
}
