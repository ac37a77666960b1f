import MarkdownIt, { type Token } from 'markdown-it'
import { formatCount } from '../../../pipeline/core/counts.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { type Child, type Html, h } from './jsx.ts'
import { capitalize } from './text.tsx'

/** Apostrophes are set as on the rest of the site; double quotes may be part of what somebody copies. */
const markdown = new MarkdownIt({
  html: false,
  typographer: true,
  quotes: ['"', '"', '‘', '’'],
}).disable('replacements')

/** Lines of JSON that are shown without being opened. */
const OPEN_LINES_MAX = 12

/** The only HTML of our documents, which other sites that show them understand as well: what is folded. */
const FOLDED = /^<details>\n<summary>(.+)<\/summary>\n([\s\S]*?)^<\/details>$/m

interface Element {
  token: Token
  children: Child[]
  /** Names of the columns of a table. */
  columns: string[]
}

/** Address to which a link leads, or path of a file that is not served; undefined for nothing to be named. */
export type Place = string | { path: string } | undefined
type ToPlace = (address: string) => Place

/**
 * Renders Markdown as the content of a page; sections have ids to link to. A link without an address is
 * left as text, beside the path of its file.
 */
export function renderMarkdown(text: string, toPlace: ToPlace): Html {
  const render = (part: string) => renderTokens(markdown.parse(part, {}), toPlace)
  // Every third part is the summary of what is folded, and the one after it the content.
  const parts = text.split(FOLDED).map((part, i, all) => {
    if (i % 3 === 1) return null
    return i % 3 === 0
      ? render(part)
      : h('details', { class: 'fold' }, h('summary', null, all[i - 1]), ...render(part))
  })
  return h('', null, ...parts)
}

function renderTokens(tokens: readonly Token[], toPlace: ToPlace): Child[] {
  const top: Child[] = []
  const open: Element[] = []
  const add = (child: Child) => (open.at(-1)?.children ?? top).push(child)
  for (const token of tokens) {
    if (token.nesting === 1) open.push({ token, children: [], columns: [] })
    else if (token.nesting === -1) {
      const element = requireValue(open.pop(), 'open element')
      if (token.tag === 'th') findColumns(open).push(capitalize(element.token.content))
      add(token.tag === 'td' ? renderCell(element.children, open) : renderElement(element, toPlace))
    } else if (token.type === 'inline') {
      const children = renderTokens(token.children ?? [], toPlace)
      // The text of a heading, of which its id is made.
      const parent = open.at(-1)
      if (parent) parent.token.content = token.content
      const [first, ...others] = children
      add(
        parent?.token.tag === 'th' && typeof first === 'string'
          ? [capitalize(first), ...others]
          : children,
      )
    } else add(renderLeaf(token))
  }
  return top
}

/** Finds the names of the columns of the table that is open. */
function findColumns(open: readonly Element[]): string[] {
  return requireValue(
    open.find(({ token }) => token.tag === 'table'),
    'table',
  ).columns
}

/** Renders a cell; the first is the header of its row, and on a narrow screen each other shows its column. */
function renderCell(children: readonly Child[], open: readonly Element[]): Html {
  const index = requireValue(open.at(-1), 'row').children.length
  if (index === 0) return h('th', { scope: 'row' }, ...children)
  return h('td', { 'data-label': findColumns(open)[index] }, ...children)
}

function renderElement({ token, children, columns }: Element, toPlace: ToPlace): Child {
  const { tag, hidden, content } = token
  // The paragraph of a short list item.
  if (hidden) return children
  if (tag === 'h2' || tag === 'h3') return renderHeading(tag, toHeadingId(content), children)
  if (tag === 'a') {
    const place = toPlace(String(token.attrGet('href')))
    if (typeof place === 'string') return h('a', { href: place }, ...children)
    return place === undefined ? children : [children, ' (', h('code', null, place.path), ')']
  }
  if (tag === 'table')
    return h(
      'section',
      {
        class: 'scrolls',
        tabindex: 0,
        'aria-label': `Table: ${columns.filter(Boolean).join(', ')}`,
      },
      h('table', null, ...children),
    )
  // A column without a name has no header.
  if (tag === 'th') return content === '' ? h('td', null) : h(tag, { scope: 'col' }, ...children)
  return h(tag, null, ...children)
}

function renderHeading(tag: 'h2' | 'h3', id: string, children: readonly Child[]): Html {
  return h(tag, { id }, h('a', { href: `#${id}` }, ...children))
}

/** Converts a heading to its id, as code hosts do. */
export function toHeadingId(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-')
}

function renderLeaf({ type, tag, content, info }: Token): Child {
  if (type === 'fence' || type === 'code_block') return renderCode(content, info)
  if (type === 'softbreak') return ' '
  return tag === '' ? content : h(tag, null, content)
}

/** Renders code; a long answer in JSON is folded, since the text beside it says what it shows. */
function renderCode(content: string, language: string): Html {
  const code = h('pre', { tabindex: 0 }, content)
  const lines = content.trimEnd().split('\n').length
  if (language !== 'json' || lines <= OPEN_LINES_MAX) return code
  return h('details', null, h('summary', null, `Response, ${formatCount(lines)} lines`), code)
}
