/** A page of a list. */
export interface Page {
  limit: number
  offset: number
}

/** `text` as a pattern for `ilike … escape '\'`: every character stands for itself. */
export function toLikePattern(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
