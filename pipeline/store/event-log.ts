import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs'
import { z } from 'zod'
import { toDay } from '../core/clock.ts'
import { toInstant } from '../core/uuid-v7.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Paths } from './paths.ts'

const TAIL_BYTES = 64 * 1024

/** The day of the file that contains an event, in SQL. */
export const DAY_OF_EVENT = 'day_of_id(event_id)'

/**
 * The change feed as files, one a UTC day: a line of JSON an event, in the order of the feed. The
 * day is that of the event's id, which rises even when the clock steps back.
 * `append` continues after the last whole line, so it may be repeated; a line that a crash cut off
 * is cut away first.
 */
export class EventLog {
  readonly #paths: Paths
  #last: string | undefined

  constructor(paths: Paths) {
    this.#paths = paths
    mkdirSync(paths.events, { recursive: true })
    this.#last = readLastEvent(paths)
  }

  /** Returns the id of the last event on disk. */
  get last(): string | undefined {
    return this.#last
  }

  append(events: readonly FeedEvent[]): void {
    const fresh = events.filter(({ event_id }) => this.#last === undefined || event_id > this.#last)
    for (const [day, lines] of groupLinesByDay(fresh)) {
      const descriptor = openSync(this.#paths.eventFile(day), 'a')
      try {
        appendFileSync(descriptor, lines.join(''))
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    }
    this.#last = fresh.at(-1)?.event_id ?? this.#last
  }
}

/** Names of the files, oldest first. */
export function listEventFiles(paths: Pick<Paths, 'events'>): string[] {
  if (!existsSync(paths.events)) return []
  return readdirSync(paths.events)
    .filter(name => name.endsWith('.ndjson'))
    .sort()
}

/** Reads the id of the last event in the files; undefined if there is none, or its line is damaged. */
export function readLastEvent(paths: Pick<Paths, 'events'>): string | undefined {
  for (const name of listEventFiles(paths).reverse()) {
    const last = readLastInFile(`${paths.events}/${name}`)
    if (last !== 'empty') return last === 'damaged' ? undefined : last.id
  }
  return undefined
}

/** Reads the last event of a file, or the reason why it has none. */
export function readLastInFile(path: string): { id: string } | 'empty' | 'damaged' {
  const line = readLastWholeLine(path)
  if (line === undefined) return 'empty'
  try {
    return { id: Line.parse(JSON.parse(line)).event_id }
  } catch {
    return 'damaged'
  }
}

const Line = z.looseObject({ event_id: z.uuid() })

function groupLinesByDay(events: readonly FeedEvent[]): Map<string, string[]> {
  const days = new Map<string, string[]>()
  for (const event of events) {
    const day = toDay(toInstant(event.event_id))
    const lines = days.get(day) ?? []
    lines.push(`${JSON.stringify(event)}\n`)
    days.set(day, lines)
  }
  return days
}

/** Cuts off what follows the last line break and gives back the line before it. */
function readLastWholeLine(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const descriptor = openSync(path, 'r+')
  try {
    const size = fstatSync(descriptor).size
    let length = Math.min(size, TAIL_BYTES)
    for (;;) {
      const tail = Buffer.alloc(length)
      readSync(descriptor, tail, 0, length, size - length)
      const end = tail.lastIndexOf(0x0a)
      const start = end <= 0 ? -1 : tail.lastIndexOf(0x0a, end - 1)
      if (start >= 0 || length === size) {
        const completeBytes = end < 0 ? 0 : size - length + end + 1
        if (completeBytes < size) ftruncateSync(descriptor, completeBytes)
        return end < 0 ? undefined : tail.toString('utf8', start + 1, end)
      }
      length = Math.min(size, length * 4)
    }
  } finally {
    closeSync(descriptor)
  }
}
