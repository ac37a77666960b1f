import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, fitItems, renderName, showDomains } from '../html/text.tsx'

interface Title {
  /** Picture or monogram of the thing. */
  mark: Child
  kind: string
  name: string
  /** Domain or address of the thing, and what stands beside it. */
  below: Child
  /** Button that leads to watching it. */
  watch?: Child
}

/** Renders the name of the thing that a page is about, beside its picture. */
export function renderTitle({ mark, kind, name, below, watch }: Title): Html {
  return (
    <div class="title">
      {mark}
      <div>
        <p class="kicker">{kind}</p>
        <h1>{renderHeading(name)}</h1>
        <p class="sub">
          {showDomains(name) === name ? null : <code>{clipText(name, 300)}</code>} {below}
        </p>
      </div>
      {watch}
    </div>
  )
}

/** Renders a name as a heading; that of a host, which has no spaces, may break before each of its dots. */
function renderHeading(name: string): Html {
  const labels = clipText(showDomains(name), 120).split(/(?=\.)/)
  if (labels.length === 1 || /\s/.test(name)) return renderName(name)
  return (
    <bdi>
      {labels.map(label => (
        <>
          <wbr />
          {label}
        </>
      ))}
    </bdi>
  )
}

/** Renders facts as pairs of a name and a value; unknown facts are left out. Null if none is known. */
export function renderFacts(
  facts: readonly (readonly [name: string, value: Child])[],
): Html | null {
  const known = facts.filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== false,
  )
  if (known.length === 0) return null
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Renders a section with a heading that can be linked to. */
export function renderSection(id: string, title: string, content: Child, aside?: Child): Html {
  return (
    <section id={id}>
      <h2>
        <a href={`#${id}`}>{title}</a>
        {aside === undefined ? null : <span class="aside">{aside}</span>}
      </h2>
      {content}
    </section>
  )
}

const JSON_CHARS = 6_000

/** Renders a value as JSON that can be expanded; a long one is cut, since the JSON answer has all of it. */
export function renderJson(value: unknown): Html {
  return (
    <details class="raw">
      <summary>Show as JSON</summary>
      <pre tabindex="0">{clipText(JSON.stringify(value, null, 2), JSON_CHARS)}</pre>
    </details>
  )
}

/** Renders the ways to other pages of a list; null if it has only one. */
export function renderPages(
  next?: string,
  first?: string,
  { label = 'Pages', previous }: { label?: string; previous?: string | undefined } = {},
): Html | null {
  if (next === undefined && first === undefined) return null
  return (
    <nav class="pages" aria-label={label}>
      {first === undefined || first === previous ? null : <a href={first}>First page</a>}
      {previous === undefined ? null : (
        <a rel="prev" href={previous}>
          Previous page
        </a>
      )}
      {next === undefined ? null : (
        <a rel="next" href={next}>
          Next page
        </a>
      )}
    </nav>
  )
}

/** The pages of a table around the one that is shown. */
export interface TablePages {
  /** Number of rows on the pages before; undefined where they are not counted. */
  before: number | undefined
  /** Paths of the first page and of the one before; undefined on the first. */
  first: string | undefined
  previous: string | undefined
  /** Builds the path of the page after the rows that were shown; undefined if there is none. */
  toNext(shown: number): string | undefined
}

interface Table<Item> {
  caption: string
  columns: readonly string[]
  items: readonly Item[]
  /** Number of all items, where these are not all. */
  total?: number | undefined
  render(item: Item): readonly Child[]
  /** Text instead of an empty table. */
  empty: string
  /** Address at which the rest can be read. */
  rest?: string | undefined
  /** Its other pages, if it has some. */
  pages?: TablePages | undefined
  limit?: number
  bytes?: number
  /** True if its rows have room on a phone; those of any other table are cards there. */
  isNarrow?: true
  /** Number of rows that are open; a few more than that stay open as well. */
  open?: number
}

/** Rows that stay open of a long list: of the one that a page is about, and of one below it. */
export const ROWS_OPEN = 10
export const LATER_ROWS_OPEN = 5
/** Rows for which it does not pay to fold them. */
const FOLDED_MIN = 3
/** A number, or how much of one, perhaps within a link. */
const NUMBER = /^(?:<[^>]+>)*\d[\d,]*(?: of \d[\d,]*)?(?:<[^>]+>)*$/
const EMPTY = /^(?:\s|<\/?(?:bdi|div|span)\b[^>]*>)*$/
/** Characters of the longest phrase, and of the longest name without a space, that a wide window shows on one line. */
const PHRASE_CHARS = 22
const NAME_CHARS = 36

/**
 * Renders a table, whose rows are cards on a narrow screen, without the columns that are empty in every row, and says
 * how many rows it leaves out.
 */
