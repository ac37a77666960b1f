import type { FastifyInstance } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'

/** Maximum levels of arrays and objects in a body; real requests have less than half. */
const NESTING_MAX = 64

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
    if (isDeeper(text, NESTING_MAX)) {
      const tooDeep = `body: is nested more than ${NESTING_MAX} levels deep`
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

function isDeeper(text: string, max: number): boolean {
  return hasMore(text, max) && isNestedDeeper(text, max)
}

/** Tells whether there are more brackets than allowed levels; this count is enough for most bodies. */
function hasMore(text: string, max: number): boolean {
  let count = 0
  for (const bracket of '[{') {
    for (let i = text.indexOf(bracket); i !== -1; i = text.indexOf(bracket, i + 1)) {
      if (++count > max) return true
    }
  }
  return false
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

function isNestedDeeper(text: string, max: number): boolean {
  let levels = 0
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (isText) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) isText = false
    } else if (char === QUOTE) isText = true
    else if (opening.has(char)) {
      if (++levels > max) return true
    } else if (closing.has(char)) levels--
  }
  return false
}
