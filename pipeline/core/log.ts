import { createRequire } from 'node:module'
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'child'>

/** Logs an error with its message and stack under this name too. */
const serializers = { error: pino.stdSerializers.err }
const redact = ['authorization', 'headers.authorization', 'secret', 'token', '*.secret', '*.token']

const STDERR = 2

/** Loads what only a terminal needs when it is needed: it is 40 files, and most processes have no terminal. */
const requireNow = createRequire(import.meta.url)

/**
 * Opens stderr: stdout is for the output of commands. Events are lines for people on a terminal, and lines
 * of JSON elsewhere.
 */
function openStderr(): DestinationStream {
  if (!process.stderr.isTTY) return pino.destination({ dest: STDERR, sync: true })
  const { build }: typeof import('pino-pretty') = requireNow('pino-pretty')
  return build({
    destination: STDERR,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'role',
    messageFormat: '{role}: {msg}',
    singleLine: true,
  })
}

/** Creates a log of a role; by default it writes to stderr. */
export function createLog(role: string, level: string, to: DestinationStream = openStderr()): Log {
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: { role }, redact, serializers, timestamp }, to)
}

/** Prints text for the person at the terminal as it is, at any level of the log, so that it can be copied. */
export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`)
}

export const silentLog: Log = pino({ level: 'silent' })
