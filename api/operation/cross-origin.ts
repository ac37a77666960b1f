import type { FastifyRequest } from 'fastify'
import { requestHeaderTexts, responseHeaderTexts } from './header-texts.ts'

/**
 * CORS headers for all origins. Credentials are sent only in a header that a page sets itself, so no page can
 * use the credential of its visitor without knowing it.
 */
export const anyOrigin = { 'access-control-allow-origin': '*' } as const

/** CORS headers of a preflight answer. */
export const preflight = {
  ...anyOrigin,
  'access-control-allow-headers': [
    'authorization',
    'content-type',
    ...listLowercase(requestHeaderTexts),
    'mcp-protocol-version',
    'mcp-session-id',
    'range',
    'x-request-id',
  ].join(', '),
  'access-control-max-age': '86400',
}

/** The header that lets scripts of other origins read our headers. */
export const exposed = {
  'access-control-expose-headers': [
    'accept-ranges',
    'content-range',
    ...listLowercase(responseHeaderTexts),
    'www-authenticate',
    'x-replica-lag',
    'x-request-id',
  ].join(', '),
}
const nothing = {}

function listLowercase(texts: object): string[] {
  return Object.keys(texts).map(name => name.toLowerCase())
}

/** Builds the header `exposed` for a request; one without an origin needs none. */
export function buildExposedHeaders({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  return headers.origin === undefined ? nothing : exposed
}
