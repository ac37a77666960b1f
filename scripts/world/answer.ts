import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export type Ask = {
  method: string
  /** Without the query string. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Head = { status: number; headers: Readonly<Record<string, string>> }

/** Answer of a site, as data: the server sends it, a test can inspect it. */
export type Answer =
  | (Head & { kind: 'whole'; body: Buffer; etag?: string })
  | (Head & { kind: 'stream'; chunks: () => Iterable<Buffer> })
  | (Head & { kind: 'drip'; body: Buffer; everyMs: number })
  | (Head & { kind: 'cut'; body: Buffer; promisedBytes: number })
  | (Head & { kind: 'left_open'; body: Buffer })
  | { kind: 'hang' }
  | { kind: 'reset' }

const html = 'text/html; charset=utf-8'

/** Builds a file answer; the same bytes have the same ETag on every night and in every process. */
export function file(
  body: string | Buffer,
  type = 'application/json',
  more: Readonly<Record<string, string>> = {},
): Answer & { kind: 'whole' } {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body)
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`
  return {
    kind: 'whole',
    status: 200,
    headers: { 'content-type': type, ...more },
    body: bytes,
    etag,
  }
}

export function answerJson(document: unknown): Answer {
  return file(JSON.stringify(document, null, 2))
}

export function answerPage(title: string, text: string): Answer {
  const body = `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="${text}"></head><body><h1>${title}</h1><p>${text}</p></body></html>`
  return file(body, html)
}

export function answerStatus(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  const bare = code === 204 || code === 304
  const body = Buffer.from(bare ? '' : `<html><body><h1>${code}</h1></body></html>`)
  return { kind: 'whole', status: code, headers: { 'content-type': html, ...headers }, body }
}

export function redirect(to: string, code = 302): Answer {
  return answerStatus(code, { location: to })
}

/** Builds the answer of a call: never cached, so without an ETag. */
export function reply(
  code: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const type = { 'content-type': 'application/json' }
  return { kind: 'whole', status: code, headers: { ...type, ...headers }, body: bytes }
}
