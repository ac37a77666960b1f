/** Builds `has_more` and `next_cursor` of a page in a list whose cursors are offsets. */
export function buildPageEnd(start: number, shown: number, total: number) {
  const end = start + shown
  const has_more = end < total && shown > 0
  return { has_more, next_cursor: has_more ? String(end) : null }
}

/** Describes a cut list: how many items there are, and which `<name>_cursor` returns the rest. */
export function buildListPartEnd(
  name: string,
  start: number,
  shown: number,
  total: number,
): Record<string, unknown> {
  if (shown === total) return {}
  const end = start + shown
  return {
    [`${name}_total`]: total,
    [`${name}_truncated`]: true,
    [`${name}_next_cursor`]: end < total ? String(end) : null,
  }
}
