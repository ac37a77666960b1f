import { expect, test } from 'vitest'
import { toReadableDomain } from '../../../../pipeline/core/lookalikes/confusables.ts'

test.each([
  ['xn--bcher-kva.example', 'bücher.example'],
  ['acme.example', 'acme.example'],
  // Cyrillic letters that look like apple, and a label of two scripts.
  ['xn--80ak6aa92e.example', 'xn--80ak6aa92e.example'],
  ['xn--pple-43d.example', 'xn--pple-43d.example'],
  ['xn--a.example', 'xn--a.example'],
])('people are shown a domain in its own letters where that is safe: %s', (domain, shown) => {
  expect(toReadableDomain(domain)).toBe(shown)
})
