import { expect, test } from 'vitest'
import { listCountedLimits } from '../../../api/operation/counted-limits.ts'
import { buildOpenapi } from '../../../api/operation/openapi.ts'
import { operations } from '../../../api/routes/index.ts'
import { limitMeanings } from '../../../pipeline/core/limits.ts'
import { getOrThrow } from '../../../pipeline/core/present.ts'

test('every operation that may answer 429 names its limits, and no other does', () => {
  const described = Object.values(buildOpenapi(operations, 'https://registry.example').paths)
    .flatMap(path => Object.values(path ?? {}))
    .filter(({ responses }) => '429' in responses)
    .map(({ operationId }) => operationId)
  const limited = operations.filter(operation => listCountedLimits(operation).length > 0)
  expect(limited.map(({ id }) => id).sort()).toEqual(described.sort())
})

test('the description of a 429 has every limit that an operation counts towards, and Retry-After', () => {
  const paths = buildOpenapi(operations, 'https://registry.example').paths
  const described = Object.values(paths).flatMap(path => Object.values(path ?? {}))
  const byId = new Map(described.map(({ operationId, responses }) => [operationId, responses]))
  for (const operation of operations) {
    const limits = listCountedLimits(operation)
    if (limits.length === 0) continue
    const refusal = getOrThrow(byId, operation.id)['429']
    expect(refusal?.headers).toHaveProperty('Retry-After')
    for (const name of limits) expect(refusal?.description).toContain(limitMeanings[name])
  }
})
