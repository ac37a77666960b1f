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
  ['wrong_type', 'must be an object, not 7', 'write an object in braces: { … }'],
  [
    'wrong_type',
    'must be a string, not 7: write "7", or leave it out',
    'write "7", or leave it out',
  ],
  ['empty', 'must list at least one id of a collection', 'list at least one id of a collection'],
  ['not_https', 'must start with https://: write "https://a.example"', 'write "https://a.example"'],
  ['bad_pattern', 'is "A b" but must be lower-case letters only: write "a_b"', 'write "a_b"'],
  ['repeated', 'is the same as properties[0]', 'keep one'],
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
  expect(omitRepair('is "x" but must be a, b or c', 'write a, b or c')).toBe('is "x"')
  expect(omitRepair('is empty', 'fill it')).toBe('is empty')
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
  ['our agent', 'write an https address without a user name, such as https://agent.example/mcp'],
  ['..', 'write an https address without a user name, such as https://agent.example/mcp'],
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

/** Checks an adagents.json with one entry, and finds what is said to repair a member of it. */
function findRepair(member: string, entry: object): string | undefined {
  const bytes = Buffer.from(JSON.stringify({ authorized_agents: [entry] }))
  const now = Date.parse('2026-11-20T03:00:00Z')
  const { errors } = checkFile('adagents.json', bytes, { now, maxFaults: 100 })
  const fault = errors.find(({ message }) => message.startsWith(`authorized_agents[0].${member} `))
  return fault && describeRepair(fault)
}
