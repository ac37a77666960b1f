import { formatCount } from '../../pipeline/core/counts.ts'
import {
  type PublicErrorEntry,
  type PublicErrorName,
  publicErrors,
} from '../../pipeline/core/errors.ts'
import { limitMeanings, limits } from '../../pipeline/core/limits.ts'
import { ErrorBody } from '../../pipeline/model/responses/index.ts'
import { hasLimitHeaders, listCountedLimits } from './counted-limits.ts'
import { type Json, toReference } from './json-schema.ts'
import type { DescribedOperation } from './openapi-document.ts'
import { buildHeaderReferences, limitHeaders } from './openapi-headers.ts'
import type { Operation } from './operation.ts'
import { refuseUnknown } from './unknown-parameters.ts'

type Response = DescribedOperation['responses'][string]

/** Describes what an operation may refuse, by status. */
export function describeRefusals(
  operation: Operation,
  components: Json,
): [status: string, response: Response][] {
  const refusals: readonly PublicErrorEntry[] = listErrors(operation).map(
    name => publicErrors[name],
  )
  return [
    ...refusals.map(({ status, means, retryAfterS }): [string, Response] => [
      String(status),
      {
        ...describeRefusal(status === 429 ? describeTooMany(means, operation) : means, components),
        ...buildHeaderReferences([
          ...(status === 429 || retryAfterS !== undefined ? (['Retry-After'] as const) : []),
          ...(status === 429 && hasLimitHeaders(operation) ? limitHeaders : []),
        ]),
      },
    ]),
    ['500', describeRefusal('something went wrong in the registry', components)],
  ]
}

/** Lists the errors of an operation: those that it declares, and those that follow from its declaration. */
function listErrors(operation: Operation): PublicErrorName[] {
  const { errors, access, method, params, writes } = operation
  const names: PublicErrorName[] = []
  // A right can be revoked while a write waits.
  if (access === 'bearer' && writes) names.push('forbidden')
  names.push(...errors)
  // A field can be too long, a parameter unknown, and a body sent where none is expected.
  if (params !== undefined || refuseUnknown(operation)) names.push('invalid_request')
  if (method !== 'GET') names.push('invalid_request', 'too_large', 'unsupported_media_type')
  if (access === 'bearer') names.push('unauthenticated')
  if (listCountedLimits(operation).length > 0) names.push('rate_limited')
  if (!operation.worksWithoutStores) names.push('unavailable')
  return [...new Set(names)]
}

function describeRefusal(description: string, components: Json) {
  return {
    description,
    content: { 'application/json': { schema: toReference(ErrorBody, 'output', components) } },
  }
}

/** Describes a 429, with the limits that an operation counts towards, as they are unless the operator sets others. */
function describeTooMany(means: string, operation: Operation): string {
  const counted = listCountedLimits(operation).map(
    name => `${formatCount(limits[name])} ${limitMeanings[name]}`,
  )
  return counted.length === 0 ? means : `${means}; by default ${counted.join(', ')}`
}
