import { describe, expect, test } from 'vitest'
import { checkFile, inferKind } from '../../../pipeline/parse/check-file.ts'

const now = Date.parse('2026-11-20T03:00:00Z')
const check = (text: string, domain?: string) =>
  checkFile('adagents.json', Buffer.from(text), { domain, now, maxFaults: 100 })
const place = (text: string) => {
  const { errors, warnings } = check(text)
  return [...errors, ...warnings].map(({ field, line, column }) => `${field} ${line}:${column}`)
}

const head = '"$schema": "s", "last_updated": "2026-11-01T00:00:00Z"'

describe('a fault has the place of what it is about', () => {
  test.each<[string, string, string]>([
    [
      'a value',
      `{${head},\n  "authorized_agents": "none",\n"properties": []}`,
      'authorized_agents 2:3',
    ],
    [
      'an item of a list',
      `{${head},\n"authorized_agents": [\n  true\n]}`,
      'authorized_agents[0] 3:3',
    ],
    [
      'something missing: the object it belongs to',
      `{${head},\n"authorized_agents": [\n  { "authorized_for": "x" }\n]}`,
      'authorized_agents[0].url 3:3',
    ],
    ['a missing member of the file', `\n {${head}, "properties": []}`, 'authorized_agents 2:2'],
    [
      'lines that end as on Windows',
      `{${head},\r\n"authorized_agents": 1,\r\n"properties": []}`,
      'authorized_agents 2:1',
    ],
    [
      'the last of equal names, which counts',
      `{${head},\n"authorized_agents": [],\n"authorized_agents": 1, "properties": []}`,
      'authorized_agents 3:1',
    ],
    [
      'a name that stands twice in one object',
      `{${head},\n"authorized_agents": [{ "url": "a",\n "url": "b" }]}`,
      'authorized_agents[0] 3:2',
    ],
    [
      'a name with a dot',
      `{${head}, "authorized_agents": [], "tags": {\n"a.b": 1}}`,
      'tags.a.b 2:1',
    ],
  ])('%s', (_, text, expected) => {
    expect(place(text)).toContain(expected)
  })
})

/** A file with a list of two items, and a member behind it. */
const LIST = `{
  "agents": [
    { "url": "a" },
    { "url": "b" }
  ],
  "last_updated": "2026-11-01T00:00:00Z"
}`

