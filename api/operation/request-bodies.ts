import type { FastifyInstance } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import { isNestedDeeper, JSON_LEVELS_MAX } from '../inputs/nesting.ts'

/**
 * Reads bodies as JSON. Deep nesting is refused before parsing: a megabyte of brackets takes a
 * hundred times as long to parse as text, and overflows the stack of recursive code.
 */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const packing = request.headers['content-encoding'] ?? 'identity'
    if (packing !== 'identity') {
      const packed = 'the body must not be compressed: Content-Encoding is not supported'
      return done(new PublicError('unsupported_media_type', packed))
    }
    const text = body as string
    // Many clients send the content type of a body but no body; the operation decides whether it requires one.
    if (text === '') return done(null, undefined)
    if (isNestedDeeper(text, JSON_LEVELS_MAX)) {
      const tooDeep = `body: is nested more than ${JSON_LEVELS_MAX} levels deep`
      return done(new PublicError('invalid_request', tooDeep))
    }
    if (!SURROGATE_ESCAPE.test(text)) return parse(request, text, done)
    return parse(request, text, (error, value) => {
      const place = error ? undefined : findLoneSurrogate(value)
      if (place === undefined) return done(error, value)
      const text = 'must be well-formed text: it contains half of a surrogate pair'
      return done(new PublicError('invalid_request', `${place || 'body'}: ${text}`))
    })
  })
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** First characters of every escaped surrogate in JSON, and of many complete pairs. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

/**
 * Finds the path to text in a JSON value that no store can hold and no URL can contain; empty for the root.
 */
function findLoneSurrogate(value: unknown, place = ''): string | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? place : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    if (LONE_SURROGATE.test(name)) return place
    const step = Array.isArray(value) ? `[${name}]` : place === '' ? name : `.${name}`
    const found = findLoneSurrogate(member, place + step)
    if (found !== undefined) return found
  }
  return undefined
}
