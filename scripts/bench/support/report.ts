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

/** Prints the result as JSON, on the last line of a bench. What missed its bounds makes it fail with `--check`. */
export function printResult({
  missed = [],
  ...result
}: { bench: string; missed?: readonly string[] } & Record<string, unknown>): void {
  console.log(JSON.stringify({ ...result, missed }))
  if (missed.length > 0 && process.argv.includes('--check')) process.exitCode = 1
}

export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
