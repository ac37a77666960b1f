import { beforeAll, describe, expect, test } from 'vitest'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

/** A file of which the agents that come last are left out, since they reach too much together. */
const broad = 'broad.example'
/** A file that is larger than one publisher may be, after one that was not. */
const grown = 'grown.example'
/** A file with a property that is too long. */
const long = 'long.example'
const LISTED = 3_000

const registry = openForAll(openRegistry)
const repeat = <Item>(n: number, item: (i: number) => Item) =>
  Array.from({ length: n }, (_, i) => item(i))
const toAgent = (i: number) => `https://a${i}.agents.example/mcp`
const buildEntry = (i: number) => ({
  url: toAgent(i),
  authorized_for: 'All',
  authorization_type: 'property_tags',
  property_tags: ['all'],
})
const buildProperty = (domain: string, i: number, more: object = {}) => ({
  property_type: 'website',
  name: `P ${i}`,
  property_id: `p${i}`,
  tags: ['all'],
  identifiers: [{ type: 'subdomain', value: `s${i}.${domain}` }],
  ...more,
})
const broadFile = {
  authorized_agents: repeat(LISTED, buildEntry),
  properties: repeat(LISTED, i => buildProperty(broad, i)),
}

beforeAll(async () => {
  const small = { authorized_agents: [buildEntry(0)], properties: [buildProperty(grown, 0)] }
  const identifiers = repeat(2_000, i => ({
    type: 'rss_url',
    value: `https://x.example/${'y'.repeat(150)}${i}`,
  }))
  await publishFiles(registry, {
    [broad]: broadFile,
    [grown]: small,
    [long]: {
      authorized_agents: [buildEntry(0)],
      properties: [buildProperty(long, 0), buildProperty(long, 1, { identifiers })],
    },
  })
  await publishFiles(registry, {
    [grown]: {
      authorized_agents: [buildEntry(0), buildEntry(1)],
      properties: repeat(25_001, i => buildProperty(grown, i)),
    },
  })
  await registry.publish()
})

async function read(url: string) {
  const answer = await registry.app.inject(url)
  expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
  return answer.json()
}

const askProperty = (agent: string, value: string, more = '') =>
  read(
    `/api/registry/validate/property-authorization?agent_url=${agent}&identifier_type=subdomain&identifier_value=${value}${more}`,
  )
const askPublisher = (agent: string, domain: string) =>
  read(`/api/registry/publisher/authorization?domain=${domain}&agent=${agent}&explain=true`)

