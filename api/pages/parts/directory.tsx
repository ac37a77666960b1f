import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import type {
  DirectoryCounts,
  DirectoryPosition,
} from '../../../pipeline/read/queries/directories.ts'
import type { Chosen, DirectoryChoices } from '../directory-choices.ts'
import type { DirectoryContent } from '../directory-page.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, fitItems } from '../html/text.tsx'
import { formatRange, renderPages } from './blocks.tsx'

interface DirectoryShown<Row> {
  path: string
  /** One row, and several. */
  nouns: readonly [thing: string, things: string]
  choices: DirectoryChoices
  chosen: Chosen
  found: DirectoryContent<Row>
  render(row: Row): Entry
}

/** A row of a directory: what it is, what is said of it, its state and its numbers. */
interface Entry {
  mark: Child
  link: Html
  below: Child
  aside: Child
  figures?: readonly (readonly [count: number, thing: string, things: string])[]
}

const ENTRIES_BYTES = 44_000

/** Renders a directory: how to narrow and sort it, its rows, and the way to the next ones. */
export function renderDirectory<Row>(shown: DirectoryShown<Row>): Html {
  const { path, nouns, choices, chosen, found, render } = shown
  const { page, counts } = found
  if (page === undefined) return <p class="empty">Nothing has been published yet.</p>
  const names = Object.keys(choices.fields)
  const isFiltered = names.some(name => chosen[name] !== undefined)
  const { rows: entries, shown: size } = fitItems(page.rows, row => renderEntry(render(row)), {
    bytes: ENTRIES_BYTES,
  })
  const to = (position: DirectoryPosition | undefined) =>
    toPath(path, { ...chosen, cursor: position && found.buildCursor(position) })
  const last = page.hasMore || size < page.rows.length ? page.rows[size - 1] : undefined
  return (
    <>
      {renderForm(shown)}
      <p class="matches">
        <strong>{countThings(countMatching(counts, names, chosen), ...nouns)}</strong>
        {isFiltered ? ` of ${formatCount(countMatching(counts, [], {}))}` : null}
        {size > 0 && (last !== undefined || page.skipped > 0)
          ? ` · showing ${formatRange(page.skipped, size)}`
          : null}
        {isFiltered ? (
          <>
            {' '}
            · <a href={path}>Clear filters</a>
          </>
        ) : null}
      </p>
      {size > 0 ? (
        <ol class="entries">{entries}</ol>
      ) : (
        <p class="empty">
          {isFiltered
            ? `No ${nouns[1]} match these filters.`
            : `No ${nouns[1]} yet. The first crawl fills this list.`}
        </p>
      )}
      {renderPages(
        last && to(page.toPosition(last)),
        page.skipped > 0 ? to(undefined) : undefined,
        page.skipped > 0 ? { previous: to(page.previous) } : {},
      )}
    </>
  )
}

/** Renders a thing beside its picture, with a state and figures. */
export function renderEntry({ mark, link, below, aside, figures = [] }: Entry): Html {
  return (
    <li>
      {mark}
      <div class="what">
        <h2>{link}</h2>
        <p>{below}</p>
      </div>
      {aside === null ? null : <p class="state">{aside}</p>}
      {figures.length === 0 ? null : (
        <dl>
          {figures.map(([count, thing, things]) => (
            <div>
              <dt>{count === 1 ? thing : things}</dt>
              <dd>{formatCount(count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

function renderForm<Row>({ path, choices, chosen, found }: DirectoryShown<Row>): Html {
  const fields = Object.entries(choices.fields)
  const names = fields.map(([name]) => name)
  return (
    <form class="filter" action={path} method="get">
      {fields.map(([name, { label, words }]) => {
        const options = Object.entries(words).flatMap(([value, word]) => {
          const size = countMatching(found.counts, names, { ...chosen, [name]: value })
          return size === 0 && chosen[name] !== value
            ? []
            : [
                <option value={value} selected={value === chosen[name]}>
                  {`${capitalize(word)} (${formatCount(size)})`}
                </option>,
              ]
        })
        // All rows are alike: there is nothing to choose.
        if (options.length < 2 && chosen[name] === undefined) return null
        return (
          <label>
            {label}
            <select name={name}>
              <option value="">All</option>
              {options}
            </select>
          </label>
        )
      })}
      <label>
        Sort by
        <select name="sort">
          {Object.entries(choices.sorts).map(([value, word]) => (
            <option value={value} selected={value === chosen.sort}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Apply</button>
    </form>
  )
}

/** Counts the rows of a directory that have the chosen values of some fields. */
function countMatching(counts: DirectoryCounts, names: readonly string[], chosen: Chosen): number {
  return counts
    .filter(({ values }) => names.every(name => (chosen[name] ?? values[name]) === values[name]))
    .reduce((sum, { size }) => sum + size, 0)
}

function toPath(path: string, chosen: Chosen): string {
  const pairs = Object.entries(chosen).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}
