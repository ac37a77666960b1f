/** A page of a list. */
export interface Page {
  limit: number
  offset: number
}

/**
 * Converts a text to a pattern for `ilike … escape '\'` in which every character matches itself.
 */
export function toLikePattern(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
