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
