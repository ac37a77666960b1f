import { expect, test } from 'vitest'
import { listCountedLimits } from '../../../api/operation/counted-limits.ts'
import { buildOpenapi } from '../../../api/operation/openapi.ts'
import { operations } from '../../../api/routes/index.ts'

test('every operation that may answer 429 names its limits, and no other does', () => {
  const described = Object.values(buildOpenapi(operations, 'https://registry.example').paths)
    .flatMap(path => Object.values(path ?? {}))
    .filter(({ responses }) => '429' in responses)
    .map(({ operationId }) => operationId)
  const limited = operations.filter(operation => listCountedLimits(operation).length > 0)
  expect(limited.map(({ id }) => id).sort()).toEqual(described.sort())
})
