import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'child'>

/** Logs an error with its message and stack under this name too. */
const serializers = { error: pino.stdSerializers.err }
const redact = ['authorization', 'headers.authorization', 'secret', 'token', '*.secret', '*.token']

/** Creates a log that writes one line of JSON per event to stderr; stdout is for the output of commands. */
export function createLog(
  role: string,
  level: string,
  to: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Log {
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: { role }, redact, serializers, timestamp }, to)
}

export const silentLog: Log = pino({ level: 'silent' })
