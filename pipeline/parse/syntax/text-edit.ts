/** An edit of a text, at an offset, and why it is needed. */
export interface Repair {
  offset: number
  /** Number of characters to remove. */
  remove: number
  insert: string
  why: string
}

/** Builds the edit that removes one character. */
export function removeAt(offset: number, what: string): Repair {
  return { offset, remove: 1, insert: '', why: `this ${what} is not needed: remove it` }
}

/** Builds the edit that adds a text. */
export function insertAt(offset: number, insert: string, why: string): Repair {
  return { offset, remove: 0, insert, why }
}
