import { hasLimitHeaders } from './counted-limits.ts'
import {
  type RequestHeader,
  type ResponseHeader,
  requestHeaderTexts,
  responseHeaderTexts,
} from './header-texts.ts'
import type { DescribedOperation, OpenapiDocument, Reference } from './openapi-document.ts'
import type { Operation } from './operation.ts'

type Response = DescribedOperation['responses'][string]

/** The headers to which operations refer. */
export const headerComponents: Pick<OpenapiDocument['components'], 'headers' | 'parameters'> = {
  headers: responseHeaderTexts,
  parameters: Object.fromEntries(
    Object.entries(requestHeaderTexts).map(([name, text]) => [
      name,
      { name, in: 'header', ...text },
    ]),
  ),
}

/** Headers of each response to a limited request. */
export const limitHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
] as const

/** Lists the headers of an operation's successes: those that it declares, and those that follow from its declaration. */
export function listResponseHeaders(operation: Operation): readonly ResponseHeader[] {
  const { responseHeaders = [], cacheKey } = operation
  return [
    ...(cacheKey ? (['ETag'] as const) : []),
    ...responseHeaders,
    ...(responseHeaders.includes('X-Registry-Seq') ? (['X-Registry-As-Of'] as const) : []),
    ...(hasLimitHeaders(operation) ? limitHeaders : []),
  ]
}

/** Lists the headers that an operation reads: those that it declares, and those that follow from its declaration. */
export function listRequestHeaders(operation: Operation): readonly RequestHeader[] {
  const { requestHeaders = [], isIdempotent, quota } = operation
  const answered = listResponseHeaders(operation)
  return [
    ...requestHeaders,
    ...(answered.includes('ETag') ? (['If-None-Match'] as const) : []),
    ...(answered.includes('Last-Modified') ? (['If-Modified-Since'] as const) : []),
    ...(isIdempotent || quota ? (['Idempotency-Key'] as const) : []),
  ]
}

/** Describes headers of a response. */
export function buildHeaderReferences(names: readonly ResponseHeader[]): Pick<Response, 'headers'> {
  if (names.length === 0) return {}
  return {
    headers: Object.fromEntries(
      names.map(name => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  }
}

/** Describes the headers of a request. */
export function buildParameterReferences(operation: Operation): Reference[] {
  return listRequestHeaders(operation).map(name => ({ $ref: `#/components/parameters/${name}` }))
}

/** Describes the response to callers that have the content already, where there is one. */
export function describeNotModified(operation: Operation): [status: string, response: Response][] {
  const names = listResponseHeaders(operation)
  if (!names.includes('ETag')) return []
  return [
    [
      '304',
      { description: 'the response that you have is current', ...buildHeaderReferences(names) },
    ],
  ]
}
