import { getAt } from '../../pipeline/core/present.ts'
import { measureBytes } from '../../pipeline/core/truncate-json.ts'
import { fitItems } from './lists.ts'

/** Maximum bytes of an answer; beyond it each list of a report is cut. */
const ANSWER_BYTES_MAX = 1.9 * 1024 * 1024

/** A summary; all other members are lists. */
export interface Report {
  summary: object
}

/**
 * Cuts a report to the size of an answer: the same range of each list, from `start` on, so that one cursor
 * covers them.
 */
export function cutReport({ summary, ...members }: Report, start: number) {
  const lists = Object.entries(members as Record<string, unknown[]>).map(
    ([name, all]) => [name, all, all.slice(start)] as const,
  )
  const isLong = measureBytes(lists.map(([, , rest]) => rest)) > ANSWER_BYTES_MAX
  const bytesPerList = isLong ? ANSWER_BYTES_MAX / lists.length : ANSWER_BYTES_MAX
  const fitting = lists.map(
    ([name, , rest]) => fitItems(name, rest, bytesPerList)[name] as unknown[],
  )
  const cut = fitting.filter((shown, i) => shown.length < getAt(lists, i)[2].length)
  // An item that is larger than a page is skipped, so that a page always makes progress.
  const step = Math.max(1, Math.min(...cut.map(shown => shown.length)))
  const shown = lists.map(([name, all], i) => {
    const items = getAt(fitting, i).slice(0, step)
    const total = { [`${name}_total`]: all.length, [`${name}_truncated`]: true }
    return { [name]: items, ...(items.length < all.length && total) }
  })
  const isWhole = start === 0 && cut.length === 0
  const next_cursor = cut.length > 0 ? String(start + step) : null
  return {
    summary,
    ...(Object.assign({}, ...shown) as object),
    ...(!isWhole && { next_cursor }),
  }
}
