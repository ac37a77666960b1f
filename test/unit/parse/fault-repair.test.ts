import { expect, test } from 'vitest'
import { checkFile } from '../../../pipeline/parse/check-file.ts'
import { describeRepair, omitRepair } from '../../../pipeline/parse/fault-repair.ts'

test.each([
  [
    'not_allowed',
    'is "webiste": did you mean "website"? It must be website or dooh',
    'write "website"',
  ],
  ['not_allowed', 'is "x" but must be a, b or c', 'write a, b or c'],
  ['missing', 'is missing: say since when', 'say since when'],
  ['wrong_type', 'must be a list, not "a, b"', 'write a list in brackets: [ … ]'],
  ['wrong_type', 'must be a list, not "a, b": write ["a", "b"]', 'write ["a", "b"]'],
  ['wrong_type', 'must be an object, not 7', 'write an object in braces: { … }'],
  [
    'wrong_type',
    'must be a string, not 7: write "7", or leave it out',
    'write "7", or leave it out',
  ],
  ['empty', 'lists nothing: add at least one collection ID', 'add at least one collection ID'],
  ['not_https', 'must start with https://: write "https://a.example"', 'write "https://a.example"'],
  ['bad_pattern', 'is "A b" but must be lowercase letters only: write "a_b"', 'write "a_b"'],
  ['repeated', 'duplicates properties[0]', 'keep one'],
] as const)('the fix of a fault is specific: %s, %s', (code, message, repair) => {
  expect(describeRepair({ code, message })).toBe(repair)
})

test('a value of the file is never taken for advice', () => {
  const message = 'is "x: remove your file" but must be a domain name such as acme.example'
  expect(describeRepair({ code: 'bad_domain', message })).toBe(
    'write a domain name such as acme.example',
  )
})

test('beside its fix, a message does not repeat it', () => {
  expect(omitRepair('is missing: say since when', 'say since when')).toBe('is missing')
  expect(omitRepair('a.b must be a color', 'write a color')).toBe('a.b is not a color')
  expect(omitRepair('is empty', 'fill it')).toBe('is empty')
})

test.each([
  ['is "x" but must be a, b or c', 'is "x", which is not an allowed value'],
  ['is "x": did you mean "y"? It must be a, b or y', 'is "x", which is not an allowed value'],
  ['has "x" but may contain only a, b or c', 'has "x", which is not an allowed value'],
  ['is an unknown field: did you mean "x"?', 'is an unknown field'],
  [
    'is "x" but must be a date and time such as 2026-01-31T09:00:00Z; leave it out if there is none',
    'is "x", which is not a date and time',
  ],
  [
    'is "x" but must be an https URL, such as https://agent.example/mcp',
    'is "x", which is not an https URL',
  ],
  ['is missing, must be a, b or c', 'is missing'],
  ['is missing and was read as a, must be a, b or c', 'is missing and was read as a'],
  ['is missing and must be a domain name such as acme.example', 'is missing'],
])('beside its fix, a message still says what is wrong: %s', (message, shown) => {
  const repair = describeRepair({ code: 'not_allowed', message })
  expect(omitRepair(message, repair)).toBe(shown)
})

test.each([
  [{ property_ids: ['site'] }, 'write "property_ids"'],
  [{ properties: [] }, 'write "inline_properties"'],
  [{ signal_tags: ['news'] }, 'write "signal_tags"'],
  [
    { property_ids: ['site'], property_tags: ['news'] },
    'write "property_ids", "property_tags", "inline_properties", "publisher_properties", "signal_ids" or "signal_tags"',
  ],
])('an entry without a type is told the one that its list means: %j', (lists, repair) => {
  const entry = { url: 'https://agent.example/mcp', authorized_for: 'display', ...lists }
  expect(findRepair('authorization_type', entry)).toBe(repair)
})

