import { type Parameters, toListExpression } from './duckdb.ts'

/**
 * The condition that `column` is one of these texts, with its parameter. For a single one nothing is
 * joined: a small question is then answered by the thread that asks it.
 */
export function inList(
  column: string,
  values: readonly string[],
): { condition: string; keys: Parameters } {
  const [only] = values
  return values.length === 1
    ? { condition: `${column} = $keys`, keys: { keys: only! } }
    : {
        condition: `${column} in (select unnest(${toListExpression('$keys')}))`,
        keys: { keys: JSON.stringify(values) },
      }
}
