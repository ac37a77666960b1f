export type Change<Row> =
  | { kind: 'added'; row: Row }
  | { kind: 'changed'; old: Row; row: Row; fields: string[] }
  | { kind: 'removed'; old: Row }

/**
 * Computes the difference of two sets of rows, by key. `facts` are the columns that count; rows
 * that agree in all of them are the same row. Applying the changes to `before` gives `after`.
 */
export function diff<Row extends object>(
  before: readonly Row[],
  after: readonly Row[],
  key: (row: Row) => string,
  facts: readonly (keyof Row & string)[],
): Change<Row>[] {
  const old = new Map(before.map(row => [key(row), row]))
  const fresh = new Set(after.map(key))
  const arrived = after.flatMap((row): Change<Row>[] => {
    const was = old.get(key(row))
    if (was === undefined) return [{ kind: 'added', row }]
    const fields = facts.filter(name => !isSameValue(was[name], row[name]))
    return fields.length === 0 ? [] : [{ kind: 'changed', old: was, row, fields }]
  })
  const removed = before.filter(row => !fresh.has(key(row)))
  return [...arrived, ...removed.map((row): Change<Row> => ({ kind: 'removed', old: row }))]
}

/** Compares two values as JSON, whatever the order of keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isSameValue(item, b[index]))
    )
  }
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      name =>
        Object.hasOwn(b, name) &&
        isSameValue((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
    )
  )
}
