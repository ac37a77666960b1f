import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSyntaxFault } from '../../../pipeline/parse/syntax/syntax-fault.ts'

const folder = join(import.meta.dirname, '../../fixtures/documents')
const files = ['adagents', 'brand'].flatMap(kind =>
  readdirSync(join(folder, kind)).map(name =>
    JSON.parse(readFileSync(join(folder, kind, name), 'utf8')),
  ),
)
/** Layouts in which people write JSON: with indentation, with lines that are not indented, and in one line. */
const layouts: ((file: unknown) => string)[] = [
  file => JSON.stringify(file, null, 2),
  file => JSON.stringify(file, null, 2).replace(/^ +/gm, ''),
  file => JSON.stringify(file),
]
const SPACES = /"(?:[^"\\]|\\.)*"| /g
const STRUCTURE = '{}[],:"'

const anyText = fc
  .tuple(fc.constantFrom(...files), fc.constantFrom(...layouts))
  .map(([file, write]) => write(file))

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Applies the fix that a message names, at its place. */
function follow(
  text: string,
  { line, column, why }: NonNullable<ReturnType<typeof findSyntaxFault>>,
) {
  const lines = text.split('\n')
  const offset = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1
  const edit = (remove: number, insert: string) =>
    text.slice(0, offset) + insert + text.slice(offset + remove)
  const [, problem = '', fix = ''] = /^(.*?): ((?:add|remove|write|replace) .*)$/.exec(why) ?? []
  const [, added] = /^add (\S+) here$/.exec(fix) ?? []
  if (/closing/.test(problem)) return text + (/[}\]]+$/.exec(problem)?.[0] ?? '')
  const [, missing] = /^a (.) is missing/.exec(problem) ?? []
  if (/never closed/.test(problem)) return edit(0, added ?? '')
  if (missing !== undefined) return edit(0, missing)
  if (fix.startsWith('add'))
    return edit(0, /comma/.test(problem) ? ',' : /colon/.test(problem) ? ':' : '"')
  if (fix.startsWith('remove')) return edit(1, '')
  if (fix.startsWith('replace')) return edit(1, ' ')
  const [, written = ''] = /^write (\S+) (?:instead|here)$/.exec(fix) ?? []
  return edit(1, written)
}

describe('one edit that broke a file is undone by the first fix', () => {
  const check = (broken: string) => {
    const fault = findSyntaxFault(broken)
    expect(fault, broken).toBeDefined()
    const repaired = follow(broken, fault!)
    expect(isJson(repaired), `${fault!.why} at ${fault!.line}:${fault!.column} of ${broken}`).toBe(
      true,
    )
  }

  test('a bracket, comma, colon or quote that is missing', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, at) => {
        const places = [...text.matchAll(/[{}[\],:"]/g)].map(({ index }) => index)
        const place = places[at % places.length]!
        const broken = text.slice(0, place) + text.slice(place + 1)
        fc.pre(!isJson(broken))
        check(broken)
      }),
      { numRuns: 3_000 },
    )
  })

  test('a bracket, comma, colon or quote that does not belong there', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.constantFrom(...STRUCTURE), (text, at, character) => {
        const place = at % (text.length + 1)
        const broken = text.slice(0, place) + character + text.slice(place)
        fc.pre(!isJson(broken))
        check(broken)
      }),
      { numRuns: 3_000 },
    )
  })

  test('a space that became an invisible character', () => {
    const invisible = fc.constantFrom('\u00a0', '\u2003', '\u3000', '\u200b', '\ufeff', '\u2060')
    const indented = fc.constantFrom(...files).map(file => JSON.stringify(file, null, 2))
    fc.assert(
      fc.property(indented, fc.nat(), invisible, (text, at, character) => {
        const places = [...text.matchAll(SPACES)].filter(([found]) => found === ' ')
        const place = places[at % places.length]!.index
        check(text.slice(0, place) + character + text.slice(place + 1))
      }),
      { numRuns: 500 },
    )
  })
})

/** Lists the closing brackets that a text lacks, the innermost first. */
function listMissing(text: string): string {
  const open: string[] = []
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/g)) {
    if (found === '{' || found === '[') open.unshift(found === '{' ? '}' : ']')
    if (found === '}' || found === ']') open.shift()
  }
  return open.join('')
}

/** Keeps the first item of each list, and short texts. */
const shorten = (_: string, value: unknown) =>
  typeof value === 'string' ? value.slice(0, 20) : Array.isArray(value) ? value.slice(0, 1) : value

test('a file that is cut off anywhere is said to end too early, and what is missing', () => {
  const short = files.map(file => JSON.parse(JSON.stringify(file, shorten)))
  const escaped = { 'a "b"': ['c\\', '\u2028é', -1.5e9, true, null, [[{}]], ''], d: { e: 'x, y' } }
  for (const text of [...short, escaped].flatMap(file => layouts.map(write => write(file)))) {
    const bytes = Buffer.from(text)
    for (let end = 1; end < Math.min(bytes.length, 1_500); end++) {
      const cut = bytes.toString('utf8', 0, end)
      const { why } = findSyntaxFault(cut)!
      const missing = listMissing(cut)
      expect(why, cut).toMatch(/^it ends too early, without its closing \S+: add /)
      expect(why, cut).toContain(` closing ${missing}: `)
      if (why.includes(`: add ${missing},`)) expect(isJson(cut + missing), cut).toBe(true)
    }
  }
})

test('a large file that is broken everywhere costs a bounded time', () => {
  const item = '{"url": "https://ads.example" "x": [1,] }'
  const text = `[${Array.from({ length: 20_000 }, () => item).join(',\n')}`
  const start = performance.now()
  expect(findSyntaxFault(text)).toMatchObject({ line: 1 })
  expect(performance.now() - start).toBeLessThan(5_000)
})
