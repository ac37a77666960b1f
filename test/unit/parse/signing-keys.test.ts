import { expect, test } from 'vitest'
import type { AdagentsInline } from '../../../pipeline/model/documents/index.ts'
import { checkFile } from '../../../pipeline/parse/check-file.ts'

/** Checks an entry that pins one key; returns the keys it is pinned to, and the faults of the key. */
function check(key: object) {
  const { errors, ...checked } = checkKeys([key])
  expect(errors).toEqual([])
  return checked
}

function checkKeys(signing_keys: object[]) {
  const file = {
    $schema: 's',
    last_updated: '2026-11-01T00:00:00Z',
    authorized_agents: [
      {
        url: 'https://agent.example/mcp',
        authorized_for: 'display',
        authorization_type: 'signal_tags',
        signal_tags: ['news'],
        signing_keys,
      },
    ],
    signals: [{ id: 'a', name: 'A', value_type: 'binary', tags: ['news'] }],
    signal_tags: { news: { name: 'News', description: 'News' } },
  }
  const now = Date.parse('2026-11-20T03:00:00Z')
  const bytes = Buffer.from(JSON.stringify(file))
  const { document, errors, warnings } = checkFile('adagents.json', bytes, { now, maxFaults: 9 })
  const [agent] = (document as AdagentsInline).agents
  const suggestions = warnings.map(({ suggestion }) => suggestion)
  return { pinned: agent!.signing_keys, suggestions, errors }
}

test.each([
  [{ kty: 'OKP' }, 'add "crv" and "x" from the agent’s public key'],
  [{ kty: 'OKP', crv: 'Ed25519' }, 'add "x" from the agent’s public key'],
  [{ kty: 'EC', crv: 'P-256', x: 'pub' }, 'add "y" from the agent’s public key'],
  [{ kty: 'RSA', e: 'AQAB' }, 'add "n" from the agent’s public key'],
  [{ kty: 'okp', crv: 'Ed25519', x: 'pub' }, 'write "OKP"'],
  [{ kty: 'oct' }, 'write "OKP", "EC" or "RSA"'],
])('a key that verifies no signature is told what it lacks, and stays pinned: %j', (key, fix) => {
  const { pinned, suggestions } = check({ kid: 'a', ...key })
  expect(suggestions).toEqual([fix])
  expect(pinned).toEqual([{ kid: 'a', ...key }])
})

test.each([
  { kty: 'OKP', crv: 'Ed25519', x: 'pub' },
  { kty: 'EC', crv: 'P-256', x: 'pub', y: 'pub' },
  { kty: 'RSA', n: 'pub', e: 'AQAB' },
])('a whole key has no fault: %j', key => {
  expect(check({ kid: 'a', ...key }).suggestions).toEqual([])
})

test('keys that share an ID are reported, since a signature names its key by it', () => {
  const key = (kid: string, x: string) => ({ kid, kty: 'OKP', crv: 'Ed25519', x })
  const { errors, pinned } = checkKeys([key('a', '1'), key('b', '2'), key('a', '3'), key('a', '4')])
  expect(errors).toMatchObject(
    [2, 3].map(i => ({
      field: `authorized_agents[0].signing_keys[${i}].kid`,
      code: 'repeated',
      suggestion: 'give each key an ID of its own',
    })),
  )
  expect(pinned).toHaveLength(4)
})
