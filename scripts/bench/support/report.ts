import { getAt } from '../../../pipeline/core/present.ts'
/** Prints rows under a head, numbers right-aligned. */
export function printTable(head: readonly string[], rows: readonly (string | number)[][]): void {
  const lines = [head, ...rows].map(row => row.map(String))
  const widths = head.map((_, i) => Math.max(...lines.map(line => getAt(line, i).length)))
  for (const line of lines) {
    const cells = line.map((cell, i) =>
      i === 0 ? cell.padEnd(getAt(widths, i)) : cell.padStart(getAt(widths, i)),
    )
    console.log(cells.join('   '))
  }
}

/** Prints the result as JSON, on the last line of a bench. */
export function printResult(result: { bench: string } & Record<string, unknown>) {
  console.log(JSON.stringify(result))
}

export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