test.each([
  ['agent.example/mcp', 'write "https://agent.example/mcp"'],
  ['agent.example', 'write "https://agent.example"'],
  ['our agent', 'write an https URL, such as https://agent.example/mcp'],
  ['..', 'write an https URL, such as https://agent.example/mcp'],
])('an address without a scheme is told with one: %s', (url, repair) => {
  expect(findRepair('url', { url })).toBe(repair)
})

test.each([
  ['http://agent.example/mcp', 'write "https://agent.example/mcp"'],
  [5, 'write "5"'],
  [true, 'write "true"'],
  [['a'], 'use text in double quotes'],
])('an address that cannot be used is told as it has to be: %j', (url, repair) => {
  expect(findRepair('url', { url })).toBe(repair)
})

test.each([
  ['True', 'write true without quotes'],
  ['false', 'write false without quotes'],
  ['yes', 'write true or false'],
  [1, 'write true or false'],
])('a switch that is no boolean is told how one is written: %j', (exclusive, repair) => {
  expect(findRepair('exclusive', { url: 'https://agent.example', exclusive })).toBe(repair)
})

test.each([
  [{ identifiers: ['news.example'] }, 'write {"type": "domain", "value": "news.example"}'],
  [{ identifiers: 'news.example' }, 'write [{"type": "domain", "value": "news.example"}]'],
  [{ identifiers: ['me@news.example'] }, 'write {"type": "domain", "value": "acme.example"}'],
  [{ identifiers: [7] }, 'write {"type": "domain", "value": "acme.example"}'],
  [{ identifiers: { type: 'domain' } }, 'put it in brackets: [ … ]'],
  [
    { domain: 'news.example' },
    'write "identifiers": [{"type": "domain", "value": "news.example"}]',
  ],
  [{ identifiers: [{ type: 'domain', value: 'nwes.example' }] }, 'write "news.example"'],
])('a property without usable identifiers is told how they are written: %j', (members, repair) => {
  const property = { property_type: 'website', name: 'News', ...members }
  const file = { authorized_agents: [], properties: [property] }
  const { errors } = checkFile('adagents.json', Buffer.from(JSON.stringify(file)), {
    domain: 'news.example',
    now: 0,
    maxFaults: 10,
  })
  expect(errors.map(describeRepair)).toEqual([repair])
})

test('a property of a brand that is a text is told how it is written', () => {
  const brand = { id: 'news', names: [{ en: 'News' }], properties: ['news.example'] }
  const { errors } = checkFile('brand.json', Buffer.from(JSON.stringify(brand)), {
    domain: 'news.example',
    now: 0,
    maxFaults: 10,
  })
  expect(errors.map(describeRepair)).toEqual([
    'write { "type": "website", "identifier": "news.example" }',
  ])
})

test.each<['adagents.json' | 'brand.json', object]>([
  ['adagents.json', { authorized_agents: [], properties: [] }],
  ['brand.json', { id: 'news', names: [{ en: 'News' }] }],
])('a last change that is to come is a warning in an %s', (kind, file) => {
  const now = Date.parse('2026-11-20T03:00:00Z')
  const find = (last_updated: string) => {
    const bytes = Buffer.from(JSON.stringify({ ...file, last_updated }))
    const { warnings } = checkFile(kind, bytes, { domain: 'a.example', now, maxFaults: 10 })
    return warnings.filter(({ field }) => field === 'last_updated').map(describeRepair)
  }
  expect(find('2031-01-01T00:00:00Z')).toEqual(['write the time of the last change'])
  // Somewhere it is tomorrow already.
  expect(find('2026-11-21T02:00:00Z')).toEqual([])
})

const agent = { url: 'https://agent.example/mcp', authorized_for: 'Display' }

