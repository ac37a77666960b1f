import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toAgentUrlKey } from '../../../pipeline/core/agent-url.ts'

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,6}$/),
  fc.constantFrom('xn--mller-kva', 'xn--', 'xn--a', '0x7f', '127', 'A', 'example', '-a'),
)
const part = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{0,5}$/), fc.constantFrom('..', '.', '%7e'))
const address = fc
  .tuple(
    fc.constantFrom('https', 'http', 'HTTPS', 'ftp'),
    fc.array(label, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', '', ':443', '.'),
    fc.array(part, { maxLength: 3 }),
  )
  .map(([scheme, labels, port, path]) => [
    `${scheme}://${labels.join('.')}${port}`,
    ...path.map(segment => `/${segment}`),
  ])
  .map(parts => parts.join(''))

test('the fast path for addresses that are their own key agrees with full parsing', () => {
  fc.assert(
    fc.property(address, text => {
      // With a space before it nothing is taken at once.
      expect(toAgentUrlKey(text)).toBe(toAgentUrlKey(` ${text}`))
    }),
    { numRuns: 2_000 },
  )
})