describe('a text that is not JSON is reported with the place and the reason', () => {
  test.each<[string, string, string, number, number]>([
    ['a list that does not end', '{\n  "a": [}\n}', 'the [ on line 2 ends with ], not }', 2, 9],
    ['a comma too many', '{\n  "a": [1,\n  ]\n}', 'remove the trailing comma', 2, 10],
    ['a comma too few', '{\n  "a": 1\n  "b": 2\n}', 'a comma at the end of this line', 2, 9],
    ['a comma too few in one line', '{"a": 1 "b": 2}', 'expected a comma before this', 1, 9],
    ['a comma before the first', '{\n  "a": [, 1]\n}', 'this comma follows nothing', 2, 9],
    ['a colon too few', '{\n  "a" 1\n}', 'expected a colon after "a"', 2, 7],
    ['a comment', '{\n// hello\n"a": 1}', 'no comments', 2, 1],
    ['a comment before it', '// hello\n{"a": 1}', 'no comments', 1, 1],
    ['single quotes', "{\n'a': 1}", 'double quotes', 2, 1],
    ['a word of another language', '{"a": True}', 'True is not a JSON value: write true', 1, 7],
    ['no value', '{"a": [None]}', 'None is not a JSON value: write null', 1, 8],
    ['typographic quotes', '{“a”: 1}', '“ is a typographic quote: write "', 1, 2],
    ['no JSON at all', 'hello', 'it does not start with {: put ', 1, 1],
    ['an Office document', 'PK\u0003\u0004\u0014\0', 'it is a zip archive or an Office ', 1, 1],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le').toString(), 'it is encoded in UTF-16: ', 1, 1],
    ['an image', '\ufffdPNG\r\n\u001a\n\0\0\0\rIHDR', 'it is not a text file: put ', 1, 1],
    ['a program', '\u007fELF\u0002\u0001\u0001', 'it is not a text file: put ', 1, 1],
    ['a control character before', '\u007f{"a": 1}', 'invisible character here (U+007F)', 1, 1],
    ['an ads.txt', '# Ours\r\na.example, 1, DIRECT', 'it is an ads.txt: put ', 1, 1],
    ['an RTF document', '{\\rtf1\\ansi {', 'it is an RTF document: put ', 1, 1],
    ['an answer of a chat', '```json\n{}\n```', 'it begins with ```, which marks ', 1, 1],
    ['many # of no ads.txt', '# '.repeat(50_000), 'it does not start with {: put ', 1, 1],
    ['an open end', '{"a": 1', 'it ends too early, without its closing }', 1, 8],
    ['a string that was cut off', '{"a": 1,\n"b', 'it ends too early, without its closing }', 2, 1],
    ['a list that was cut off', '[{"a": 1},', 'it ends too early, without its closing ]', 1, 11],
    ['two commas', '{"a": 1,,\n"b": 2}', 'two commas in a row: remove one', 1, 9],
    ['text behind', '{}\n{}', 'expected the end of the file', 2, 1],
    ['a list without its end', LIST.replace('],', ','), 'the [ on line 2 is never closed', 4, 19],
    ['a list without its end and comma', LIST.replace('],', ''), 'line 2 is never closed', 4, 19],
    ['an item without its end', LIST.replace('},', ','), 'the { on line 3 is never closed', 3, 17],
    ['two items run together', LIST.replace('},', ''), 'the { on line 3 is never closed', 3, 17],
    ['a name in a list', '{"a": ["b": 1]}', 'a { is missing here: add it', 1, 8],
    ['an equals sign', '{\n"a" = 1\n}', 'expected a colon, not =: write :', 2, 5],
    ['a semicolon', '{"a": 1 ; "b": 2}', 'expected a comma, not ;: write ,', 1, 9],
    ['a name without quotes', '{\na: 1,\nb: 2}', 'this name has no double quotes: write "a"', 2, 1],
    [
      'a text without quotes',
      '{"a": hello}',
      'this text has no double quotes: write "hello"',
      1,
      7,
    ],
    ['an opening quote too few', '{"a": 1, b": 2}', 'a double quote is missing here', 1, 10],
    ['a typographic end of a name', '{"a”: "b"}', '” is a typographic quote: write "', 1, 4],
    ['typographic quotes in a text', '{"a": "“b”" "c": 1}', 'expected a comma', 1, 13],
    ['a no-break space', '{"a":\u00a01}', 'invisible character here (U+00A0): replace it', 1, 6],
    ['several', '{"a":\u200b1,\u200b"b":\u200b2}', 'U+200B): remove it, and the 2 others', 1, 6],
    ['an entry that was cut off', '{"a": [{"url": "b"}\n', 'closing ]}: add ]}, or upload', 1, 20],
    ['a line break in a string', '{"a": "b\n  c"}', 'a string must not have a line break: ', 1, 9],
    ['several', '{"a": "b\n\n c\r\n d", "e": 1}', 'a string must not have a line break: ', 1, 9],
    ['a semicolon behind', '{"a": []};\n', 'this ; is not needed: remove it', 1, 10],
    ['dots', '{"a": [...]}', '... stands for something that was left out: write it out', 1, 8],
    ['a zero before a number', '{"a": 01}', '01 is not a number in JSON: write 1, or', 1, 7],
    ['a plus sign', '{"a": +1.5}', '+1.5 is not a number in JSON: write 1.5, or', 1, 7],
    ['no digit before the point', '{"a": .5}', '.5 is not a number in JSON: write 0.5, or', 1, 7],
    ['a bracket behind', '{"a": 1}]', 'this ] is not needed: remove it', 1, 9],
  ])('%s', (_, text, words, line, column) => {
    const [fault, ...more] = check(text).errors
    expect(fault).toMatchObject({ code: 'not_json', line, column })
    expect(fault!.message).toContain(words)
    expect(fault!.suggestion).toMatch(/^(?:add|put|remove|replace|write) /)
    expect(more).toEqual([])
  })

  test('nested a hundred thousand times it is refused, and nothing overflows', () => {
    const { valid, errors } = check('['.repeat(100_000))
    expect(valid).toBe(false)
    expect(errors[0]).toMatchObject({ code: 'not_json' })
  })

  test('a page of the web is told apart', () => {
    expect(check('<!doctype html>').errors[0]).toMatchObject({
      message: expect.stringContaining('this is a web page, not an adagents.json'),
      suggestion: 'replace it with the JSON itself',
    })
  })
})

test('what a house must say depends on the domain that serves its file', () => {
  const file = JSON.stringify({
    house: { domain: 'acme.example', name: 'Acme' },
    brands: [{ id: 'acme', names: [{ en: 'Acme' }] }],
  })
  const at = (domain: string) =>
    checkFile('brand.json', Buffer.from(file), { domain, now, maxFaults: 100 })
  expect(at('acme.example').valid).toBe(true)
  expect(at('other.example').errors[0]).toMatchObject({ field: 'house.domain', line: 1 })
})