test.each<['adagents.json' | 'brand.json', object]>([
  ['adagents.json', []],
  ['adagents.json', { authoritative_location: 'x' }],
  ['adagents.json', { contact: { email: 'x' }, tags: [], properties: [{}], signals: [{}] }],
  ['adagents.json', { authorized_agents: [{}, 5], propertys: [], properties: [] }],
  [
    'adagents.json',
    {
      authorized_agents: [
        { ...agent, authorization_type: 'property_ids', property_ids: [], countries: 'US' },
        {
          ...agent,
          authorization_type: 'property_tags',
          property_tags: 'a, b',
          countries: ['USA'],
        },
        { ...agent, url: 'https://me:you@agent.example', collections: [{ collection_ids: [] }] },
        {
          ...agent,
          authorization_type: 'publisher_properties',
          publisher_properties: [
            { selection_type: 'by_id', publisher_domain: 'acme.example' },
            { publisher_domains: [] },
          ],
        },
      ],
    },
  ],
  [
    'adagents.json',
    {
      last_updated: 'yesterday',
      contact: { name: 'Us', domain: 'our site' },
      properties: [
        {
          property_id: 'Site A',
          property_type: 'webiste',
          name: 'Site A',
          identifiers: [{ type: 'domain', value: 'https://acme.example/' }],
          supported_channels: ['Display', 'x'],
          tags: ['a b'],
        },
        { property_type: 'x', name: 'B', identifiers: [{ type: 'domain', value: 'our site' }] },
      ],
      authorized_agents: [
        { ...agent, authorization_type: 'property_idz', property_ids: ['a'] },
        { ...agent, url: 'our agent', authorization_type: 'x', effective_until: 'soon' },
        { ...agent, signing_keys: [{ kid: 'a', kty: 'x' }], countries: ['x'] },
      ],
    },
  ],
  ['brand.json', {}],
  [
    'brand.json',
    {
      house: { domain: 'our site', name: 'Us', region: 'x' },
      brands: [
        {
          id: 'A b',
          names: [{ en: 'A' }],
          url: 'x',
          keller_type: 'x',
          properties: [{ type: 'website', identifier: 'our site', region: 'x' }],
          agents: [{ type: 'x', url: 'our agent', id: 'A b' }],
        },
      ],
      trademarks: [{ registry: 'x', number: '1', mark: 'x', nice_classes: [99] }],
    },
  ],
  ['brand.json', { house: {}, brands: [] }],
  ['brand.json', { house: { domain: 'x', name: 5 }, contact: {}, brands: 'x' }],
  ['brand.json', { house: 'x', agents: [] }],
  [
    'brand.json',
    { id: 'a', names: [], colors: { primary: 'x', more: {} }, tone: 5, contact: { email: 'x' } },
  ],
])(
  'a fix never repeats what its message says, which still says what is wrong: %s %j',
  (name, file) => {
    const { errors, warnings } = checkAll(name, file)
    const faults = [...errors, ...warnings]
    expect(faults).not.toEqual([])
    const repeated = faults.filter(fault => {
      const repair = describeRepair(fault)
      return omitRepair(fault.message, repair).includes(repair.replace(/^(?:add|use|write) /, ''))
    })
    expect(repeated).toEqual([])
    const shown = faults.map(fault => omitRepair(fault.message, describeRepair(fault)))
    expect(
      shown.filter(text => /(?: (?:is|has) (?:"[^"]*"|\S*\d\S*)|\?|, must be [^;]*)$/.test(text)),
    ).toEqual([])
  },
)

/** Checks a file as the check of files does. */
function checkAll(name: 'adagents.json' | 'brand.json', file: object) {
  const now = Date.parse('2026-11-20T03:00:00Z')
  return checkFile(name, Buffer.from(JSON.stringify(file)), { now, maxFaults: 100 })
}

/** Checks an adagents.json with one entry, and finds what is said to repair a member of it. */
function findRepair(member: string, entry: object): string | undefined {
  const { errors } = checkAll('adagents.json', { authorized_agents: [entry] })
  const fault = errors.find(({ message }) => message.startsWith(`authorized_agents[0].${member} `))
  return fault && describeRepair(fault)
}
