const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs
/** JSON of fewer lines has one member, which is read as it is. */
const LINES_MIN = 4
const DEPTH_MAX = 40
/** A text that grows by more than this factor is nothing but nesting. */
const GROWTH_MAX = 8

/**
 * Formats JSON of several members that is one line in lines, so that each issue has a line of its own. Values stay as they are
 * written, and JSON with a syntax error is broken as far as it goes; every other text is returned unchanged.
 */
export function formatJson(text: string): string {
  const line = text.trim()
  if (line.includes('\n') || (line[0] !== '{' && line[0] !== '[')) return text
  let [lines, depth, before] = ['', 0, '']
  const breakLine = () => {
    lines += `\n${'  '.repeat(Math.min(depth, DEPTH_MAX))}`
  }
  for (const [token] of line.matchAll(TOKENS)) {
    const isEnd = token === '}' || token === ']'
    if (isEnd) depth = Math.max(0, depth - 1)
    if (isEnd ? !isStart(before) : isStart(before) || before === ',') breakLine()
    lines += before === ':' ? ` ${token}` : token
    if (isStart(token)) depth++
    if (lines.length > text.length * GROWTH_MAX) return text
    before = token
  }
  return lines.split('\n').length < LINES_MIN ? text : `${lines}\n`
}

function isStart(token: string): boolean {
  return token === '{' || token === '['
}
