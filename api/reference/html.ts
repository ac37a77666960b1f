/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | undefined | false | readonly Part[]

/** HTML from a template: what is put in is escaped, unless it is HTML already. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((said, text, i) => said + spell(parts[i - 1]) + text))
}

function spell(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(spell).join('')
  return String(part).replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)
}

/** Prose with `code` in it. */
export function prose(text: string): Html {
  const spans = text
    .split('`')
    .map((span, i) => (i % 2 ? html`<code>${span}</code>` : html`${span}`))
  return html`${spans}`
}
