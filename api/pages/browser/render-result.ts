import type { Result } from './snapshot-database.ts'

const BARS_MAX = 40

/**
 * Renders a result as a table; numbers stand at the right. A long value is cut: a pointer over it shows it whole, and a
 * click opens it. `isWhole` cuts none.
 */
export function renderResultTable({ columns, rows }: Result, isWhole = false): HTMLElement {
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
      cell.append(createElement('div', 'value', value ?? '∅'))
      if (columns[at]?.isNumber) cell.className = 'number'
    }
  }
  const frame = document.createElement('div')
  frame.className = isWhole ? 'scroll whole' : 'scroll'
  frame.tabIndex = 0
  frame.setAttribute('role', 'region')
  frame.setAttribute('aria-label', 'Result')
  frame.append(table)
  frame.addEventListener('mouseover', ({ target }) => {
    const value = findValue(target)
    if (value !== undefined) value.title = isCut(value) ? (value.textContent ?? '') : ''
  })
  frame.addEventListener('click', ({ target }) => {
    const value = findValue(target)
    // A reader who marks a part of a value to copy it does not want it closed.
    if (value === undefined || getSelection()?.isCollapsed === false) return
    if (value.classList.contains('open') || isCut(value)) value.classList.toggle('open')
  })
  return frame
}

/** Finds the value below the pointer. */
function findValue(target: EventTarget | null): HTMLElement | undefined {
  return (target as Element).closest('td')?.querySelector<HTMLElement>('.value') ?? undefined
}

/** Tells whether a value has more text than its box shows. */
function isCut(value: HTMLElement): boolean {
  return value.scrollWidth > value.clientWidth || value.scrollHeight > value.clientHeight
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
