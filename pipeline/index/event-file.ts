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
import { dayOf } from '../core/clock.ts'
import { instantOfId } from '../core/uuid-v7.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Paths } from './paths.ts'

const TAIL_BYTES = 64 * 1024

/**
 * The change feed as files, one a UTC day: a line of JSON an event, in the order of the feed. The
 * day is that of the event's id, which rises even when the clock steps back.
 * `append` continues after the last whole line, so it may be repeated; a line that a crash cut off
 * is cut away first.
 */
export class EventFile {
  readonly #paths: Paths
  #last: string | undefined

  constructor(paths: Paths) {
    this.#paths = paths
    mkdirSync(paths.events, { recursive: true })
    this.#last = this.#readLast()
  }

  /** Id of the last event on disk. */
  get last(): string | undefined {
    return this.#last
  }

  append(events: readonly FeedEvent[]): void {
    const fresh = events.filter(({ event_id }) => this.#last === undefined || event_id > this.#last)
    for (const [day, lines] of linesByDay(fresh)) {
      const descriptor = openSync(this.#paths.eventsOf(day), 'a')
      try {
        appendFileSync(descriptor, lines.join(''))
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    }
    this.#last = fresh.at(-1)?.event_id ?? this.#last
  }

  #readLast(): string | undefined {
    const days = readdirSync(this.#paths.events)
      .filter(name => name.endsWith('.ndjson'))
      .sort()
    for (const name of days.reverse()) {
      const line = lastWholeLine(`${this.#paths.events}/${name}`)
      if (line !== undefined) return (JSON.parse(line) as FeedEvent).event_id
    }
    return undefined
  }
}

function linesByDay(events: readonly FeedEvent[]): Map<string, string[]> {
  const days = new Map<string, string[]>()
  for (const event of events) {
    const day = dayOf(instantOfId(event.event_id))
    const lines = days.get(day) ?? []
    lines.push(`${JSON.stringify(event)}\n`)
    days.set(day, lines)
  }
  return days
}

/** Cuts off what follows the last line break and gives back the line before it. */
function lastWholeLine(path: string): string | undefined {
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
        ftruncateSync(descriptor, end < 0 ? 0 : size - length + end + 1)
        return end < 0 ? undefined : tail.toString('utf8', start + 1, end)
      }
      length = Math.min(size, length * 4)
    }
  } finally {
    closeSync(descriptor)
  }
}
