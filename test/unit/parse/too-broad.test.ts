import { describe, expect, it } from 'vitest'
import type { AdagentsInline } from '../../../pipeline/model/documents/index.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'
import { measureCpuMs } from '../../support/checks/measured-work.ts'
import { type Nights, runNights } from '../../support/worlds/nights.ts'

const domain = 'acme.example'

function repeat<Item>(n: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: n }, (_, i) => item(i))
}

function buildProperty(i: number, more: object = {}): object {
  return {
    property_type: 'website',
    name: `P ${i}`,
    property_id: `p${i}`,
    tags: ['all'],
    identifiers: [{ type: 'rss_url', value: `https://feeds.example/${i}` }],
    ...more,
  }
}

function buildEntry(i: number, more: object): object {
  return { url: `https://a${i}.agents.example`, authorized_for: 'All', ...more }
}

const byTag = (...property_tags: string[]) => ({
  authorization_type: 'property_tags',
  property_tags,
})
const bySelector = (selector: object) => ({
  authorization_type: 'publisher_properties',
  publisher_properties: [selector],
})

interface File {
  authorized_agents: object[]
  properties: object[]
}

function parse(file: File, of: string | undefined = domain) {
  const body = Buffer.from(JSON.stringify(file))
  const { document, faults } = parseDocument('adagents.json', body, { domain: of, maxFaults: 9 })
  const { agents } = document as AdagentsInline
  return { agents, broad: faults.filter(({ code }) => code === 'too_broad') }
}

describe('a file with too broad a reach', () => {
  it.each<[string, (i: number) => object, (i: number) => object]>([
    ['by tag', () => byTag('all'), () => ({})],
    ['by many tags', i => byTag('all', 'x', `y${i}`), i => ({ tags: [i % 2 ? 'all' : 'x'] })],
    [
      'by an id that all of them have',
      () => ({ authorization_type: 'property_ids', property_ids: ['p'] }),
      () => ({ property_id: 'p' }),
    ],
    [
      'by a selector of its own properties',
      () => bySelector({ publisher_domain: domain, selection_type: 'all' }),
      () => ({}),
    ],
    [
      'by a selector of those of others',
      () => bySelector({ publisher_domain: 'other.example', selection_type: 'all' }),
      () => ({ publisher_domain: 'other.example' }),
    ],
  ])('grants what its first entries do, %s', (_, scope, more) => {
    const { agents, broad } = parse({
      authorized_agents: repeat(3_000, i => buildEntry(i, scope(i))),
      properties: repeat(3_000, i => buildProperty(i, more(i))),
    })
    expect(agents.length).toBeGreaterThan(500)
    expect(agents.length).toBeLessThan(700)
    expect(agents.map(agent => agent.entry)).toEqual(repeat(agents.length, i => i))
    const rest = 3_000 - agents.length
    expect(broad).toEqual([
      {
        field: 'authorized_agents',
        code: 'too_broad',
        severity: 'error',
        message:
          'reach more than 2000000 properties in all: ' +
          `from authorized_agents[${agents.length}] on, ${rest} that select any were left out`,
      },
    ])
  })

  it('keeps entries of signals and of its own properties', () => {
    const more = [
      buildEntry(3_000, { authorization_type: 'signal_ids', signal_ids: ['s'] }),
      buildEntry(3_001, {
        authorization_type: 'inline_properties',
        properties: [buildProperty(0)],
      }),
    ]
    const { agents } = parse({
      authorized_agents: [...repeat(3_000, i => buildEntry(i, byTag('all'))), ...more],
      properties: repeat(3_000, buildProperty),
    })
    expect(agents.slice(-2).map(agent => agent.entry)).toEqual([3_000, 3_001])
  })

  it('is also one where an entry repeats much for many publishers, or agents have many tags', () => {
    const names = (name: string) => repeat(10_000, i => `${name}${i}`)
    const publisher_domains = names('d').map(name => `${name}.example`)
    const much = { selection_type: 'by_tag', publisher_domains, property_tags: names('t') }
    const said = parse({ authorized_agents: [buildEntry(0, bySelector(much))], properties: [] })
    expect([said.agents.length, said.broad.length]).toEqual([0, 1])
    const tagged = parse({
      authorized_agents: repeat(500, i => buildEntry(i, byTag('all'))),
      properties: repeat(500, i =>
        buildProperty(i, { tags: ['all', ...repeat(20, j => `t${i}_${j}`)] }),
      ),
    })
    expect(tagged.agents.length).toBeLessThan(100)
  })

  it('is recognised in time linear in its length', async () => {
    const file: File = {
      authorized_agents: repeat(20_000, i => buildEntry(i, byTag(`none${i}`, 'all', 'x'))),
      properties: repeat(20_000, i => buildProperty(i, { tags: [i % 2 ? 'all' : 'x'] })),
    }
    expect(await measureCpuMs(() => parse(file))).toBeLessThan(5_000)
  })
})

