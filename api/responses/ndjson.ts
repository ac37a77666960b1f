import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { Log } from '../../pipeline/core/log.ts'

/** Lines written before other callers get a turn. */
const AT_ONCE = 200

export const NDJSON = 'application/x-ndjson'
/** Headers of lines that are always gzipped, whatever the caller accepts. */
export const gzippedLines = { 'content-type': NDJSON, 'content-encoding': 'gzip' } as const

/**
 * Sends items as gzipped JSON lines, no faster than the caller reads them. `done` is called once at the
 * end, also if the caller disconnected or the source failed, which the caller sees as an incomplete answer.
 */
export async function sendLines(
  response: ServerResponse,
  items: AsyncIterable<readonly unknown[]>,
  { log, done }: { log: Log; done: () => void },
): Promise<void> {
  await sendTexts(response, formatLines(items), { log, isGzipped: true })
  done()
}

/**
 * Sends texts no faster than the caller reads them. If the source fails, the caller sees an incomplete
 * answer.
 */
export async function sendTexts(
  response: ServerResponse,
  texts: AsyncIterable<string>,
  { log, isGzipped }: { log: Log; isGzipped: boolean },
): Promise<void> {
  try {
    const source = Readable.from(texts)
    await (isGzipped ? pipeline(source, createGzip(), response) : pipeline(source, response))
  } catch (error) {
    if (!response.destroyed) response.destroy()
    if (hasCallerLeft(error)) log.debug('a caller left before the end of a streamed answer')
    else log.warn({ error }, 'a streamed answer failed')
  }
}

function hasCallerLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

async function* formatLines(items: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const batch of items) {
    for (let start = 0; start < batch.length; start += AT_ONCE) {
      const lines = batch.slice(start, start + AT_ONCE).map(item => `${JSON.stringify(item)}\n`)
      yield lines.join('')
      await breathe()
    }
  }
}
