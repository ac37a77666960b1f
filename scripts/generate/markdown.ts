/** Renders a Markdown table; cells are escaped. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Renders a text as code. */
export function renderCode(text: string): string {
  return `\`${text}\``
}

/**
 * Replaces the text between `<!-- name -->` and `<!-- /name -->`; throws where the page has no such
 * marks.
 */
export function replaceSection(page: string, name: string, text: string): string {
  const marked = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!marked.test(page)) throw new Error(`the page has no section ${name}`)
  return page.replace(marked, (_, open: string, close: string) => `${open}${text}\n${close}`)
}
