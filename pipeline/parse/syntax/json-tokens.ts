/** A token of a text that may not be JSON: a bracket, a comma, a colon, a string or a word. */
export interface Token {
  text: string
  start: number
}

/** A bracket that is open, and the one around it. */
export interface OpenBracket {
  token: Token
  around: OpenBracket | undefined
}

type Expected = 'value' | 'item or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end'

/** State of the parser at one place of a text. */
export interface SyntaxState {
  expected: Expected
  open: OpenBracket | undefined
}

/** A token with the state before it. */
export interface Step extends SyntaxState {
  token: Token
}

/** Result of reading a text as JSON: its tokens up to the first one that does not fit, or up to its end. */
export interface SyntaxReading {
  steps: Step[]
  /** The token that does not fit, empty where the text ends too early; undefined if the text is JSON. */
  failed: Step | undefined
}

const START: SyntaxState = { expected: 'value', open: undefined }
const TOKEN = /"(?:[^"\\\n\r]|\\(?:[^\n\r]|$))*"?|[{}[\]:,]|[^ \t\n\r{}[\]:,"]+/g
const STRING = /^"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"$/u
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Reads a text as JSON, token by token, from an offset at which a state is known. */
export function readSyntax(text: string, from = 0, state: SyntaxState = START): SyntaxReading {
  const steps: Step[] = []
  const pattern = new RegExp(TOKEN)
  pattern.lastIndex = from
  let now = state
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const step = { ...now, token: { text: match[0], start: match.index } }
    const next = advance(step)
    if (next === undefined) return { steps, failed: step }
    steps.push(step)
    now = next
  }
  const atEnd = { ...now, token: { text: '', start: text.length } }
  return { steps, failed: now.expected === 'end' ? undefined : atEnd }
}

/** Returns the state behind a token; undefined if JSON does not allow it there. */
export function advance({ expected, open, token }: Step): SyntaxState | undefined {
  const isValue = expected === 'value' || expected === 'item or ]'
  const { text } = token
  switch (text[0]) {
    case '{':
    case '[':
      if (!isValue) return undefined
      return {
        expected: text === '{' ? 'name or }' : 'item or ]',
        open: { token, around: open },
      }
    case '}':
    case ']': {
      const isLast = expected === 'comma' || expected === (text === '}' ? 'name or }' : 'item or ]')
      if (!isLast || open === undefined || toCloser(open) !== text) return undefined
      return endValue(open.around)
    }
    case ',':
      if (expected !== 'comma') return undefined
      return { expected: open?.token.text === '{' ? 'name' : 'value', open }
    case ':':
      return expected === 'colon' ? { expected: 'value', open } : undefined
    case '"':
      if (!STRING.test(text)) return undefined
      if (expected === 'name' || expected === 'name or }') return { expected: 'colon', open }
      return isValue ? endValue(open) : undefined
    default:
      return isValue && SCALAR.test(text) ? endValue(open) : undefined
  }
}

/** Returns the bracket that closes an open one. */
export function toCloser({ token }: OpenBracket): '}' | ']' {
  return token.text === '{' ? '}' : ']'
}

/** Returns the offset behind a token. */
export function endToken({ text, start }: Token): number {
  return start + text.length
}

function endValue(open: OpenBracket | undefined): SyntaxState {
  return { expected: open === undefined ? 'end' : 'comma', open }
}
