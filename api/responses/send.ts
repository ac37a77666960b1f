import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ByteText } from '../../pipeline/read/lookups/byte-text.ts'
import { type Compressor, type Encoding, isCompressible } from './compression.ts'
import { isUnchanged } from './freshness.ts'
import { type Content, isContent, type Sent, toBytes } from './reply.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Sends an answer with these headers and its own: 304 to a caller that has it, compressed if that is worthwhile and
 * accepted.
 */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Sent,
  compressor: Compressor,
  ...shared: (Readonly<Record<string, string>> | undefined)[]
): void | Promise<void> {
  const { status, body, type = JSON_TYPE, etag, modifiedAt, release } = sent
  // Not earlier: the bytes may still be queued for writing, or a thread may be compressing them.
  if (release !== undefined) reply.raw.once('close', release)
  const headers: OutgoingHttpHeaders = Object.assign(reply.getHeaders(), ...shared, sent.headers)
  if (etag !== undefined) headers.etag = `"${etag}"`
  if (modifiedAt !== undefined) headers['last-modified'] = new Date(modifiedAt).toUTCString()
  if (isUnchanged(request.headers, sent)) return write(reply, 304, headers)
  if (status === 204) return write(reply, 204, headers)
  headers['content-type'] = type
  const content = isContent(body) ? body : JSON.stringify(body)
  if (!isCompressible(content.length, type)) return write(reply, status, headers, content)
  const { vary } = headers
  headers.vary = vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
  const accepted = request.headers['accept-encoding'] as string | undefined
  const encoding = compressor.chooseEncoding(accepted)
  if (encoding === undefined) return write(reply, status, headers, content)
  const known = sent.compressed?.get(encoding)
  if (known !== undefined) return writeCompressed(reply, headers, sent, encoding, known)
  reply.code(status)
  return compressor.compress(toBytes(content), encoding).then(compressed => {
    if (compressed === undefined) return write(reply, status, headers, content)
    sent.compressed?.set(encoding, compressed)
    return writeCompressed(reply, headers, sent, encoding, compressed)
  })
}

/** Writes a compressed answer. Its ETag is weak: the same content in other bytes. */
function writeCompressed(
  reply: FastifyReply,
  headers: OutgoingHttpHeaders,
  { status, etag }: Sent,
  encoding: Encoding,
  bytes: Buffer,
): void {
  if (etag !== undefined) headers.etag = `W/"${etag}"`
  headers['content-encoding'] = encoding
  write(reply, status, headers, bytes)
}

/** Writes an answer to its connection, past the framework: it would copy the headers and measure the content. */
function write(
  reply: FastifyReply,
  status: number,
  headers: OutgoingHttpHeaders,
  content?: Content,
): void {
  const { raw } = reply
  const bytes = content === undefined ? 0 : measureBytes(content)
  if (content !== undefined) headers['content-length'] = String(bytes)
  raw.writeHead(status, headers)
  reply.hijack()
  if (content instanceof ByteText) raw.end(content.bytes, 'latin1')
  // Text of as many bytes as characters is ASCII, which is written without being encoded.
  else if (typeof content === 'string' && bytes === content.length) raw.end(content, 'latin1')
  else raw.end(content)
}

function measureBytes(content: Content): number {
  return typeof content === 'string' ? Buffer.byteLength(content) : content.length
}
