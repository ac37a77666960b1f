/** A column of a query, with its type as DuckDB writes it. */
export interface Column {
  name: string
  type: string
}

/** A type of DuckDB, as far as JSON tells it apart. */
type Type =
  | { kind: 'plain' }
  | { kind: 'text' }
  | { kind: 'list'; item: Type }
  | { kind: 'struct'; fields: readonly (readonly [name: string, type: Type])[] }
  | { kind: 'map'; value: Type }

/** Matches the types whose text is JSON already. */
const UNQUOTED_TYPE =
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN|JSON)$/
/** Characters of a text that JSON writes in another way, as arguments of DuckDB's `replace`; the backslash is first. */
const ESCAPES = [
  [String.raw`'\'`, String.raw`'\\'`],
  [`'"'`, String.raw`'\"'`],
  ['chr(10)', String.raw`'\n'`],
  ['chr(13)', String.raw`'\r'`],
  ['chr(9)', String.raw`'\t'`],
] as const

/**
 * Builds the SQL of a column's cells in CSV. Text that a spreadsheet would run is quoted, as in the API's CSV; lists,
 * structs and maps are JSON. DuckDB's own functions for that are an extension, which the browser does not have.
 */
export function buildCsvCell({ name, type }: Column): string {
  const column = `"${name.replaceAll('"', '""')}"`
  return `${buildCell(column, type)} as ${column}`
}

function buildCell(column: string, type: string): string {
  const parsed = parseType(type)
  if (type === 'VARCHAR') return `regexp_replace(${column}, '^([-=+@\t\r])', '''\\1')`
  if (parsed.kind === 'plain' || parsed.kind === 'text') return `${column}::varchar`
  return `if(${column} is null, null, ${toJson(parsed, column, 0)})`
}

/** Builds the SQL of the JSON of a value, which is the text null where there is none. */
function toJson(type: Type, value: string, depth: number): string {
  const quoteIn = (text: string) => `'"' || ${escapeText(text)} || '"'`
  if (type.kind === 'plain') return `coalesce(${value}::varchar, 'null')`
  if (type.kind === 'text') return `coalesce(${quoteIn(`${value}::varchar`)}, 'null')`
  if (type.kind === 'struct') {
    const fields = type.fields.map(([name, field]) => {
      const part = toJson(field, `struct_extract(${value}, ${quote(name)})`, depth)
      return `${quote(`${JSON.stringify(name)}:`)} || ${part}`
    })
    return `if(${value} is null, 'null', '{' || ${fields.join(` || ',' || `)} || '}')`
  }
  const each = `e${depth}`
  const joinParts = (items: string, part: string) =>
    `array_to_string(list_transform(${items}, lambda ${each}: ${part}), ',')`
  if (type.kind === 'list') {
    const items = joinParts(value, toJson(type.item, each, depth + 1))
    return `coalesce('[' || ${items} || ']', 'null')`
  }
  const key = quoteIn(`${each}.key::varchar`)
  const entry = `${key} || ':' || ${toJson(type.value, `${each}.value`, depth + 1)}`
  return `coalesce('{' || ${joinParts(`map_entries(${value})`, entry)} || '}', 'null')`
}

function escapeText(text: string): string {
  const replaced = ESCAPES.reduce((sql, [from, to]) => `replace(${sql}, ${from}, ${to})`, text)
  // Other control characters are no JSON, and no reader of a table misses them.
  return `regexp_replace(${replaced}, '[\\x00-\\x1f]', '', 'g')`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Parses the name of a type as DuckDB writes it: `STRUCT("a b" INTEGER, c VARCHAR[])[]`. */
function parseType(name: string): Type {
  const list = /^(.*)\[\d*\]$/s.exec(name)
  if (list?.[1] !== undefined) return { kind: 'list', item: parseType(list[1]) }
  const struct = /^STRUCT\((.*)\)$/s.exec(name)
  if (struct?.[1] !== undefined)
    return { kind: 'struct', fields: splitParts(struct[1]).map(parseField) }
  const map = /^MAP\((.*)\)$/s.exec(name)
  if (map?.[1] !== undefined) return { kind: 'map', value: parseType(splitParts(map[1])[1] ?? '') }
  return { kind: UNQUOTED_TYPE.test(name) ? 'plain' : 'text' }
}

function parseField(part: string): readonly [string, Type] {
  const [, quoted, bare = '', type = ''] = /^(?:"((?:[^"]|"")*)"|(\S+)) (.*)$/s.exec(part) ?? []
  return [quoted?.replaceAll('""', '"') ?? bare, parseType(type)]
}

/** Splits at the commas that are in no parentheses and no quotes. */
function splitParts(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|, |./gs)) {
    if (token === '(') depth++
    if (token === ')') depth--
    if (token === ', ' && depth === 0) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts
}
