import { expect, test } from 'vitest'
import { hideContacts } from '../../../pipeline/parse/hide-contacts.ts'
import { findSyntaxFault } from '../../../pipeline/parse/syntax/syntax-fault.ts'

test('contact data of people is masked in a text that is not JSON, and nothing moves', () => {
  const text = `{
  "contact": { "name": "Ann Other", "email": "ann@acme.example", "more": ["Bob"] },
  "authorized_agents": [],
  "note": "ask ann@acme.example or see https://acme.example"
  "last_updated": "2026-01-31T09:00:00Z",
}`
  const masked = hideContacts(text)
  expect(masked).not.toMatch(/Ann|Bob|ann@/)
  expect(masked).toContain('see https://acme.example"')
  expect(masked.split('\n').map(line => line.length)).toEqual(text.split('\n').map(l => l.length))
  expect(findSyntaxFault(masked)).toEqual(findSyntaxFault(text))
  expect(findSyntaxFault(masked)).toMatchObject({ line: 4, column: 61 })
})

test('a text without contact data is unchanged, whatever it is', () => {
  for (const text of ['', '{"a": 1,}', '<html>', '['.repeat(100_000), 'a'.repeat(2_000_000)]) {
    expect(hideContacts(text)).toBe(text)
  }
})
