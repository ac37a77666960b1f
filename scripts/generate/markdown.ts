/** Builds a Markdown table whose cells cannot break it. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Marks a text as code. */
export function renderCode(text: string): string {
  return `\`${text}\``
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`; a page without the marks is an error. */
export function replaceSection(page: string, name: string, text: string): string {
  const marked = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!marked.test(page)) throw new Error(`there is no place for ${name}`)
  return page.replace(marked, (_, open: string, close: string) => `${open}${text}\n${close}`)
}