describe('a publisher with more content than is kept', () => {
  const countStored = ({ db }: Nights) =>
    db.all<{ name: string; status: string }>('select name, status from properties order by name')
  const refused = ({ db }: Nights) =>
    db.all<{ location: string; reason: string }>('select location, reason from quarantine')

  it('keeps the known state, reports why, and is read again once the file is smaller', () =>
    runNights(async nights => {
      const small = {
        authorized_agents: [buildEntry(0, byTag('all'))],
        properties: [buildProperty(1)],
      }
      const broad = { ...small, properties: repeat(25_001, i => buildProperty(i)) }
      await nights.night({ [domain]: small })
      expect(await nights.night({ [domain]: broad })).toEqual([])
      expect(await countStored(nights)).toEqual([{ name: 'P 1', status: 'active' }])
      expect(await nights.db.one('select count(*) as n from authorizations')).toEqual({ n: 1 })
      expect(await refused(nights)).toEqual([
        { location: domain, reason: expect.stringMatching(/^too_broad: comes to 25002 rows/) },
      ])
      const { broad: faults } = parse(broad)
      expect(faults).toMatchObject([{ field: 'root', severity: 'error' }])
      await nights.night({
        [domain]: { ...small, properties: [buildProperty(1), buildProperty(2)] },
      })
      expect(await countStored(nights)).toHaveLength(2)
      expect(await refused(nights)).toEqual([])
    }))

  it('loses only a property that is too large for a page of the feed', () => {
    const long = repeat(2_000, i => ({
      type: 'rss_url',
      value: `https://x.example/${'y'.repeat(150)}${i}`,
    }))
    const { broad } = parse({
      authorized_agents: [],
      properties: [buildProperty(0), buildProperty(1, { identifiers: long })],
    })
    expect(broad).toMatchObject([{ field: 'properties[1]' }])
  })
})

describe('a large file', () => {
  it('of a publisher with 5,000 properties lets 100 agents sell all of them', () =>
    runNights(async nights => {
      const file: File = {
        authorized_agents: repeat(100, i => buildEntry(i, byTag('all', 'odd'))),
        properties: repeat(5_000, i =>
          buildProperty(i, { tags: ['all', i % 2 ? 'odd' : 'even', `t${i % 300}`] }),
        ),
      }
      await nights.night({ [domain]: file })
      const sum = 'select count(*) as grants, sum(property_count) as reached from authorizations'
      expect(await nights.db.one(sum)).toEqual({ grants: 100, reached: 500_000 })
    }))

  it('of a network lets 48 agents sell for 6,800 publishers in five countries', () => {
    const publisher_domains = repeat(6_800, i => `p${i}.example`)
    const scope = {
      ...bySelector({ publisher_domains, selection_type: 'all' }),
      countries: ['US', 'GB', 'DE', 'FR', 'ES'],
    }
    const { agents, broad } = parse(
      {
        authorized_agents: repeat(48, i => buildEntry(i, scope)),
        properties: repeat(20_400, i =>
          buildProperty(i, { publisher_domain: publisher_domains[i % 6_800], tags: ['all'] }),
        ),
      },
      undefined,
    )
    expect([agents.length, broad]).toEqual([48, []])
  })
})

describe('a file with placements and formats of too many publishers', () => {
  const network = (publishers: number, items: number, bytes: number) => {
    const more = { name: 'N', description: 'd'.repeat(bytes) }
    return {
      authorized_agents: [],
      properties: repeat(publishers, i => buildProperty(i, { publisher_domain: `p${i}.example` })),
      placements: repeat(items, i => ({ placement_id: `a${i}`, property_tags: ['all'], ...more })),
      formats: repeat(items, i => ({ format_option_id: `f${i}`, format_kind: 'image', ...more })),
    }
  }
  const read = (file: object) => {
    const body = Buffer.from(JSON.stringify(file))
    const { document, faults } = parseDocument('adagents.json', body, {
      domain: undefined,
      maxFaults: 10_000,
    })
    const { placements, formats } = document as AdagentsInline
    const broad = faults.filter(({ code }) => code === 'too_broad').map(({ field }) => field)
    return [placements.length, formats.length, broad]
  }

  it('keeps all that fit', () => {
    expect(read(network(2_000, 30, 400))).toEqual([30, 30, []])
    expect(read(network(1, 900, 1_000))).toEqual([900, 900, []])
  })

  it('keeps the first ones', () => {
    const [placements, formats, broad] = read(network(2_000, 100, 600))
    expect(placements).toBeGreaterThan(40)
    expect(placements).toBeLessThan(60)
    expect([formats, broad]).toEqual([0, ['placements', 'formats']])
  })
})
