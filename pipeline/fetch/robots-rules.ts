/** A rule of a group: allow or disallow, and its path pattern. */
interface Rule {
  allows: boolean
  pattern: string
}

const LINE = /^\s*([a-z-]+)\s*:\s*([^#]*)/i
const PRODUCT = /^[a-z_-]+/i
const UNRESERVED = /[\w.~-]/

/**
 * Parses the rules of a robots.txt (RFC 9309) that apply to one product: all groups that name it, else all
 * groups for `*`.
 */
export function parseRules(product: string, text: string): Rule[] {
  const ownRules: Rule[] = []
  const general: Rule[] = []
  let groups = new Set<Rule[]>()
  let isNamed = false
  let isOpen = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, field, rest] = LINE.exec(line) ?? []
    const [key, value] = [field?.toLowerCase(), rest?.trim() ?? '']
    if (key === 'user-agent') {
      if (!isOpen) groups = new Set()
      isOpen = true
      if (value === '*') groups.add(general)
      if (PRODUCT.exec(value)?.[0].toLowerCase() === product.toLowerCase()) groups.add(ownRules)
      isNamed ||= groups.has(ownRules)
    } else if (key === 'allow' || key === 'disallow') {
      isOpen = false
      const rule = { allows: key === 'allow', pattern: normalizePath(value) }
      if (value !== '') for (const group of groups) group.push(rule)
    }
  }
  return isNamed ? ownRules : general
}

/**
 * Tells whether a URL is allowed: the longest matching pattern wins; among equals, `Allow` does.
 */
export function isAllowed(rules: readonly Rule[], url: URL): boolean {
  if (url.pathname === '/robots.txt') return true
  const path = normalizePath(url.pathname + url.search)
  let best: Rule | undefined
  for (const rule of rules) {
    const more = rule.pattern.length - (best?.pattern.length ?? 0)
    if ((more > 0 || (more === 0 && rule.allows)) && isMatching(rule.pattern, path)) best = rule
  }
  return best?.allows ?? true
}

/** Matches `*` as any text and `$` at the end as the end. Takes linear time for every pattern. */
function isMatching(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  const last = parts.length - 1
  let position = 0
  for (const [i, part] of parts.entries()) {
    const found =
      isWhole && i === last && i > 0 ? path.length - part.length : path.indexOf(part, position)
    if (found < position || (i === 0 && found !== 0) || !path.startsWith(part, found)) return false
    position = found + part.length
  }
  return !isWhole || position === path.length
}

/**
 * Normalizes percent escapes for comparison: unreserved characters decoded, others with upper-case
 * digits.
 */
function normalizePath(text: string): string {
  return text.replace(/[^\0-\x7f]+/g, encodeURIComponent).replace(/%[0-9a-f]{2}/gi, code => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return UNRESERVED.test(character) ? character : code.toUpperCase()
  })
}

export type { Rule }
