import fc from 'fast-check'

export type Path = (string | number)[]

/** One change in one place of a JSON document. */
export interface Mutation {
  path: Path
  how: 'replace' | 'delete' | 'duplicate'
  value: unknown
}

/** Values that are valid in few places or none. */
const oddValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e300,
  '',
  ' ',
  '__proto__',
  'constructor',
  '*',
  '\ud800',
  [],
  {},
  [null],
  [[]],
  [{}],
  { '': null },
  { length: 3 },
  ['x', 1],
  'x'.repeat(100_000),
  'http://a.example',
  'javascript:1',
  'not a domain',
  '2026-13-45',
  '2026-01-01',
  'ZZZ',
  'é',
]

/** Draws a change in any place of a document, the root included. */
export function drawMutation(document: unknown): fc.Arbitrary<Mutation> {
  return fc.record({
    path: fc.constantFrom(...listPaths(document)),
    how: fc.constantFrom('replace', 'replace', 'replace', 'delete', 'duplicate'),
    value: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...oddValues) }, fc.jsonValue()),
  })
}

export function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value)
  const below = keys.flatMap(key => listPaths((value as never)[key], [...path, key]))
  return [path, ...below]
}

/** Returns a copy of the document with the change made. */
export function mutate(document: unknown, { path, how, value }: Mutation): unknown {
  if (path.length === 0) return how === 'replace' ? value : document
  const copy = structuredClone(document)
  const key = path.at(-1)!
  const parent = findValue(copy, path.slice(0, -1))
  if (Array.isArray(parent)) changeItem(parent, Number(key), how, value)
  else changeKey(parent as Record<string, unknown>, String(key), how, value)
  return copy
}

function changeItem(list: unknown[], index: number, how: Mutation['how'], value: unknown): void {
  if (how === 'replace') list[index] = value
  else if (how === 'delete') list.splice(index, 1)
  else list.splice(index, 0, structuredClone(list[index]))
}

function changeKey(
  object: Record<string, unknown>,
  key: string,
  how: Mutation['how'],
  value: unknown,
): void {
  if (how === 'replace') object[key] = value
  else if (how === 'delete') delete object[key]
  else object[`${key}_copy`] = structuredClone(object[key])
}

export function findValue(document: unknown, path: Path): unknown {
  return path.reduce((node, step) => (node as never)?.[step], document as unknown)
}
