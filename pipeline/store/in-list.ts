import type { Parameters } from './database.ts'

/**
 * Builds the condition that `column` is one of these texts, with its parameter. A single text needs no
 * join: a small query then runs on the calling thread.
 */
export function inList(
  column: string,
  values: readonly string[],
): { condition: string; keys: Parameters } {
  const [only] = values
  return values.length === 1 && only !== undefined
    ? { condition: `${column} = $keys`, keys: { keys: only } }
    : {
        condition: `${column} in (select value from json_each($keys))`,
        keys: { keys: JSON.stringify(values) },
      }
}
