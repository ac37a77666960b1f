import { expect, test } from 'vitest'
import { BoundedLog } from '../../../api/limits/bounded-log.ts'
import { MINUTE } from '../../../pipeline/core/clock.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import { testClock } from '../../support/worlds/clock.ts'

test('ten lines of a kind are logged per minute, then the number of dropped ones', () => {
  const { log, said } = createRecordingLog()
  const clock = testClock()
  const bounded = new BoundedLog(log, clock)
  for (let i = 0; i < 1_000; i++) bounded.warn('refused listCatalog', { i }, 'refused')
  bounded.warn('refused listAgents', {}, 'refused')
  expect(said).toHaveLength(11)
  clock.tick(MINUTE)
  bounded.warn('refused listCatalog', { i: 1_000 }, 'refused')
  expect(said).toHaveLength(12)
  expect(said.at(-1)).toContain('"suppressed":990')
  clock.tick(MINUTE)
  bounded.warn('refused listCatalog', {}, 'refused')
  expect(said.at(-1)).not.toContain('suppressed')
})