test.each(['brand.json', 'adagents.json'] as const)(
  'a %s that is right but for the www. of its domain is to be served without it',
  kind => {
    const brand = { house: { domain: 'acme.example', name: 'A' }, brands: [{ id: 'a', names: [] }] }
    const identifiers = [{ type: 'domain', value: 'acme.example' }]
    const site = { property_id: 'a', property_type: 'website', name: 'A', identifiers }
    const properties = [{ ...site, publisher_domain: 'acme.example' }]
    const grant = { authorization_type: 'property_ids', property_ids: ['a'], authorized_for: 'A' }
    const authorized_agents = [{ url: 'https://a.example/mcp', ...grant }]
    const file = kind === 'brand.json' ? brand : { authorized_agents, properties }
    const fix = (domain: string) => {
      const bytes = Buffer.from(JSON.stringify(file))
      const { errors, warnings } = checkFile(kind, bytes, { domain, now, maxFaults: 100 })
      return [...errors, ...warnings].flatMap(({ field, suggestion }) =>
        /(?:house\.|publisher_)domain$/.test(field) ? [suggestion] : [],
      )
    }
    expect(fix('www.acme.example')).toEqual(['serve this file at acme.example, without the www'])
    expect(fix('other.example')).toEqual([expect.stringMatching(/^write "?other\.example/)])
  },
)

test.each([
  [{ authorized_agents: [] }, 'adagents.json'],
  [{ house: {}, brands: [] }, 'brand.json'],
  [{ id: 'a', names: [] }, 'brand.json'],
  [undefined, 'adagents.json'],
])('the kind of a file is recognised by its content: %j', (root, kind) => {
  expect(inferKind(root)).toBe(kind)
})

describe('what the format forbids is told even where the crawler does not read it', () => {
  const signal = { id: 's', name: 'S', value_type: 'binary' }
  test.each<[string, string, object]>([
    [
      'a long description',
      'signals[0].description',
      { signals: [{ ...signal, description: 'x'.repeat(2_400) }] },
    ],
    ['an empty name', 'contact.name', { contact: { name: '' } }],
    [
      'an email address that is none',
      'contact.email',
      { contact: { name: 'n', email: 'no mail' } },
    ],
    ['a domain that is none', 'contact.domain', { contact: { name: 'n', domain: 'Foo Bar' } }],
    ['a number as an id', 'contact.seller_id', { contact: { name: 'n', seller_id: 7 } }],
    [
      'an address that is none',
      'contact.privacy_policy_url',
      { contact: { name: 'n', privacy_policy_url: 'nope' } },
    ],
  ])('%s', (_, field, more) => {
    const { errors, warnings } = check(JSON.stringify({ authorized_agents: [], ...more }))
    const matching = [...errors, ...warnings].filter(fault => fault.field === field)
    expect(matching).toHaveLength(1)
    expect(matching[0]).toMatchObject({ line: 1 })
  })

  test('an entry that is left out has all its faults told at once', () => {
    const entry = { url: 'nope', effective_from: 'soon', countries: ['gb'], exclusive: 'no' }
    const { errors } = check(JSON.stringify({ authorized_agents: [entry] }))
    expect(errors.map(({ field }) => field.replace('authorized_agents[0].', ''))).toEqual([
      'url',
      'effective_from',
      'authorization_type',
      'authorized_for',
      'exclusive',
      'countries[0]',
    ])
  })

  const site = { type: 'domain', value: 'acme.example' }
  test.each<[string, object, string]>([
    ['agents that are no list', { authorized_agents: 'all', properties: [] }, 'authorized_agents'],
    ['nothing at all', {}, 'root'],
    [
      'a list of one fault',
      {
        properties: [
          { property_type: 'website', name: 'A', identifiers: [{ ...site, type: 'x' }] },
        ],
      },
      'properties[0].identifiers[0].type',
    ],
  ])('one cause is one fault: %s', (_, file, field) => {
    const described = { authorized_agents: [], ...file }
    const all = check(JSON.stringify(field === 'root' ? file : described), 'acme.example').errors
    expect(all.map(fault => fault.field)).toEqual([field])
  })

  test('one place has one fault', () => {
    const entry = { url: 7, authorized_for: '', authorization_type: 'nothing', countries: ['gb'] }
    const { errors, warnings } = check(JSON.stringify({ authorized_agents: [entry] }))
    const fields = [...errors, ...warnings].map(({ field }) => field)
    expect(fields).toEqual([...new Set(fields)])
  })
})

test.each([
  ['logo.png', 'must be a full address, such as'],
  ['https://acme.example/my logo.png', 'spaces and non-ASCII characters percent-encoded'],
])('an address is told what it lacks: %s', (url, lacks) => {
  const brand = { id: 'a', keller_type: 'master', names: [{ en: 'A' }], logos: [{ url }] }
  const file = { house: { domain: 'acme.example', name: 'A' }, brands: [brand] }
  const text = Buffer.from(JSON.stringify(file))
  const checked = checkFile('brand.json', text, { domain: undefined, now, maxFaults: 100 })
  const faults = [...checked.errors, ...checked.warnings].filter(({ field }) => /url/.test(field))
  expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(lacks)])
})

test.each([
  ['{}', ''],
  ['{"properties": []}', ''],
  [JSON.stringify({ properties: [{}] }), ', or write [] for none'],
])('a list of no agents is advised only where the file describes something: %s', (text, rest) => {
  const messages = check(text).errors.map(({ message }) => message)
  expect(messages.join()).toContain('list the agents that can sell your ads in authorized_agents')
  expect(messages.some(message => message.includes('or write []'))).toBe(rest !== '')
})

describe('a file that points to another one', () => {
  const pointer = `{${head}, "authoritative_location": "https://shared.example/adagents.json"}`

  test.each([undefined, 'acme.example'])('is valid where it is to be served by %s', domain => {
    expect(check(pointer, domain)).toMatchObject({
      valid: true,
      errors: [],
      document: { variant: 'pointer' },
    })
  })
})
