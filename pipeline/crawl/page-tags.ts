/** Tags that are read from one page: more than an honest one has. */
const TAGS_MAX = 300
const TAG_CHARS = 16 * 1024
const CONTENT_CHARS = 256 * 1024

const [SPACE, DOUBLE, SINGLE, EQUALS, CLOSE] = [0x20, 0x22, 0x27, 0x3d, 0x3e]
const NAME = /[a-z][a-z0-9]*/iy
const LINKED_DATA = /application\/ld\+json/i
/** Elements whose content is text up to their end tag, whatever it looks like. */
const rawTextElements = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noframes',
])
/** Elements without content. */
const voidElements = new Set(['meta', 'link', 'base'])

/**
 * Extracts the tags that describe a page (title, meta, link, base, linked data) as a flat list. One
 * pass over the text: building the tree of a hostile page takes a parser very long.
 */
export function extractDescriptiveTags(html: string): string {
  const tags: string[] = []
  let at = html.indexOf('<')
  while (at >= 0 && tags.length < TAGS_MAX) {
    const next = html.startsWith('<!--', at) ? findCommentEnd(html, at) : readTag(html, at, tags)
    if (next === undefined) break
    at = html.indexOf('<', next)
  }
  return tags.join('\n')
}

function findCommentEnd(html: string, position: number): number | undefined {
  const end = html.indexOf('-->', position + 4)
  return end < 0 ? undefined : end + 3
}

/** Reads a tag, and keeps it if it describes the page; returns the position after it, undefined at the end. */
function readTag(html: string, position: number, tags: string[]): number | undefined {
  NAME.lastIndex = position + 1
  const name = NAME.exec(html)?.[0].toLowerCase()
  if (name === undefined) return position + 1
  const end = findTagEnd(html, position)
  if (end === undefined) return undefined
  const tag = html.slice(position, Math.min(end, position + TAG_CHARS + 1))
  const isShort = tag.length <= TAG_CHARS
  if (isShort && voidElements.has(name)) tags.push(tag)
  if (!rawTextElements.has(name)) return end
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = end
  const found = close.exec(html)
  if (found === null) return undefined
  const wanted = name === 'title' || (name === 'script' && LINKED_DATA.test(tag))
  if (isShort && wanted && found.index - end <= CONTENT_CHARS) {
    tags.push(`${tag}${html.slice(end, found.index)}</${name}>`)
  }
  return found.index + found[0].length
}

/** Finds the position after the `>` that closes the tag; one in a quoted value does not. */
function findTagEnd(html: string, position: number): number | undefined {
  let quote = 0
  let last = 0
  for (let i = position; i < html.length; i++) {
    const code = html.charCodeAt(i)
    if (quote !== 0) quote = code === quote ? 0 : quote
    else if (code === CLOSE) return i + 1
    else if ((code === DOUBLE || code === SINGLE) && last === EQUALS) quote = code
    if (code > SPACE) last = code
  }
  return undefined
}
