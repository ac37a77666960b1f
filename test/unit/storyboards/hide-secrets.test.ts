import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLongEnough, listSecrets } from '../../../pipeline/model/agent-credential.ts'
import { hideSecrets } from '../../../pipeline/storyboards/hide-secrets.ts'

it('a credential is hidden in values, in every form in which it is sent', () => {
  const secrets = listSecrets('Basic bWU6cGFzc3dvcmQ=')
  const said = {
    a: ['x me:password y', 'the password'],
    b: { c: 'bWU6cGFzc3dvcmQ=', n: 1, no: null },
  }
  expect(hideSecrets(said, secrets)).toEqual({
    a: ['x [redacted] y', 'the [redacted]'],
    b: { c: '[redacted]', n: 1, no: null },
  })
  expect(hideSecrets('Bearer abcdefgh', listSecrets('Bearer abcdefgh'))).toBe('Bearer [redacted]')
})

it.each(['e', 'name', 'tools', 'structuredContent', 'product_id'])(
  'the credential %s leaves the names of members as they are',
  secret => {
    const said = { tools: [{ name: 'get_products' }], structuredContent: { product_id: 'some' } }
    expect(hideSecrets(said, [secret])).toEqual(said)
  },
)

it('a short credential of an earlier version is hidden where it is the whole text', () => {
  expect(hideSecrets(['e', 'the end', ''], ['e', ''])).toEqual([
    '[redacted]',
    'the end',
    '[redacted]',
  ])
})

it('hiding leaves every name and number, and no trace of a credential of the least length', () => {
  const token = fc.stringMatching(/^[\x21-\x7e]{8,40}$/)
  fc.assert(
    fc.property(fc.jsonValue(), token, fc.string(), (value, secret, text) => {
      const shown = hideSecrets({ value, echo: [`${text}${secret}`, secret] }, [secret])
      expect(listNames(shown)).toEqual(listNames({ value, echo: ['', ''] }))
      expect(listTexts(shown).filter(shownText => shownText.includes(secret))).toEqual([])
    }),
  )
})

function listNames(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? [] : [value]
  return Object.entries(value).flatMap(([name, member]) => [name, ...listNames(member)])
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

it.each([
  ['bearer', 'seven77', false],
  ['bearer', 'eight888', true],
  ['basic', 'a-long-name:pass', false],
  ['basic', Buffer.from('a-long-name:pass').toString('base64'), false],
  ['basic', 'a-long-name:', false],
  ['basic', 'me:password', true],
  ['basic', Buffer.from('me:password').toString('base64'), true],
] as const)('as %s the credential %s is long enough: %s', (type, token, expected) => {
  expect(isLongEnough(type, token)).toBe(expected)
})
