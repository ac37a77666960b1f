import { toReadableDomain } from '../../../pipeline/core/lookalikes/confusables.ts'
import { type Child, Fragment, type Html, h } from './jsx.ts'

/** Half of a character beyond the first 65,536: text without one has as many characters as units. */
const SURROGATE = /[\ud800-\udfff]/

/** Matches a domain that may have an A-label. */
const IDN_DOMAIN = /[a-z0-9.-]*xn--[a-z0-9.-]+/g

/** Shortens text from elsewhere at a whole character. */
export function clipText(text: unknown, limit = 160): string {
  const full = typeof text === 'string' ? text : text === undefined ? '' : String(text)
  if (full.length <= limit) return full
  const start = full.slice(0, limit - 1)
  if (!SURROGATE.test(start)) return `${dropPartialWord(start)}…`
  return `${Array.from(full.slice(0, 2 * limit))
    .slice(0, limit - 1)
    .join('')}…`
}

const PARTIAL_WORD_CHARS = 20
/** Length from which on a text can lose a part of a word. */
const WORDY_CHARS = 40

/** Drops what a cut left of the last word, unless that is a long one or the text is short. */
function dropPartialWord(text: string): string {
  const at = text.slice(-PARTIAL_WORD_CHARS).search(/\s\S*$/)
  return at < 0 || text.length < WORDY_CHARS ? text : text.slice(0, at - PARTIAL_WORD_CHARS)
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Matches what pages contract, and before it quoted values, which they leave as they are. */
const UNCONTRACTED =
  /"(?:[^"\\]|\\.)*"|\bcannot\b|\b(do|does|did|is|are|was|were|has|have|could) not\b/g

/** Converts a sentence of the API to one with the contractions of pages. */
export function toContractions(text: string): string {
  return text.replace(UNCONTRACTED, (found, verb?: string) => {
    if (found.startsWith('"')) return found
    return verb === undefined ? 'can’t' : `${verb}n’t`
  })
}

/** Replaces domains in a text by their readable form; what is not a text stays as it is. */
export function showDomains(text: unknown): unknown {
  return typeof text === 'string' && text.length < 2_048 && text.includes('xn--')
    ? text.replace(IDN_DOMAIN, toReadableDomain)
    : text
}

/** Renders a name that somebody else chose, isolating its text direction. */
export function renderName(text: unknown, limit = 120): Html {
  return <bdi>{clipText(showDomains(text), limit)}</bdi>
}

/** Renders text that marks code by backticks, as Markdown does. */
export function renderCoded(text: unknown, limit?: number): Child {
  const parts = clipText(text, limit).split(/`([^`]+)`/)
  return parts.length === 1
    ? parts
    : parts.map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))
}

/** Renders a link to another site. */
export function renderOutside(address: string, text: string = address): Html {
  return (
    <a href={address.length > 2_048 ? undefined : address} rel="noopener nofollow ugc">
      {renderName(text.replace(/^https:\/\//, ''), 100)}
    </a>
  )
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' ')
const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Formats the day of a time for people, in UTC; text that is not a time stays as it is. */
export function formatDate(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  return formatDay(at)
}

const formatDay = (at: Date): string =>
  `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`

/** Formats a time for people, in UTC; text that is not a time stays as it is. */
export function formatMoment(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  return `${formatDay(at)}, ${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())} UTC`
}

export function renderMoment(iso: string | null | undefined, otherwise = 'never'): Html | null {
  if (!iso) return otherwise === '' ? null : <span class="quiet">{otherwise}</span>
  const at = clipText(iso, 40)
  return <time datetime={at}>{formatMoment(at)}</time>
}

/** Renders a time that stays exact in a browser, because of the words before it: "since", "until", "as of". */
export function renderExactMoment(iso: string): Html {
  return (
    <time class="exact" datetime={clipText(iso, 40)}>
      {formatMoment(clipText(iso, 40))}
    </time>
  )
}

/** Renders from when until when something holds as one phrase; undefined if it always does. */
export function renderWindow(
  from: string | null | undefined,
  until: string | null | undefined,
): Html | undefined {
  if (from && until)
    return (
      <>
        {renderEdge(from)}
        {'\u00a0'}– {renderEdge(until)}
      </>
    )
  if (from) return <>from {renderEdge(from)}</>
  return until ? <>until {renderEdge(until)}</> : undefined
}

/** Renders where a window begins or ends; the hour only where that is not the beginning of a day. */
function renderEdge(iso: string): Html {
  const isMidnight = Date.parse(iso) % 86_400_000 === 0
  return (
    <time class="exact whole" datetime={clipText(iso, 40)}>
      {isMidnight ? formatDate(iso) : formatMoment(clipText(iso, 40))}
    </time>
  )
}

/** Joins a list for people: `a, b and c`. */
export function joinWords(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** Share of its bytes by which a list may be longer if that shows all of it. */
const LAST_ROWS = 0.2

/**
 * Renders as many items as fit, so that a page stays small whatever others write. Returns how many were
 * rendered.
 */
export function fitItems<Item>(
  items: readonly Item[],
  render: (item: Item) => Html,
  { limit = 50, bytes = 12_000 } = {},
): { rows: Html[]; shown: number } {
  const asked = items.slice(0, limit)
  const rows: Html[] = []
  let shown = 0
  let used = 0
  for (const item of asked) {
    const row = render(item)
    used += Buffer.byteLength(row.toString())
    if (used > bytes * (1 + LAST_ROWS)) break
    rows.push(row)
    if (used <= bytes) shown = rows.length
  }
  // Leaving out the last few rows would be worse than a page that is a little longer.
  if (rows.length === asked.length) shown = rows.length
  return { rows: rows.slice(0, shown), shown }
}

export type { Child }
