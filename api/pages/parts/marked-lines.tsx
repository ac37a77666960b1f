import { countThings } from '../../../pipeline/core/counts.ts'
import { severities } from '../../../pipeline/model/observation.ts'
import type { PlacedFault } from '../../../pipeline/model/reported-fault.ts'
import { omitRepair } from '../../../pipeline/parse/fault-repair.ts'
import { type Child, type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, renderCoded, toContractions } from '../html/text.tsx'
import { renderBadge } from './freshness.tsx'

/** Lines shown before and behind one with a fault. */
const CONTEXT_LINES = 1
const SHOWN_BYTES_MAX = 40_000
/** Number of times that a fault is shown at its own line. */
const REPEATED_MAX = 3
/** Lines that a fault which stands for others names. */
const LINES_NAMED_MAX = 100
const INDEX = /\[\d+\]/g

interface RepeatedFault extends PlacedFault {
  /** Lines of the same fault in other entries of a list. */
  others?: readonly number[]
}

/** Joins faults that differ in the entry of a list alone: the first stands for all. */
function joinRepeated(faults: readonly PlacedFault[]): RepeatedFault[] {
  const same = Map.groupBy(faults, ({ severity, message }) =>
    [severity, message.replace(INDEX, '[…]')].join(' '),
  )
  return [...same.values()].flatMap(group => {
    const [first, ...others] = group.toSorted((a, b) => (a.line ?? 1) - (b.line ?? 1))
    return first === undefined || group.length <= REPEATED_MAX
      ? group
      : [
          {
            ...first,
            message: first.message.replace(INDEX, '[…]'),
            others: others.map(({ line = 1 }) => line),
          },
        ]
  })
}

/**
 * Renders the lines of a text that have faults, each with what is wrong below it and how to repair it. Their numbers lead to
 * the field with the text, where the page has one.
 */
export function renderMarkedLines(
  text: string,
  faults: readonly PlacedFault[],
  { bytesMax = SHOWN_BYTES_MAX, isEditable = true } = {},
): Html | null {
  if (faults.length === 0) return null
  const lines = text.split('\n')
  const byLine = Map.groupBy(joinRepeated(faults), ({ line = 1 }) => line)
  const marked = [...byLine.keys()].sort((a, b) => a - b)
  const items: Html[] = []
  let [last, used, shown] = [0, 0, 0]
  for (const line of marked) {
    const from = Math.max(last + 1, line - CONTEXT_LINES)
    const to = Math.min(lines.length, line + CONTEXT_LINES)
    if (last > 0 && from > last + 1) items.push(<li class="gap" aria-hidden="true"></li>)
    for (let number = from; number <= to; number++) {
      if (number > line && byLine.has(number)) break
      const here = byLine.get(number) ?? []
      const item = renderLine(number, lines[number - 1] ?? '', here, isEditable)
      used += Buffer.byteLength(item.toString())
      items.push(item)
      for (const { others = [] } of here) shown += 1 + others.length
      last = number
    }
    if (used > bytesMax) break
  }
  const left = faults.length - shown
  return (
    <section aria-label="Issues by line">
      <ol class="lines">{items}</ol>
      {left > 0 ? <p class="more">{countThings(left, 'more issue')} further down.</p> : null}
    </section>
  )
}

/** Begins a message as a sentence unless it begins with the name of a field. */
function capitalizeProse(message: string): string {
  return /^(?:an?|the|there|this|redirects) /.test(message) ? capitalize(message) : message
}

function renderSentence(text: string): Child {
  const clipped = clipText(toContractions(text), 300)
  return renderCoded(clipped.endsWith('?') ? clipped : `${clipped}.`, 301)
}

function renderNumber(line: number, isEditable: boolean, look?: string): Html {
  if (!isEditable) return <span class={look}>{line}</span>
  return (
    <a class={look} href="#text" data-line={line} aria-label={look && `Line ${line}`}>
      {line}
    </a>
  )
}

/** Renders the lines at which a fault occurs again. */
function renderOthers(lines: readonly number[], isEditable: boolean): Html {
  return (
    <details>
      <summary>The same on {countThings(lines.length, 'more line')}</summary>
      {lines
        .slice(0, LINES_NAMED_MAX)
        .map((line, index) => [index === 0 ? '' : ', ', renderNumber(line, isEditable)])}
      {lines.length > LINES_NAMED_MAX ? ' …' : ''}
    </details>
  )
}

/** Looks of faults by severity. */
const looks = { error: 'bad', warning: 'fair', recommendation: 'none' } as const

const rank = ({ severity }: RepeatedFault) => severities.indexOf(severity)

function renderLine(
  number: number,
  text: string,
  faults: readonly RepeatedFault[],
  isEditable: boolean,
): Html {
  const sorted = faults.toSorted((a, b) => rank(a) - rank(b))
  const [gravest] = sorted
  return (
    <li class={gravest && looks[gravest.severity]}>
      {renderNumber(number, isEditable, 'at')}
      <code>{clipText(text, 200) || ' '}</code>
      {sorted.map(fault => renderNote(fault, isEditable))}
    </li>
  )
}

function renderNote(fault: RepeatedFault, isEditable: boolean): Html {
  const { message, severity, suggestion, others } = fault
  const look = looks[severity]
  return (
    <div class={`note ${look}`}>
      {renderBadge(look, severity)}{' '}
      {renderSentence(capitalizeProse(omitRepair(message, suggestion ?? '')))}{' '}
      {suggestion === undefined ? null : (
        <span class="quiet">Fix: {renderSentence(suggestion)}</span>
      )}
      {others && renderOthers(others, isEditable)}
    </div>
  )
}
