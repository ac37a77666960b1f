import { outcomeNames } from '../../core/outcomes.ts'
import { type Database, ROW_END } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { CELL_BYTES, keptKinds, mergedFreshness, writeCell } from '../serving-freshness.ts'
import { freshnessKey } from '../serving-keys.ts'

const placeIn = (names: readonly string[], column: string) =>
  `list_position(['${names.join("', '")}'], ${column}) - 1`

const COLUMNS = [
  placeIn(keptKinds, 'kind'),
  placeIn(outcomeNames, 'outcome'),
  'coalesce(status, 0)',
  'epoch_ms(attempted_at)',
  'coalesce(epoch_ms(succeeded_at), 0)',
  'location',
]
const AGENT = keptKinds.indexOf('agent')

/** A night asks for all that it looked at; files of a location that it did not look at stay as they are kept. */
export async function freshnessEntries(
  index: Database,
  { files, parameters }: Scope,
): Promise<Entry[]> {
  const text = await index.text(
    COLUMNS,
    `crawl_state where ${files} and attempted_at is not null
       and (kind = 'agent' or not contains(location, '://'))`,
    parameters,
  )
  const values = new Map<string, Buffer>()
  for (const { key, value } of cellsOf(new Lines(text))) {
    values.set(key, mergedFreshness(values.get(key), value))
  }
  return [...values].map(([key, value]) => ({ space: 'freshness', key, value }))
}

/** What the rows say of each file. Those of one location follow each other as a rule, and come together. */
function* cellsOf(lines: Lines): Iterable<{ key: string; value: Buffer }> {
  let key = ''
  let value: Buffer = EMPTY
  while (!lines.ended) {
    const cell = Buffer.allocUnsafe(CELL_BYTES)
    const kind = lines.number()
    writeCell(cell, 0, kind, lines.number(), lines.number(), lines.number(), lines.number())
    const location = lines.rest()
    const own = kind === AGENT ? freshnessKey('agent', location) : location
    if (own === key) value = mergedFreshness(value, cell)
    else {
      if (value.length > 0) yield { key, value }
      key = own
      value = cell
    }
  }
  if (value.length > 0) yield { key, value }
}
const EMPTY = Buffer.alloc(0)

/** Rows of numbers and a text at their end, read where they lie. */
class Lines {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get ended(): boolean {
    return this.#at >= this.#text.length
  }

  number(): number {
    const text = this.#text
    let number = 0
    let at = this.#at
    for (let digit = text.charCodeAt(at) - 48; digit >= 0; digit = text.charCodeAt(++at) - 48) {
      number = number * 10 + digit
    }
    this.#at = at + 1
    return number
  }

  rest(): string {
    const end = this.#text.indexOf(ROW_END, this.#at)
    const text = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#at = end < 0 ? this.#text.length : end + 1
    return text
  }
}