describe('a part of a file that was left out', () => {
  test('makes no plain no of any agent that the file lists, nor of its properties', async () => {
    const sellers: number[] = []
    for (let i = 0; i < LISTED; i++) {
      const { authorized, sides } = await askProperty(toAgent(i), `s${i}.${broad}`)
      if (authorized) sellers.push(i)
      // 92 of 10,000 agents were kept, and each of the others was refused by a current, valid file.
      expect([i, authorized, sides.publisher]).toEqual([
        i,
        authorized,
        authorized ? 'match' : 'unknown',
      ])
    }
    expect(sellers.length).toBeGreaterThan(500)
    expect(sellers.length).toBeLessThan(700)
  })

  const findLast = (evidence: { side: string; rule: string; says: string }[]) =>
    evidence.filter(({ side }) => side === 'publisher').at(-1)
  const leftOut = { rule: 'left_out_too_broad', says: 'unknown' }
  const last = toAgent(LISTED - 1)

  test.each([
    ['an agent that is listed in that part', broad, last],
    ['an agent that is only in a file too large to be read', grown, toAgent(1)],
  ])('decides nothing, whatever is asked, about %s', async (_, domain, agent) => {
    const asked = `s0.${domain}`
    for (const terms of ['', '&country=DE', '&placement_ids=home', '&as_of=2026-11-20T03:00:02Z']) {
      const { authorized, sides } = await askProperty(agent, asked, terms)
      expect([terms, authorized, sides.publisher]).toEqual([terms, false, 'unknown'])
    }
    const { evidence } = await askProperty(agent, asked, '&explain=true')
    expect(findLast(evidence)).toMatchObject(leftOut)
    const whole = await askPublisher(agent, domain)
    expect(whole).toMatchObject({ authorized: 0, sides: { publisher: 'unknown' } })
    expect(findLast(whole.evidence)).toMatchObject(leftOut)
    const product = { publisher_properties: [{ publisher_domain: domain, property_ids: ['p0'] }] }
    const answer = await registry.send('POST', '/api/registry/validate/product-authorization', {
      payload: { agent_url: agent, ...product, explain: true },
    })
    expect(answer.json()).toMatchObject({ authorized: false, sides: { publisher: 'unknown' } })
    expect(findLast(answer.json().evidence)).toMatchObject(leftOut)
  })

  test('keeps what is known: kept agents can sell, and a smaller file is read as a whole again', async () => {
    for (const domain of [broad, grown]) {
      const { authorized, sides } = await askProperty(toAgent(0), `s0.${domain}`)
      expect([authorized, sides.publisher]).toEqual([true, 'match'])
    }
  })

  test('is named by the publisher, on its page and by the validator', async () => {
    expect((await read(`/api/registry/publisher?domain=${broad}`)).left_out).toEqual(['agents'])
    expect((await read(`/api/registry/publisher?domain=${grown}`)).left_out).toContain('agents')
    expect((await read(`/api/registry/publisher?domain=${long}`)).left_out).toEqual(['properties'])
    for (const domain of [broad, grown, long]) {
      const page = await registry.app.inject(`/publisher/${domain}`)
      expect(page.body).toContain('too broad')
    }
    const checked = await registry.send('POST', '/api/adagents/validate', {
      payload: { document: { ...broadFile, authorized_agents: repeat(2_000, buildEntry) } },
    })
    expect(checked.body).toContain('too_broad')
  })

  test('of properties decides nothing about a property that is in it', async () => {
    const answer = await registry.send('POST', '/api/registry/validate/product-authorization', {
      payload: {
        agent_url: toAgent(0),
        publisher_properties: [{ publisher_domain: long, property_ids: ['p0', 'p1'] }],
        explain: true,
      },
    })
    expect(answer.json()).toMatchObject({ authorized: false, sides: { publisher: 'unknown' } })
    expect(findLast(answer.json().evidence)).toMatchObject({ property_id: 'p1', ...leftOut })
  })

  test('leaves a plain no to a file that was read as a whole', async () => {
    const files = { authorized_agents: [buildEntry(0)], properties: [buildProperty(grown, 0)] }
    await publishFiles(registry, { [grown]: files })
    const { sides } = await askProperty(toAgent(1), `s0.${grown}`)
    expect(sides.publisher).toBe('mismatch')
    expect(await read(`/api/registry/publisher?domain=${grown}`)).not.toHaveProperty('left_out')
    expect(await registry.verify()).toEqual([])
  })
})

describe('a file that grows too broad', () => {
  const domain = 'growing.example'
  const agents = [LISTED - 1, LISTED - 2, LISTED - 3]
  const isGranted = async (i: number) =>
    ((await askPublisher(toAgent(i), domain)).authorized as number) > 0
  const listRevoked = async () => {
    const headers = { authorization: `Bearer ${await registry.createKey('Readers')}` }
    const url = '/api/registry/feed?types=authorization.revoked&limit=1000'
    const { events } = (await registry.app.inject({ url, headers })).json()
    const all = events as { payload: { agent_url: string; publisher_domain: string } }[]
    return all.filter(({ payload }) => payload.publisher_domain === domain)
  }
  const build = (entries: object[], properties: number) => ({
    authorized_agents: entries,
    properties: repeat(properties, i => buildProperty(domain, i)),
  })
  const maySell = async (i: number) =>
    (await askProperty(toAgent(i), `s0.${domain}`)).authorized as boolean

  test('ends no grant of an agent that it still lists, and at once that of any other', async () => {
    await publishFiles(registry, { [domain]: build(agents.map(buildEntry), 1) })
    await registry.publish()
    const others = repeat(LISTED - 3, buildEntry)
    const [kept, also, gone] = agents as [number, number, number]
    await publishFiles(registry, {
      [domain]: build([...others, buildEntry(kept), buildEntry(also)], LISTED),
    })
    await registry.publish()
    for (const i of [kept, also])
      expect([i, await maySell(i), await isGranted(i)]).toEqual([i, true, true])
    expect(await maySell(gone)).toBe(false)
    expect(await maySell(0)).toBe(true)
    const revoked = await listRevoked()
    expect(revoked.map(({ payload }) => payload.agent_url)).toEqual([toAgent(gone)])
    // The file is now larger than one publisher may be: only what it no longer lists ends.
    await publishFiles(registry, { [domain]: build([...others, buildEntry(kept)], 25_001) })
    await registry.publish()
    expect([await maySell(kept), await maySell(also), await maySell(0)]).toEqual([
      true,
      false,
      true,
    ])
    const page = await registry.app.inject(`/publisher/${domain}`)
    expect(page.body).toContain('too broad')
    expect(await registry.verify()).toEqual([])
  }, 300_000)
})
