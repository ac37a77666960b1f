import { expect, test } from 'vitest'
import { createLog } from '../../../pipeline/core/log.ts'

test('a logged error has its message and stack, under whichever name it is logged', () => {
  const lines: string[] = []
  const log = createLog('api', 'info', { write: line => void lines.push(line) })
  const error = new TypeError('no such thing')
  log.error({ error }, 'request failed')
  log.error({ err: error }, 'request failed')
  log.warn({ error: 'in words' }, 'refused')
  const [named, short, told] = lines.map(line => JSON.parse(line))
  for (const { type, message, stack } of [named.error, short.err]) {
    expect([type, message]).toEqual(['TypeError', 'no such thing'])
    expect(stack).toContain('log.test.ts')
  }
  expect(told.error).toBe('in words')
})
