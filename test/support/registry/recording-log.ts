import type { Log } from '../../../pipeline/core/log.ts'

/** Creates a log that remembers every line, whatever its level. */
export function createRecordingLog(): { log: Log; said: string[] } {
  const said: string[] = []
  const write = (...line: unknown[]) => void said.push(JSON.stringify(line, withErrors))
  const log = {
    ...Object.fromEntries(['fatal', 'error', 'warn', 'info', 'debug'].map(name => [name, write])),
    child: () => log,
  } as unknown as Log
  return { log, said }
}

function withErrors(_: string, value: unknown) {
  return value instanceof Error ? `${value.stack} ${JSON.stringify({ ...value })}` : value
}
