import { setTimeout } from 'node:timers/promises'
import { isDiskFull } from '../../pipeline/core/disk-full.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { getMessage } from '../api-client/writer-client.ts'

export interface Loop {
  stop(): void
  ended: Promise<void>
}

/** Repeats a task, one run at a time. A failure does not end the loop; it is logged once, until it is another one or over. */
export function repeatEvery(
  ms: number | (() => number),
  log: Log,
  handle: () => Promise<unknown>,
): Loop {
  const stop = new AbortController()
  let logged: string | undefined
  const fail = (cause: unknown) => {
    const error = getMessage(cause)
    const level = error === logged ? 'debug' : 'error'
    // The log has one sentence for a full disk, whoever meets it.
    log[level]({ error: isDiskFull(cause) ? cause : error }, 'loop failed')
    logged = error
  }
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await handle().then(() => {
        logged = undefined
      }, fail)
      await pause(typeof ms === 'number' ? ms : ms(), stop.signal)
    }
  })()
  return { stop: () => stop.abort(), ended }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined)
}
