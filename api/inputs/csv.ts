import Papa from 'papaparse'

/** Parses CSV, separated by commas, semicolons or tabs; empty lines and those that begin with # are left out. */
export function parseCsv(text: string): string[][] {
  const delimiter = /^[^\n,]*?([\t;])/.exec(text)?.[1] ?? ','
  const options = { delimiter, comments: '#', skipEmptyLines: 'greedy' } as const
  const { data } = Papa.parse<string[]>(text, options)
  return data.map(row => row.map(cell => cell.trim()))
}

/**
 * Formats rows as lines of CSV. A value that a spreadsheet would run as a formula is quoted as text, since
 * strangers choose what files say.
 */
export function formatCsv(rows: readonly (readonly unknown[])[]): string {
  return `${Papa.unparse(rows as unknown[][], { escapeFormulae: true })}\r\n`
}
