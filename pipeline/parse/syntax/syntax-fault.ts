import { buildPlaces, findParseError, type TextPlace } from '../fault-places.ts'
import { explainCutOff } from './cut-off.ts'
import { readSyntax, type Step, type SyntaxReading } from './json-tokens.ts'
import { TYPOGRAPHIC, WRITE_STRAIGHT } from './quote-repairs.ts'
import { findRepair } from './syntax-repair.ts'

type ParserError = NonNullable<ReturnType<typeof findParseError>>

interface Explanation {
  why: string
  offset: number
}

/** Message for each error inside a token, which says more than the token. */
const tokenWords: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'this is not a number: write one such as 1.5',
  InvalidCommentToken: 'JSON has no comments: remove this one',
  UnexpectedEndOfComment: 'JSON has no comments: remove this one',
  UnexpectedEndOfNumber: 'this number is incomplete: write all its digits',
  InvalidUnicode: 'this escape is incomplete: write four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'this character cannot follow a backslash: write \\\\ for a backslash',
  InvalidCharacter: 'this character is not allowed in a string: write an escape such as \\n',
}

/** Message for each other error of the JSON parser, where no edit of one place helps. */
const syntaxWords: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value: put strings in double quotes',
  PropertyNameExpected: 'expected a name in double quotes: add it here',
  ValueExpected: 'expected a value: add it here',
  ColonExpected: 'expected a colon before this: add it',
  CommaExpected: 'expected a comma before this: add it',
  CloseBraceExpected: 'expected a }: add it here',
  CloseBracketExpected: 'expected a ]: add it here',
  EndOfFileExpected: 'expected the end of the file: remove this and the rest',
  UnexpectedEndOfString: 'this string never ends: add the closing double quote',
}

/** Matches a character that looks like a space, or like nothing, and that JSON does not allow between tokens. */
const INVISIBLE = /[^\P{Z} ]|[^\P{Cc}\t\n\r]|\p{Cf}/u
const ADS_TXT = /^(?:#[^\n]*\n\s*)*[\w.-]+,[^,\n]+,\s*(?:DIRECT|RESELLER)\b/i
/** Matches the beginning of an image or a program: bytes that no text has, and nothing of a JSON object. */
const BINARY = /^[^{"]*(?![\t\n\r])[\p{Cc}\ufffd][^{"]*$/u
type Format = readonly [isFormat: (text: string) => boolean, why: string]

const isUtf16 = (text: string): boolean => text.slice(0, 4).includes('\0')
/** Formats of files that are not text, so that their encoding says nothing. */
const binaryFormats: readonly Format[] = [
  [
    text => text.startsWith('PK\u0003\u0004'),
    'it is a zip archive or an Office document: put the JSON itself here, as plain text',
  ],
  [text => text.startsWith('%PDF-'), 'it is a PDF: put the JSON itself here, as plain text'],
  [
    text => !isUtf16(text) && BINARY.test(text.slice(0, 32)),
    'it is not a text file: put the JSON itself here, as plain text',
  ],
]
/** Formats of files that people upload or paste in place of JSON. */
const otherFormats: readonly Format[] = [
  ...binaryFormats,
  [isUtf16, 'it is encoded in UTF-16: write it in UTF-8'],
  [
    text => text.trimStart().startsWith('{\\rtf'),
    'it is an RTF document: put the JSON itself here, as plain text',
  ],
  [
    text => text.trimStart().startsWith('```'),
    'it begins with ```, which marks code in a chat: remove the lines with ``` before and after the JSON',
  ],
  [text => ADS_TXT.test(text), 'it is an ads.txt: put the JSON of the file here'],
]
const STRINGS = /"(?:[^"\\\n\r]|\\[^\n\r])*"/g

/** Tells whether the bytes of a file were no text in any encoding, by what they were decoded to. */
export function isBinary(text: string): boolean {
  return binaryFormats.some(([isFormat]) => isFormat(text))
}

/** Finds where a text stops being JSON, and why; undefined where it is nested too deeply to tell. */
export function findSyntaxFault(text: string): (TextPlace & { why: string }) | undefined {
  const error = findParseError(text)
  if (error === undefined) return undefined
  const other = otherFormats.find(([isFormat]) => isFormat(text))
  if (other) return { ...buildPlaces(text)(0), why: other[1] }
  const { why, offset } = explainFailed(text, readSyntax(text)) ?? explain(text, error)
  return { ...buildPlaces(text)(offset), why }
}

/** Explains an error by the edit that undoes it, or by what the parser says of it. */
function explain(text: string, { code, offset }: ParserError): Explanation {
  const repair = findRepair(text)
  const inToken = tokenWords[code]
  if (repair && (repair.isComplete || inToken === undefined)) return repair
  return { why: inToken ?? syntaxWords[code] ?? 'this is not JSON', offset }
}

/** Explains a token whose text, or whose place in the file, leaves no doubt. */
function explainFailed(text: string, reading: SyntaxReading): Explanation | undefined {
  const { failed } = reading
  if (failed === undefined) return undefined
  return (
    explainInvisible(text, failed) ??
    explainStart(text) ??
    explainPlaceholder(failed) ??
    explainCutOff(text, reading) ??
    explainTypographic(failed)
  )
}

function explainInvisible(text: string, { token }: Step): Explanation | undefined {
  if (token.text.startsWith('"')) return undefined
  const found = INVISIBLE.exec(token.text)
  if (found === null) return undefined
  const [character] = found
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const others = text.replace(STRINGS, '').split(character).length - 2
  const rest =
    others > 0
      ? `, and ${others === 1 ? 'the other one' : `the ${others} others`} in this file`
      : ''
  const repair = /\p{Z}/u.test(character) ? 'replace it with a space' : 'remove it'
  return {
    why: `there is an invisible character here (U+${code}): ${repair}${rest}`,
    offset: token.start + found.index,
  }
}

function explainStart(text: string): Explanation | undefined {
  if (text.trim() === '' || /^\s*(?:["{}[\],:]|\/[/*])/.test(text)) return undefined
  return { why: 'it does not start with {: put the JSON of the file here', offset: 0 }
}

/** Explains the dots of an example that was not filled in. */
function explainPlaceholder({ token }: Step): Explanation | undefined {
  const [dots] = /^(?:\.{2,}|…)/.exec(token.text) ?? []
  if (dots === undefined) return undefined
  const why = `${dots} stands for something that was left out: write it out, or remove the dots`
  return { why, offset: token.start }
}

function explainTypographic({ token }: Step): Explanation | undefined {
  const found = TYPOGRAPHIC.exec(token.text)
  if (found === null) return undefined
  const why = `${found[0]} is a typographic quote: ${WRITE_STRAIGHT}`
  return { why, offset: token.start + found.index }
}
