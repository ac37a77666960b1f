import { expect, test } from 'vitest'
import { listCountedLimits } from '../../../api/limits/operation-limits.ts'
import { operations } from '../../../api/routes/index.ts'

/** Operations whose 429 is about something else than how often they are called. */
const otherwise: Readonly<Record<string, string>> = {
  createAdagents: 'large bodies at once',
  putMirror: 'large bodies at once',
  requeueAgentMonitoring: 'once a minute for an agent',
}

test('every operation that is refused when called too often says how often it may be called', () => {
  const refusing = operations.filter(({ errors }) => errors.some(error => error === 'rate_limited'))
  const silent = refusing.filter(operation => listCountedLimits(operation).length === 0)
  expect(silent.map(({ id }) => id).sort()).toEqual(Object.keys(otherwise).sort())
})
