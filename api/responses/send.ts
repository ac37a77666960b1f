import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Compressor, type Encoding, isCompressible } from './compression.ts'
import { isUnchanged } from './freshness.ts'
import type { Sent } from './reply.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends an answer: 304 to a caller that has it, compressed if that is worthwhile and accepted. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Sent,
  compressor: Compressor,
): FastifyReply | Promise<FastifyReply> {
  const { status, body, type = JSON_TYPE, etag, modifiedAt, headers, release } = sent
  // Not earlier: the bytes may still be queued for writing, or a thread may be compressing them.
  if (release !== undefined) reply.raw.once('close', release)
  if (headers !== undefined) reply.headers(headers)
  if (etag !== undefined) reply.header('etag', `"${etag}"`)
  if (modifiedAt !== undefined) reply.header('last-modified', new Date(modifiedAt).toUTCString())
  if (isUnchanged(request.headers, sent)) return reply.code(304).send()
  if (status === 204) return reply.code(204).send()
  reply.code(status).header('content-type', type)
  const content = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
  if (!isCompressible(content.length, type)) return reply.send(content)
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`)
  const encoding = compressor.chooseEncoding(
    request.headers['accept-encoding'] as string | undefined,
  )
  if (encoding === undefined) return reply.send(content)
  const known = sent.compressed?.get(encoding)
  if (known !== undefined) return sendCompressed(reply, encoding, sent, known)
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return compressor.compress(bytes, encoding).then(compressed => {
    if (compressed === undefined) return reply.send(content)
    sent.compressed?.set(encoding, compressed)
    return sendCompressed(reply, encoding, sent, compressed)
  })
}

/** Sends a compressed answer. Its ETag is weak: the same content in other bytes. */
function sendCompressed(reply: FastifyReply, encoding: Encoding, { etag }: Sent, bytes: Buffer) {
  if (etag !== undefined) reply.header('etag', `W/"${etag}"`)
  return reply.header('content-encoding', encoding).send(bytes)
}
