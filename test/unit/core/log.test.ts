import { expect, test } from 'vitest'
import { createLog } from '../../../pipeline/core/log.ts'

test('a logged error has its message and stack, under whichever name it is logged', () => {
  const lines: string[] = []
  const log = createLog('api', 'info', { to: { write: line => void lines.push(line) } })
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

test('a full disk is one sentence, however many meet it and whatever they say', () => {
  const lines: string[] = []
  const to = { write: (line: string) => void lines.push(line) }
  const log = createLog('agent', 'warn', { dir: '/data', to })
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
  log.error({ error: full }, 'could not send webhooks')
  log.warn({ err: new Error('a commit could not be projected', { cause: full }) }, 'stopped')
  log.warn({ error: 'no space left on device, an agent says' }, 'refused')
  expect(lines.map(line => JSON.parse(line).msg)).toEqual([
    'The disk of /data is full: reads go on, and writes resume once there is room.',
    'refused',
  ])
})
