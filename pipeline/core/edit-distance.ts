/** Counts the letters to add, remove, replace or swap with their neighbor until one text is the other. */
export function countEdits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) rows.push(fillRow(a, b, i, rows))
  return rows[a.length]?.[b.length] ?? 0
}

function fillRow(a: string, b: string, i: number, rows: number[][]): number[] {
  const above = rows[i - 1] ?? []
  const row = [i]
  for (let j = 1; j <= b.length; j++) {
    const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
    const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    const swapped = isSwap ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : replaced
    row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped))
  }
  return row
}
