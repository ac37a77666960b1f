import { setTimeout } from 'node:timers/promises'
import type { Log } from '../../pipeline/core/log.ts'
import { getMessage } from '../api-client/writer-client.ts'

export interface Loop {
  stop(): void
  ended: Promise<void>
}

/** Repeats a task, one run at a time; a failure is logged and does not end the loop. */
export function repeatEvery(
  ms: number | (() => number),
  log: Log,
  handle: () => Promise<unknown>,
): Loop {
  const stop = new AbortController()
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await handle().catch(error => log.error({ error: getMessage(error) }, 'loop failed'))
      await pause(typeof ms === 'number' ? ms : ms(), stop.signal)
    }
  })()
  return { stop: () => stop.abort(), ended }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined)
}
