const KEY = /^( *)([a-z]\w*):(?: +(.*))?$/
const ITEM = /^( *)- +(.*)$/
/** A text that means itself: no quotes, marks or words that are values of another type. */
const PLAIN_TEXT = /^(?!(?:true|false|null|yes|no|on|off|~)$)[A-Za-z](?:(?!: | #|:$)[^\n])*$/i
/** A list of words on one line. */
const FLOW = /^\[((?:[a-z]\w*(?:, *[a-z]\w*)*)?)\](?: +#.*)?$/
const SINGLE_QUOTED = /^'[^'\n]*'$/
const QUOTED = /^"(?:(?!\p{Cc})[^"\\]|\\["\\n])*"$/u

type Plain = string | string[] | { [key: string]: Plain }

interface Lines {
  lines: readonly string[]
  at: number
}

/**
 * Parses the plain part of YAML that heads of storyboards are written in: maps, lists of texts, and texts on one line.
 * Undefined where a document has anything else, which the library then parses: that takes ten times as long.
 */
export function parsePlainYaml(text: string): Plain | undefined {
  const lines = text.split('\n').filter(line => !/^ *(#.*)?$/.test(line))
  const from: Lines = { lines, at: 0 }
  const map = parseMap(from, 0)
  return from.at === lines.length ? map : undefined
}

function parseMap(from: Lines, indent: number): Plain | undefined {
  const map: { [key: string]: Plain } = {}
  for (; from.at < from.lines.length; ) {
    const [, space = '', key = '', rest = ''] = KEY.exec(from.lines[from.at] ?? '') ?? []
    if (key === '' || space.length < indent) break
    if (space.length > indent || Object.hasOwn(map, key)) return undefined
    from.at++
    const value = rest === '' ? parseBelow(from, indent) : parseValue(rest)
    if (value === undefined) return undefined
    map[key] = value
  }
  return map
}

/** Parses what is below a key: a map or a list, further to the right; a list may begin at the key. */
function parseBelow(from: Lines, indent: number): Plain | undefined {
  const line = from.lines[from.at] ?? ''
  const inner = line.length - line.trimStart().length
  if (ITEM.test(line)) return inner >= indent ? parseList(from, inner) : undefined
  return inner > indent ? parseMap(from, inner) : undefined
}

function parseList(from: Lines, indent: number): string[] | undefined {
  const items: string[] = []
  for (; from.at < from.lines.length; from.at++) {
    const [, space = '', rest = ''] = ITEM.exec(from.lines[from.at] ?? '') ?? []
    if (rest === '' || space.length < indent) break
    const item = space.length === indent ? parseText(rest) : undefined
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function parseValue(text: string): Plain | undefined {
  const [, words] = FLOW.exec(text) ?? []
  if (words === undefined) return parseText(text)
  const items = words.split(',').flatMap(word => word.trim() || [])
  return items.every(item => PLAIN_TEXT.test(item)) ? items : undefined
}

function parseText(text: string): string | undefined {
  const trimmed = text.trimEnd()
  if (PLAIN_TEXT.test(trimmed)) return trimmed
  if (SINGLE_QUOTED.test(trimmed)) return trimmed.slice(1, -1)
  return QUOTED.test(trimmed) ? JSON.parse(trimmed) : undefined
}
