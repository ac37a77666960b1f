import { expect, test } from 'vitest'
import { toAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import { parseNormalizedUrl, parseRequestUrl, parseUrl } from '../../../pipeline/core/url.ts'

test('an address with an umlaut is parsed the same way, however many were parsed before', () => {
  const read = new Set<string | undefined>()
  for (let i = 0; i < 50_000; i++) read.add(toAgentUrlKey('https://Müller.example/mcp'))
  expect([...read]).toEqual(['https://xn--mller-kva.example/mcp'])
})

test.each(['', 'acme.example', 'https://', 'https://a b.example/', '/file.json'])(
  '%j is no address',
  text => expect(parseUrl(text)).toBeUndefined(),
)

test('an address is resolved against that of the page that names it', () => {
  expect(parseUrl('../logo.svg', 'https://a.example/x/y')?.href).toBe('https://a.example/logo.svg')
})

test('a request carries no fragment, and a stored address no dot after its host either', () => {
  expect(parseRequestUrl('https://a.example./x#y')?.href).toBe('https://a.example./x')
  expect(parseNormalizedUrl('https://a.example./x#y')?.href).toBe('https://a.example/x')
})
