import { expect, test } from 'vitest'
import type { AdagentsInline } from '../../../pipeline/model/documents/index.ts'
import { checkFile } from '../../../pipeline/parse/check-file.ts'

/** Checks an entry that pins one key; returns the keys it is pinned to, and the faults of the key. */
function check(key: object) {
  const file = {
    $schema: 's',
    last_updated: '2026-11-01T00:00:00Z',
    authorized_agents: [
      {
        url: 'https://agent.example/mcp',
        authorized_for: 'display',
        authorization_type: 'signal_tags',
        signal_tags: ['news'],
        signing_keys: [key],
      },
    ],
    signals: [{ id: 'a', name: 'A', value_type: 'binary', tags: ['news'] }],
    signal_tags: { news: { name: 'News', description: 'News' } },
  }
  const now = Date.parse('2026-11-20T03:00:00Z')
  const bytes = Buffer.from(JSON.stringify(file))
  const { document, errors, warnings } = checkFile('adagents.json', bytes, { now, maxFaults: 9 })
  expect(errors).toEqual([])
  const [agent] = (document as AdagentsInline).agents
  return { pinned: agent!.signing_keys, suggestions: warnings.map(({ suggestion }) => suggestion) }
}

test.each([
  [{ kty: 'OKP' }, 'add "crv" and "x" from the agent’s public key'],
  [{ kty: 'OKP', crv: 'Ed25519' }, 'add "x" from the agent’s public key'],
  [{ kty: 'EC', crv: 'P-256', x: 'pub' }, 'add "y" from the agent’s public key'],
  [{ kty: 'RSA', e: 'AQAB' }, 'add "n" from the agent’s public key'],
  [{ kty: 'okp', crv: 'Ed25519', x: 'pub' }, 'write "OKP"'],
  [{ kty: 'oct' }, 'write OKP, EC or RSA'],
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