export function renderTable<Item>(table: Table<Item>): Html {
  const { caption, columns, items, render, empty, rest, pages, isNarrow } = table
  const { limit = 50, bytes = 12_000 } = table
  const before = pages?.before ?? 0
  const total = table.total ?? before + items.length
  // Rendered once: the columns, the looks and the rows all ask for its text.
  const all = items.slice(0, limit).map(item => render(item).map(cell => <>{cell}</>))
  const [first] = all
  if (first === undefined)
    return <p class="empty">{before > 0 && total > 0 ? 'None on this page.' : empty}</p>
  const filled = [...columns.keys()].filter(
    index => index === 0 || all.some(cells => !EMPTY.test(String(cells[index] ?? ''))),
  )
  // The first cell of a row is its header, which stands at the left even if it is a number.
  const looks = columns.map((_, index) =>
    index > 0 && NUMBER.test(String(first[index] ?? '')) ? 'number' : undefined,
  )
  const row = (cells: readonly Html[]) => (
    <tr>
      {filled.map(index =>
        index === 0 ? (
          <th scope="row" class={findLook(cells[0])}>
            {cells[0]}
          </th>
        ) : (
          <td
            class={looks[index] ?? findLook(cells[index])}
            data-label={isNarrow ? undefined : columns[index]}
          >
            {cells[index]}
          </td>
        ),
      )}
    </tr>
  )
  const { rows, shown } = fitItems(all, row, { limit, bytes })
  const { open = shown } = table
  const left = total - before - shown
  const next = left > 0 ? pages?.toNext(shown) : undefined
  // One way leads to the other rows: the next page, where there is one.
  const isPart = next !== undefined || before > 0
  const opened = isPart || shown - open < FOLDED_MIN ? shown : open
  return (
    <>
      <section class="scrolls" tabindex="0" aria-label={caption}>
        <table class={isNarrow && 'narrow'}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {filled.map(index => (
                <th scope="col" class={looks[index]}>
                  {columns[index]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.slice(0, opened)}</tbody>
          {opened === shown ? null : <tbody class="rest">{rows.slice(opened)}</tbody>}
        </table>
      </section>
      {opened === shown ? null : renderUnfolding(shown - opened)}
      {isPart && pages?.before !== undefined ? (
        <p class="more">
          {formatRange(before, shown)} of {formatCount(total)}
        </p>
      ) : left > 0 && next === undefined ? (
        <p class="more">
          {countThings(left, 'more row')}
          {rest === undefined ? null : (
            <>
              {' '}
              in the <a href={rest}>JSON</a>
            </>
          )}
        </p>
      ) : null}
      {renderPages(next, pages?.first, {
        label: `Pages of ${caption}`,
        previous: pages?.previous,
      })}
    </>
  )
}

/** Finds whether a cell has a text that wraps in a wide window; any other stays whole, and leaves its room to those. */
function findLook(cell: Html | undefined): 'wraps' | undefined {
  const html = String(cell ?? '')
  if (dropTags(html).length <= PHRASE_CHARS) return undefined
  const lines = html.split(/<\/?(?:div|p|li)\b[^>]*>/)
  const isLong = lines.some(line => {
    const text = dropTags(line).trim()
    return text.length > (text.includes(' ') ? PHRASE_CHARS : NAME_CHARS)
  })
  return isLong ? 'wraps' : undefined
}

const dropTags = (html: string) => html.replace(/<[^>]+>/g, '')

/** Formats which rows of all a page shows: `11–20`, or `21`. */
export function formatRange(before: number, shown: number): string {
  const [first, last] = [formatCount(before + 1), formatCount(before + shown)]
  return first === last ? first : `${first}–${last}`
}

/** Renders what shows the other rows of the table before it, which the stylesheet hides until it is open. */
function renderUnfolding(rows: number): Html {
  return (
    <details class="unfolds">
      <summary>
        <span>Show {formatCount(rows)} more</span>
        <span>Show fewer</span>
      </summary>
    </details>
  )
}

/** Renders large numbers side by side, each with a link to what it counts, if there is one. */
export function renderCounts(
  counts: readonly (readonly [label: string, count: number, path?: string])[],
): Html {
  return (
    <dl class="counts">
      {counts.map(([label, count, path]) => (
        <div>
          <dt>{path === undefined ? label : <a href={path}>{label}</a>}</dt>
          <dd>{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  )
}

export interface Tile {
  label: string
  value: Child
  /** Small text below the value. */
  note?: Child
  look?: 'good' | 'fair' | 'bad' | 'none' | undefined
}

/** Renders the most important facts side by side, each with its state as a color. */
export function renderTiles(tiles: readonly (Tile | undefined)[]): Html {
  return (
    <dl class="tiles">
      {tiles.map(tile =>
        tile === undefined ? null : (
          <div class={tile.look}>
            <dt>
              <span>{tile.label}</span>
            </dt>
            <dd>{tile.value}</dd>
            {tile.note === undefined ? null : <dd class="note">{tile.note}</dd>}
          </div>
        ),
      )}
    </dl>
  )
}
