import { outcomeNames } from '../../core/outcomes.ts'
import { ROW_END } from '../../store/row-texts.ts'
import { toUpdatesMark } from '../../store/table-versions.ts'
import { CELL_BYTES, mergeFreshness, storedKinds, writeCell } from '../freshness-record.ts'
import { hashAgent, toFreshnessKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

const toPlace = (names: readonly string[], column: string) =>
  `case ${column} ${names.map((name, place) => `when '${name}' then ${place}`).join(' ')} end`

const COLUMNS = [
  toPlace(storedKinds, 'kind'),
  toPlace(outcomeNames, 'outcome'),
  'coalesce(status, 0)',
  'coalesce(attempted_at, 0)',
  'coalesce(succeeded_at, 0)',
  'coalesce(took_ms, 0)',
  'location',
]

/**
 * Projects the crawl state of the files that a commit attempted, and how long agents took to answer; the other
 * files of a location keep theirs.
 */
export const freshnessProjection: RowProjection = {
  store: 'index',
  // A file is new before its first attempt: it has no freshness yet.
  tables: [toUpdatesMark('crawl_state')],
  changed: 'seq > $seq',
  slicedBy: 'location',
  from: 'crawl_state',
  async project({ index }, where, parameters) {
    const rows = `crawl_state where ${where} and outcome is not null`
    const lines = new Lines(await index.text(COLUMNS, rows, parameters))
    const values = new Map<string, Buffer>()
    const timings: Entry[] = []
    for (const { key, value } of toCells(lines, timings)) {
      values.set(key, mergeFreshness(values.get(key), value))
    }
    const cells = [...values].map(([key, value]): Entry => ({ space: 'freshness', key, value }))
    return [...cells, ...timings]
  },
}

/**
 * Converts rows to cells, one per file. Rows of one location follow each other as a rule, and are
 * joined. What an agent took is added to `timings`.
 */
function* toCells(lines: Lines, timings: Entry[]): Iterable<{ key: string; value: Buffer }> {
  let key = ''
  let value: Buffer = EMPTY
  while (!lines.ended) {
    const cell = Buffer.allocUnsafe(CELL_BYTES)
    const kind = lines.number()
    writeCell(cell, 0, kind, lines.number(), lines.number(), lines.number(), lines.number())
    const took = lines.number()
    const location = lines.rest()
    if (storedKinds[kind] === 'agent') timings.push(toTiming(location, took))
    // biome-ignore lint/style/noNonNullAssertion: rows have the number of a kind
    const own = toFreshnessKey(storedKinds[kind]!, location)
    if (own === key) value = mergeFreshness(value, cell)
    else {
      if (value.length > 0) yield { key, value }
      key = own
      value = cell
    }
  }
  if (value.length > 0) yield { key, value }
}

function toTiming(agentUrl: string, ms: number): Entry {
  const value = ms === 0 ? undefined : Buffer.from(String(ms))
  return { space: 'agent_timing', key: hashAgent(agentUrl), value }
}

const EMPTY = Buffer.alloc(0)

/** Rows of numbers and a text at their end, read where they lie. */
class Lines {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  get ended(): boolean {
    return this.#position >= this.#text.length
  }

  number(): number {
    const text = this.#text
    let number = 0
    let at = this.#position
    for (let digit = text.charCodeAt(at) - 48; digit >= 0; digit = text.charCodeAt(++at) - 48) {
      number = number * 10 + digit
    }
    this.#position = at + 1
    return number
  }

  rest(): string {
    const end = this.#text.indexOf(ROW_END, this.#position)
    const text = this.#text.slice(this.#position, end < 0 ? undefined : end)
    this.#position = end < 0 ? this.#text.length : end + 1
    return text
  }
}
