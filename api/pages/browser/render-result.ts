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

/** Renders the first column of numbers as bars, labelled by the columns before it; undefined where there is none. */
export function renderResultChart({ columns, rows }: Result): HTMLElement | undefined {
  const measured = columns.findIndex(({ isNumber }, at) => isNumber && at > 0)
  if (measured === -1 || rows.length === 0) return undefined
  const bars = rows.slice(0, BARS_MAX).map(row => ({
    label: row.slice(0, measured).join(' · '),
    value: Number(row[measured] ?? 0),
  }))
  const highest = Math.max(...bars.map(({ value }) => Math.abs(value)), Number.MIN_VALUE)
  const chart = createElement('div', 'bars')
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

function createElement(tag: 'div' | 'span', className: string, text = ''): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}
