/** Builds `has_more` and `next_cursor` of a page in a list whose cursors are offsets. */
export function buildPageEnd(start: number, shown: number, total: number) {
  const end = start + shown
  const has_more = end < total && shown > 0
  return { has_more, next_cursor: has_more ? String(end) : null }
}
