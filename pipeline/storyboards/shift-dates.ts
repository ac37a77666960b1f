import { DAY } from '../core/clock.ts'
import { isObject } from '../parse/object-reader.ts'
import type { RunnableStoryboard } from './catalog.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

/**
 * Finds by how much the dates of a storyboard are moved: it was written when they lay ahead. Its earliest
 * purchase or flight begins a day after the run at the soonest, and all its dates keep their distances. One
 * that ends before it begins, or is in an optional phase, is a test of its own and moves with the others.
 */
export function findShiftMs({ phases, fixtures }: RunnableStoryboard, startedAt: number): number {
  const requests = phases
    .filter(({ optional }) => !optional)
    .flatMap(({ steps }) => steps.map(step => step.sample_request))
  const starts = listStarts([requests, fixtures])
  const late = startedAt + DAY - Math.min(...starts)
  return starts.length > 0 && late > 0 ? Math.ceil(late / DAY) * DAY : 0
}

function listStarts(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(listStarts)
  if (!isObject(value)) return []
  const { start_time, end_time, flight } = value
  const spans = isObject(flight)
    ? [[start_time, end_time] as const, [flight.start, flight.end] as const]
    : [[start_time, end_time] as const]
  const starts = spans.flatMap(([start, end]) => {
    const [from, to] = [Date.parse(String(start)), Date.parse(String(end))]
    return from < to ? [from] : []
  })
  return [...starts, ...Object.values(value).flatMap(listStarts)]
}

/** Moves the dates in a value: texts that are nothing but a date, or a moment. */
export function moveDates(value: unknown, shiftMs: number): unknown {
  if (shiftMs === 0) return value
  if (typeof value === 'string') return moveText(value, shiftMs)
  if (Array.isArray(value)) return value.map(item => moveDates(item, shiftMs))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, moveDates(member, shiftMs)]),
  )
}

function moveText(text: string, shiftMs: number): string {
  if (!DATE.test(text) && !MOMENT.test(text)) return text
  const moment = Date.parse(text)
  if (Number.isNaN(moment)) return text
  const moved = new Date(moment + shiftMs).toISOString()
  return DATE.test(text) ? moved.slice(0, 10) : moved.replace('.000Z', 'Z')
}
