import { createRequire } from 'node:module'
import { type DestinationStream, type Logger, pino } from 'pino'
import { describeFullDisk, isDiskFull } from './disk-full.ts'

export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'child'>

/** Logs an error with its message and stack under this name too. */
const serializers = { error: pino.stdSerializers.err }
const redact = ['authorization', 'headers.authorization', 'secret', 'token', '*.secret', '*.token']

const STDERR = 2
/** Time without a failed write after which a full disk is another one. */
const FULL_DISK_MS = 10 * 60_000

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

interface LogOptions {
  /** Folder of the stores, which a full disk is named by. */
  dir?: string
  to?: DestinationStream
}

/**
 * Creates a log of a role; by default it writes to stderr. Of a full disk, which many meet each second, it has one
 * sentence in place of their errors.
 */
export function createLog(
  role: string,
  level: string,
  { dir = 'DATA_DIR', to = openStderr() }: LogOptions = {},
): Log {
  const timestamp = pino.stdTimeFunctions.isoTime
  let fullAt = Number.NEGATIVE_INFINITY
  const log = pino(
    {
      level,
      base: { role },
      redact,
      serializers,
      timestamp,
      hooks: {
        logMethod(args, method) {
          const [facts] = args as unknown[]
          if (!hasDiskFull(facts)) return method.apply(this, args)
          const isRepeated = performance.now() - fullAt < FULL_DISK_MS
          fullAt = performance.now()
          if (!isRepeated) log.error(describeFullDisk(dir))
        },
      },
    },
    to,
  )
  return log
}

function hasDiskFull(facts: unknown): boolean {
  if (typeof facts !== 'object' || facts === null) return false
  const { error, err } = facts as { error?: unknown; err?: unknown }
  return isDiskFull(error ?? err)
}

/** Prints text for the person at the terminal as it is, at any level of the log, so that it can be copied. */
export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`)
}

export const silentLog: Log = pino({ level: 'silent' })
