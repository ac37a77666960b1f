import { expect, test } from 'vitest'
import { renderBars } from '../../../api/pages/parts/chart.tsx'

const bars = (...values: number[]) =>
  renderBars(
    'Files by day',
    values.map((value, day) => ({ label: `day ${day}`, value })),
  )?.toString()

test('a chart is drawn when it compares something', () => {
  expect(bars(3, 0, 5)).toContain('aria-label="Files by day: day 0 3, day 1 0, day 2 5"')
  expect(bars(0, 0, 5)).toBe('<p>Files by day: day 2, 5.</p>')
  expect(bars(0, 0, 0)).toBeUndefined()
  expect(bars()).toBeUndefined()
})
