import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { AgentKeys } from '../../../pipeline/signing/agent-keys.ts'
import { type PinnedKey, readPins } from '../../../pipeline/signing/pins.ts'
import { testClock } from '../../support/worlds/clock.ts'

const AGENT = 'https://agents.seller.example/mcp'
const BRAND = 'https://seller.example/.well-known/brand.json'
const JWKS = 'https://keys.seller.example/jwks.json'

const key = (kid: string, x = 'x') => ({ kid, kty: 'OKP', crv: 'Ed25519', x })
const agent = { type: 'sales', id: 'sales', url: `${AGENT}/`, jwks_uri: JWKS }

/** Opens the keys of an agent on a web of these documents; fetches are listed, and time moves by hand. */
function open(web: Record<string, unknown>, pins?: readonly PinnedKey[]) {
  const fetched: string[] = []
  const clock = testClock()
  const now = () => clock.now() / SECOND
  const keys = new AgentKeys({
    agentUrl: AGENT,
    brandDomain: 'seller.example',
    now,
    async fetchJson(url, { redirects }) {
      fetched.push(redirects ? url : `${url} (no redirects)`)
      const value = web[url]
      return value === undefined ? undefined : { value, url }
    },
    ...(pins && { fetchPins: async () => pins }),
  })
  const find = (kid: string) => keys.findKey(kid, now())
  return { web, fetched, clock, keys, find }
}

describe('the keys of an agent', () => {
  test('are at the address in the brand.json of its operator, and are fetched without redirects', async () => {
    const { find, fetched } = open({ [BRAND]: { agents: [agent] }, [JWKS]: { keys: [key('a')] } })
    expect(await find('a')).toEqual(key('a'))
    expect(fetched).toEqual([BRAND, `${JWKS} (no redirects)`])
    expect(await find('a')).toEqual(key('a'))
    expect(fetched).toHaveLength(2)
  })

  test('are found through up to three pointers and houses', async () => {
    const at = (n: number) => `https://h${n}.example/.well-known/brand.json`
    const web: Record<string, unknown> = {
      [BRAND]: { house: 'h1.example' },
      [at(1)]: { authoritative_location: at(2) },
      [at(2)]: { house: 'h3.example' },
      [at(3)]: { house: { domain: 'h3.example' }, brands: [{ id: 'b', agents: [agent] }] },
      [JWKS]: { keys: [key('a')] },
    }
    expect(await open(web).find('a')).toEqual(key('a'))
    web[at(3)] = { house: 'h4.example' }
    web[at(4)] = { agents: [agent] }
    expect(await open(web).find('a')).toBeUndefined()
    web[at(1)] = { house: 'seller.example' }
    expect(await open(web).find('a')).toBeUndefined()
  })

  test('do not exist where two entries declare the agent, or none', async () => {
    const jwks = { [JWKS]: { keys: [key('a')] } }
    const twice = { agents: [agent, { ...agent, id: 'other' }] }
    expect(await open({ [BRAND]: twice, ...jwks }).find('a')).toBeUndefined()
    const other = { agents: [{ ...agent, url: 'https://other.example/mcp' }] }
    expect(await open({ [BRAND]: other, ...jwks }).find('a')).toBeUndefined()
  })

  test('are at the agent’s own origin only where its brand.json is there too', async () => {
    const { jwks_uri: _, ...plain } = agent
    const own = { 'https://agents.seller.example/.well-known/jwks.json': { keys: [key('a')] } }
    expect(await open({ [BRAND]: { agents: [plain] }, ...own }).find('a')).toBeUndefined()
    const there = 'https://agents.seller.example/brand.json'
    const web = { [BRAND]: { authoritative_location: there }, [there]: { agents: [plain] }, ...own }
    expect(await open(web).find('a')).toEqual(key('a'))
  })

  test('that are unknown cause a fetch at most every thirty seconds', async () => {
    const { web, find, fetched, clock } = open({
      [BRAND]: { agents: [agent] },
      [JWKS]: { keys: [key('a')] },
    })
    await find('a')
    web[JWKS] = { keys: [key('a'), key('b')] }
    expect(await find('b')).toBeUndefined()
    expect(fetched).toHaveLength(2)
    clock.tick(30 * SECOND)
    expect(await find('b')).toEqual(key('b'))
    expect(fetched).toHaveLength(3)
    clock.tick(3600 * SECOND)
    await find('b')
    expect(fetched).toHaveLength(5)
  })

  test('move with the brand.json', async () => {
    const { web, find, clock } = open({
      [BRAND]: { agents: [agent] },
      [JWKS]: { keys: [key('a')] },
    })
    await find('a')
    web[BRAND] = { agents: [{ ...agent, jwks_uri: 'https://new.example/jwks' }] }
    web['https://new.example/jwks'] = { keys: [key('b')] }
    clock.tick(30 * SECOND)
    expect(await find('b')).toEqual(key('b'))
  })

  test('that share a kid are refused', async () => {
    const web = { [BRAND]: { agents: [agent] }, [JWKS]: { keys: [key('a'), key('a', 'y')] } }
    expect(await open(web).find('a')).toBeUndefined()
  })

  test.each([{}, null, 'text', { keys: 'none' }, { keys: [null, 7] }])(
    'are not read from an invalid JWKS: %j',
    async jwks => {
      expect(await open({ [BRAND]: { agents: [agent] }, [JWKS]: jwks }).find('a')).toBeUndefined()
    },
  )

  test('pinned by a publisher take precedence until they are revoked', async () => {
    const pin = { ...key('a', 'pinned'), revoked_at: '2026-11-22T00:00:00Z' }
    const revokedAt = Date.parse(pin.revoked_at) / 1000
    const { keys, find } = open(
      { [BRAND]: { agents: [agent] }, [JWKS]: { keys: [key('a'), key('b')] } },
      [pin],
    )
    expect(await keys.findKey('a', revokedAt - 1)).toEqual(pin)
    expect(await keys.findKey('a', revokedAt)).toBeUndefined()
    expect(await find('b')).toBeUndefined()
  })
})

describe('the keys that an adagents.json pins', () => {
  const pin = (signing_keys?: unknown, url = `${AGENT}/`) => ({ url, signing_keys })

  test.each<[string, unknown[], unknown]>([
    ['are those of its entry', [pin([key('a')])], [key('a')]],
    ['are none where it does not mention any', [pin()], undefined],
    // An empty list lets no key sign: as when the entry is read, it is not taken for a missing one.
    ['are an empty list where that is what it says', [pin([])], []],
    ['are an empty list where they are no list', [pin(null)], []],
    ['are an empty list where two entries have some', [pin([key('a')]), pin([key('b')])], []],
    ['are none where the agent has no URL', [pin([key('a')], 'agent')], undefined],
  ])('%s', (_, authorized_agents, pinned) => {
    expect(readPins({ authorized_agents }).get(AGENT)).toEqual(pinned)
  })
})
