/** Separator between texts: control characters, which no name, address or header can hold. */
const CELL_END = '\u001f'
export const ROW_END = '\u001e'

/** Parses one row after the other: all at once would take many times the memory of the text. */
export function* parseRows(text: string): Generator<string[]> {
  if (text === '') return
  let start = 0
  for (let end = 0; end >= 0; start = end + 1) {
    end = text.indexOf(ROW_END, start)
    yield text.slice(start, end < 0 ? undefined : end).split(CELL_END)
  }
}

const LIST_ROWS_MAX = 10_000
const LIST_CHARS_MAX = 16 * 1024 * 1024

/** Splits rows into JSON lists that are short enough for one text: a single row may hold a megabyte. */
export function* chunkRows(rows: readonly object[]): Generator<string> {
  let texts: string[] = []
  let chars = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    texts.push(text)
    chars += text.length
    if (texts.length < LIST_ROWS_MAX && chars < LIST_CHARS_MAX) continue
    yield `[${texts.join(',')}]`
    texts = []
    chars = 0
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`
}
