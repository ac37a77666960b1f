import { describe, expect, it } from 'vitest'
import { toAgentUrlKey, toLooseAgentUrlKey } from '../../../pipeline/core/agent-url.ts'

describe('the key of an agent', () => {
  it.each([
    ['scheme and host in lower case', 'HTTPS://Sales.Example/mcp', 'https://sales.example/mcp'],
    ['the scheme as it is', 'http://sales.example/mcp', 'http://sales.example/mcp'],
    ['no default port', 'https://sales.example:443/mcp', 'https://sales.example/mcp'],
    ['no default port of http', 'http://sales.example:80', 'http://sales.example'],
    ['any other port', 'https://sales.example:8443/mcp/', 'https://sales.example:8443/mcp'],
    ['the default port of the other scheme', 'http://a.example:443/', 'http://a.example:443'],
    ['no fragment', 'https://sales.example/mcp#tools', 'https://sales.example/mcp'],
    ['no trailing slashes', 'https://sales.example/mcp//', 'https://sales.example/mcp'],
    ['no slash after the host', 'https://sales.example/', 'https://sales.example'],
    ['the slashes inside a path', 'https://a.example//v1//mcp', 'https://a.example//v1//mcp'],
    ['the case of the path', 'https://sales.example/MCP/Sell', 'https://sales.example/MCP/Sell'],
    [
      'unreserved characters as such',
      'https://a.example/%7Eacme%2d%41',
      'https://a.example/~acme-A',
    ],
    [
      'other escapes in upper case',
      'https://a.example/a%2fb%3f%c3%a9',
      'https://a.example/a%2Fb%3F%C3%A9',
    ],
    ['escapes for other letters', 'https://a.example/é', 'https://a.example/%C3%A9'],
    ['an escaped escape', 'https://a.example/%252f', 'https://a.example/%252f'],
    ['an escaped slash at the end', 'https://a.example/mcp%2f', 'https://a.example/mcp%2F'],
    ['no dot segments', 'https://a.example/x/../mcp/./', 'https://a.example/mcp'],
    ['the query', 'https://a.example/mcp/?Org=%7e1', 'https://a.example/mcp?Org=~1'],
    ['no empty query', 'https://a.example/mcp?', 'https://a.example/mcp'],
    ['A-labels', 'https://Müller.example/mcp', 'https://xn--mller-kva.example/mcp'],
    ['no dot after the host', 'https://sales.example.:8443/mcp', 'https://sales.example:8443/mcp'],
    [
      'nothing of what stands around it',
      '  https://sales.example/mcp\n',
      'https://sales.example/mcp',
    ],
    ['an @ in its path', 'https://a.example/@acme', 'https://a.example/@acme'],
  ])('has %s', (_, address, key) => expect(toAgentUrlKey(address)).toBe(key))

  it.each([
    'https://user@sales.example/mcp',
    'https://user:secret@sales.example/mcp',
    'https://:secret@sales.example/mcp',
    'https://@sales.example/mcp',
    'https:\\\\user@sales.example',
    'ftp://sales.example',
    'javascript:alert(1)',
    'sales.example/mcp',
    '*',
    '',
    'https://',
    'https://./mcp',
    'https:///mcp',
    'https:////mcp',
    'https:/sales.example/mcp',
    'https:sales.example/mcp',
    'https:\\\\sales.example/mcp',
    'https://a..b/mcp',
    'https://sales..example/mcp',
    'https://sales.example../mcp',
    'https://sales.example..:8443/mcp',
    'https://.sales.example/mcp',
    'https://:8443/mcp',
    'https://sales.example/a b',
    'https://sales.ex\u0000ample',
    42,
    null,
    undefined,
  ])('does not exist for %j', address => expect(toAgentUrlKey(address)).toBeUndefined())

  it('differs by path case, which the fallback of a lookup ignores', () => {
    const [upper, lower] = ['https://sales.example/MCP', 'https://Sales.example/mcp/']
    expect(toAgentUrlKey(upper)).not.toBe(toAgentUrlKey(lower))
    expect(toLooseAgentUrlKey(upper)).toBe(toLooseAgentUrlKey(lower))
    expect(toLooseAgentUrlKey('https://user@sales.example')).toBeUndefined()
  })
})
