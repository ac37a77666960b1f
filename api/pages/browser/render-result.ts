import type { Result } from './snapshot-database.ts'

const BARS_MAX = 40

/** Renders a result as a table; numbers stand at the right. */
export function renderResultTable({ columns, rows }: Result): HTMLElement {
  const table = document.createElement('table')
  const head = table.createTHead().insertRow()
  for (const { name, isNumber } of columns) {
    const cell = document.createElement('th')
    cell.scope = 'col'
    cell.textContent = name
    if (isNumber) cell.className = 'number'
    head.append(cell)
  }
  const body = table.createTBody()
  for (const row of rows) {
    const line = body.insertRow()
    for (const [at, value] of row.entries()) {
      const cell = line.insertCell()
      cell.textContent = value ?? '∅'
      if (columns[at]?.isNumber) cell.className = 'number'
    }
  }
  const frame = document.createElement('div')
  frame.className = 'scroll'
  frame.tabIndex = 0
  frame.setAttribute('role', 'region')
  frame.setAttribute('aria-label', 'Result')
  frame.append(table)
  return frame
}

/**
 * Renders a column of numbers as bars, labelled by the columns before the first one of them; undefined where there is
 * none. If the rows are sorted by one of these columns, that is the one in question.
 */
export function renderResultChart({ columns, rows }: Result): HTMLElement | undefined {
  const numbers = [...columns.keys()].slice(1).filter(at => columns[at]?.isNumber)
  const [first] = numbers
  if (first === undefined || rows.length === 0) return undefined
  const measured = numbers.find(at => isSorted(rows.map(row => Number(row[at])))) ?? first
  const bars = rows.slice(0, BARS_MAX).map(row => ({
    label: row
      .slice(0, first)
      .map(text => text?.replace(/^https:\/\//, '') ?? '∅')
      .join(' · '),
    value: Number(row[measured] ?? 0),
  }))
  const highest = Math.max(...bars.map(({ value }) => Math.abs(value)), Number.MIN_VALUE)
  const names = columns.map(({ name }) => name)
  const part = rows.length > BARS_MAX ? `, the first ${BARS_MAX} of ${rows.length} rows` : ''
  const chart = createElement('figure', 'bars')
  chart.append(
    createElement(
      'figcaption',
      '',
      `${names[measured]} by ${names.slice(0, first).join(', ')}${part}`,
    ),
  )
  for (const { label, value } of bars) {
    const bar = createElement('span', 'bar')
    bar.style.width = `${(100 * Math.abs(value)) / highest}%`
    const track = createElement('span', 'track')
    track.append(bar, createElement('span', 'number', value.toLocaleString('en')))
    const line = createElement('div', 'line')
    line.append(createElement('span', 'label', label), track)
    chart.append(line)
  }
  return chart
}

/** Tells whether numbers are in order, all the same ones excepted. */
function isSorted(values: readonly number[]): boolean {
  const steps = values.slice(1).map((value, at) => value - (values[at] ?? value))
  return (
    steps.some(step => step !== 0) &&
    (steps.every(step => step >= 0) || steps.every(step => step <= 0))
  )
}

function createElement(
  tag: 'div' | 'figcaption' | 'figure' | 'span',
  className: string,
  text = '',
): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}
