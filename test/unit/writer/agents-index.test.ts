import { beforeAll, describe, expect, it } from 'vitest'
import { DAY, HOUR, type Instant, MINUTE, toIso } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import { buildAgentDocument } from '../../../pipeline/model/agent-tasks.ts'
import type { AgentParts } from '../../../pipeline/model/documents/index.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { loadDueTargets } from '../../../pipeline/writer/crawl/due-files.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const seller = 'https://sales.seller.example/mcp'
const start = '2026-11-20T03:00Z'

const publisher = (...agents: string[]) => ({
  properties: [
    {
      property_id: 'home',
      property_type: 'website',
      name: 'Home',
      identifiers: [{ type: 'domain', value: 'news.example' }],
    },
  ],
  authorized_agents: agents.map(url => ({
    url,
    authorized_for: 'all',
    authorization_type: 'property_ids',
    property_ids: ['home'],
  })),
})

const buildBrandFile = (id: string, ...agents: { type: string; url: string }[]) => ({
  id,
  names: [{ en: id }],
  agents,
})

const tool = (name: string) => ({ name })

/** Builds the observation of a successful probe. */
function observeProbe(
  at: Instant,
  parts: Partial<AgentParts> = {},
  more: Partial<Observation> = {},
) {
  const document = buildAgentDocument({
    endpoint: seller,
    tools: [tool('get_products')],
    needs_auth: false,
    unread: [],
    ...parts,
  })
  const hash = hashContent(Buffer.from(JSON.stringify(document)))
  const observation = {
    kind: 'agent' as const,
    location: seller,
    observed_at: at,
    outcome: 'ok' as const,
  }
  return { ...observation, hash, document, took_ms: 40, ...more } satisfies Observation
}

function observeFailure(
  outcome: Outcome,
  at: Instant,
  more: Partial<Observation> = {},
): Observation {
  return { kind: 'agent', location: seller, observed_at: at, outcome, took_ms: 9, ...more }
}

interface AgentIndex extends MemoryIndex {
  clock: ReturnType<typeof testClock>
  due(): Promise<string[]>
  state(location?: string): Promise<Record<string, unknown> | undefined>
  profile(agent?: string): Promise<Record<string, unknown> | undefined>
  readDocument(location?: string): Promise<Record<string, unknown> | undefined>
}

function withAgentIndex(work: (index: AgentIndex) => Promise<void>): Promise<void> {
  const clock = testClock(start)
  return withIndex(clock, async index => {
    const { db } = index
    await work({
      ...index,
      clock,
      async due() {
        const rows = await db.all<{ location: string }>(
          `select location from crawl_state where kind = 'agent' and due_at <= ms($now) order by location`,
          { now: new Date(clock.now()).toISOString() },
        )
        return rows.map(({ location }) => location)
      },
      state: (location = seller) =>
        db.one(
          `select *, due_at - attempted_at as wait_ms from crawl_state where kind = 'agent' and location = $location`,
          { location },
        ),
      profile: (agent = seller) =>
        db.one('select * from agent_profiles where agent_url = $agent', { agent }),
      readDocument: (location = seller) =>
        db.one(`select * from documents where kind = 'agent' and location = $location`, {
          location,
        }),
    })
  })
}

const names = (agents: string[], at: Instant) =>
  observeFile('adagents.json', 'news.example', publisher(...agents), at)

describe('agents to probe', () => {
  it('are all that a publisher authorizes or a brand declares, at once', () =>
    withAgentIndex(async ({ commit, clock, due }) => {
      const declared = { type: 'brand', url: 'https://identity.acme.example/mcp/' }
      const houses = {
        house: {
          domain: 'acme.example',
          name: 'Acme',
          agents: [{ type: 'rights', url: 'https://rights.acme.example' }],
        },
        brands: [buildBrandFile('acme', declared)],
      }
      await commit([
        names([`${seller}/`], clock.now()),
        observeFile('brand.json', 'acme.example', houses, clock.now()),
      ])
      expect(await due()).toEqual([
        'https://identity.acme.example/mcp',
        'https://rights.acme.example',
        seller,
      ])
    }))

  it('exclude one that nobody names anymore, also when a probe was under way', () =>
    withAgentIndex(async ({ commit, clock, due, state }) => {
      await commit([names([seller], clock.now())])
      await commit([observeProbe(clock.tick({ hours: 1 }))])
      await commit([names([], clock.tick({ hours: 1 }))])
      expect(await state()).toMatchObject({ due_at: null })
      await commit([observeProbe(clock.tick({ hours: 1 }))])
      expect(await state()).toMatchObject({ due_at: null, took_ms: 40 })
      await commit([names([seller], clock.tick({ days: 30 }))])
      expect(await due()).toEqual([seller])
    }))

  it('include one that still has one of two mentions', () =>
    withAgentIndex(async ({ commit, clock, state }) => {
      const brand = buildBrandFile('acme', { type: 'sales', url: seller })
      await commit([
        names([seller], clock.now()),
        observeFile('brand.json', 'acme.example', brand, clock.now()),
      ])
      await commit([names([], clock.tick({ hours: 1 }))])
      expect((await state())?.due_at).not.toBeNull()
      await commit([
        observeFile('brand.json', 'acme.example', buildBrandFile('acme'), clock.tick({ hours: 1 })),
      ])
      expect(await state(), 'it was never probed').toBeUndefined()
    }))

  it('exclude those of a brand.json that could not be read for a week', () =>
    withAgentIndex(async ({ commit, clock, state }) => {
      const brand = buildBrandFile('acme', { type: 'sales', url: seller })
      await commit([observeFile('brand.json', 'acme.example', brand, clock.now())])
      clock.tick({ days: 6 })
      await commit([observeOutcome('timeout', 'brand.json', 'acme.example', clock.now())])
      expect((await state())?.due_at).not.toBeNull()
      clock.tick({ days: 2 })
      await commit([])
      expect(await state(), 'it was never probed').toBeUndefined()
    }))

  it('are bounded per host', () =>
    withAgentIndex(async ({ commit, clock, due }) => {
      const many = Array.from({ length: 300 }, (_, i) => `https://platform.example/${i}/mcp`)
      await commit([names(many, clock.now())])
      const more = Array.from({ length: 400 }, (_, i) => `https://platform.example/more-${i}/mcp`)
      const brands = [0, 1, 2, 3].map(i => {
        const agents = more.slice(i * 100, i * 100 + 100).map(url => ({ type: 'sales', url }))
        return observeFile(
          'brand.json',
          `b${i}.example`,
          buildBrandFile(`b${i}`, ...agents),
          clock.now(),
        )
      })
      await commit([...brands, names([...many, seller], clock.tick({ hours: 1 }))])
      const probedAgents = await due()
      expect(probedAgents).toHaveLength(501)
      expect(probedAgents).toContain(seller)
    }))
})

describe('the next probe of an agent', () => {
  const there = ['ok', 'unchanged', 'needs_auth'] as const
  const failing = ['timeout', 'absent', 'server_error', 'unusable', 'refused'] as const
  const toAddress = (outcome: Outcome) => `https://${outcome.replace('_', '-')}.example/mcp`
  /** Waits after each of eight nights, by outcome. */
  const waits = new Map<Outcome, number[]>([...there, ...failing].map(name => [name, []]))

  beforeAll(() =>
    withAgentIndex(async ({ commit, clock, state }) => {
      await commit([names([...waits.keys()].map(toAddress), clock.now())])
      for (let night = 0; night < 8; night++) {
        const at = clock.tick({ hours: 25 })
        const observations = [...waits.keys()].map(outcome => ({
          ...(outcome === 'ok'
            ? observeProbe(at, { server_name: `${night}` })
            : observeFailure(outcome, at)),
          location: toAddress(outcome),
        }))
        await commit([
          ...observations,
          observeOutcome('unchanged', 'adagents.json', 'news.example', at),
        ])
        for (const [outcome, found] of waits) {
          found.push(Number((await state(toAddress(outcome)))!.wait_ms))
        }
      }
    }),
  )

  it.each(there)('comes within a day after a success (%s)', outcome => {
    for (const wait of waits.get(outcome)!) {
      expect(wait).toBeGreaterThan(20 * HOUR)
      expect(wait).toBeLessThan(DAY)
    }
  })

  it.each(failing)(
    'comes soon after a failure (%s), then less often, and at least daily',
    outcome => {
      const found = waits.get(outcome)!
      expect(found[0]).toBeLessThan(70 * MINUTE)
      expect(found).toEqual([...found].sort((a, b) => a - b))
      expect(found.at(-1)).toBeGreaterThan(20 * HOUR)
      expect(found.at(-1)).toBeLessThan(DAY)
    },
  )

  it('waits for a requested pause', () =>
    withAgentIndex(async ({ commit, clock, state }) => {
      await commit([names([seller], clock.now())])
      await commit([
        observeFailure('throttled', clock.tick({ hours: 1 }), { retry_after_s: 7_200 }),
      ])
      expect((await state())?.wait_ms).toBe(2 * HOUR)
    }))

  it('precedes the files of a night that became due earlier', () =>
    withAgentIndex(async ({ commit, clock, db }) => {
      await commit([names([seller], clock.now())])
      await commit([observeProbe(clock.tick({ minutes: 1 }))])
      const due = { at: toIso(clock.tick({ days: 1 })) }
      await db.run(
        `insert into crawl_state (kind, location, priority, streak, due_at, requested, seq)
         select 'adagents.json', 'd' || value || '.example', 2, 1,
           ms($at) - value / 100 * 3600000, false, 1 from (with recursive n (value) as (select 0 union all select value + 1 from n where value < 1999)
         select value from n)`,
        due,
      )
      await db.run(`update crawl_state set due_at = ms($at) where kind = 'agent'`, due)
      const [first] = await loadDueTargets(db, clock.now(), 10, { which: 'others' })
      expect(first).toMatchObject({ kind: 'agent', location: seller })
      await db.run(`update crawl_state set priority = 0 where location = 'd7.example'`)
      const [asked, next] = await loadDueTargets(db, clock.now(), 10)
      expect([asked!.location, next!.location]).toEqual(['d7.example', seller])
    }))

  it('is spread over the day, at the same time for the same agent', () =>
    withAgentIndex(async ({ commit, clock, db }) => {
      const agents = Array.from({ length: 40 }, (_, i) => `https://a${i}.example/mcp`)
      await commit([names(agents, clock.now())])
      const at = clock.tick({ minutes: 5 })
      await commit(agents.map(location => ({ ...observeProbe(at), location })))
      const { moments } = (await db.one<{ moments: number }>(
        `select count(distinct due_at) as moments from crawl_state where kind = 'agent'`,
      ))!
      expect(moments).toBeGreaterThan(30)
    }))
})

describe('changes by a probe', () => {
  const capabilities = {
    supported_protocols: ['media_buy'],
    supported_channels: ['ctv'],
    markets: ['FR'],
    has_tmp: true,
  }
  const formats = [{ format_id: { agent_url: seller, id: 'banner' } }]

  it('are reported once, with the current name and type of the agent', () =>
    withAgentIndex(async ({ commit, clock, profile, readDocument, state }) => {
      const [discovered] = (await commit([names([seller], clock.now())])).filter(
        event => event.event_type === 'agent.discovered',
      )
      expect(discovered!.payload).toMatchObject({ name: seller, type: 'unknown' })
      const parts = { server_name: 'Seller', capabilities, formats }
      const events = await commit([observeProbe(clock.tick({ minutes: 1 }), parts)])
      expect(events).toMatchObject([
        {
          event_type: 'agent.profile_updated',
          entity_id: seller,
          payload: {
            agent_url: seller,
            name: 'Seller',
            type: 'sales',
            has_tmp: true,
            changed_fields: ['channels', 'markets', 'name', 'type', 'has_tmp'],
            inventory_profile: {
              channels: ['ctv'],
              markets: ['FR'],
              has_tmp: true,
              property_count: 1,
              publisher_count: 1,
            },
          },
        },
      ])
      const before = { profile: await profile(), document: await readDocument() }
      const again = observeProbe(clock.tick({ days: 1 }), parts, {
        outcome: 'unchanged',
        took_ms: 900,
      })
      expect(await commit([again])).toEqual([])
      const same = observeProbe(clock.tick({ days: 1 }), parts, { took_ms: 7 })
      expect(await commit([same])).toEqual([])
      expect({ profile: await profile(), document: await readDocument() }).toEqual(before)
      expect(await state()).toMatchObject({ took_ms: 7, outcome: 'ok' })
    }))

  it('exclude what could not be read, and are none when nothing could', () =>
    withAgentIndex(async ({ commit, clock, readDocument, profile }) => {
      await commit([names([seller], clock.now())])
      const card = { name: 'Card', description: 'Sells' }
      await commit([observeProbe(clock.tick({ minutes: 1 }), { capabilities, formats, card })])
      const before = await profile()
      const unread = ['capabilities', 'formats', 'card'] as const
      const events = await commit([observeProbe(clock.tick({ days: 1 }), { unread: [...unread] })])
      expect(events).toEqual([])
      expect((await readDocument())?.document).toMatchObject({
        capabilities,
        formats,
        card,
        unread,
        protocols: ['mcp', 'a2a'],
        description: 'Sells',
      })
      for (const outcome of ['timeout', 'needs_auth', 'absent', 'not_json'] as const) {
        expect(await commit([observeFailure(outcome, clock.tick({ days: 1 }))])).toEqual([])
      }
      expect(await profile()).toEqual(before)
      expect((await readDocument())?.document).toMatchObject({ capabilities, formats })
    }))

  it('remove what the agent no longer offers', () =>
    withAgentIndex(async ({ commit, clock, readDocument }) => {
      await commit([names([seller], clock.now())])
      await commit([observeProbe(clock.tick({ minutes: 1 }), { capabilities, formats })])
      const [event] = await commit([observeProbe(clock.tick({ days: 1 }))])
      expect(event!.payload).toMatchObject({ changed_fields: ['channels', 'markets', 'has_tmp'] })
      expect((await readDocument())?.document).not.toHaveProperty('formats')
    }))

  it('never replace a known type: the disagreement is a fault', () =>
    withAgentIndex(async ({ commit, clock, readDocument, profile }) => {
      await commit([names([seller], clock.now())])
      const as = (name: string, days: number) =>
        commit([observeProbe(clock.tick({ days }), { tools: [tool(name)] })])
      await as('unknown_tool', 1)
      expect(await profile()).toMatchObject({ type: 'unknown' })
      const [event] = await as('get_signals', 1)
      expect(event!.payload).toMatchObject({ type: 'signals', changed_fields: ['type'] })
      expect(await as('get_products', 1)).toEqual([])
      expect(await profile()).toMatchObject({ type: 'signals' })
      expect(await readDocument()).toMatchObject({
        fault_count: 1,
        faults: [{ field: 'tools', severity: 'warning' }],
        document: { type: 'signals', inferred_type: 'sales' },
      })
      expect(await as('get_signals', 1)).toEqual([])
      expect(await readDocument()).toMatchObject({ fault_count: 0 })
    }))

  it('are not reported for an agent that no publisher names', () =>
    withAgentIndex(async ({ commit, clock, profile }) => {
      const brand = buildBrandFile('acme', { type: 'sales', url: seller })
      await commit([observeFile('brand.json', 'acme.example', brand, clock.now())])
      expect(
        await commit([observeProbe(clock.tick({ minutes: 1 }), { server_name: 'S' })]),
      ).toEqual([])
      expect(await profile()).toMatchObject({ name: 'S', type: 'sales' })
      const events = await commit([names([seller], clock.tick({ minutes: 1 }))])
      const discovered = events.find(event => event.event_type === 'agent.discovered')
      expect(discovered!.payload).toMatchObject({ name: 'S', type: 'sales' })
    }))
})

describe('the declared type', () => {
  const declare = (domain: string, type: string, at: Instant) =>
    observeFile('brand.json', domain, buildBrandFile('b', { type, url: seller }), at)

  it('on the agent’s own site takes precedence over its tools', () =>
    withAgentIndex(async ({ commit, clock, profile }) => {
      await commit([declare('seller.example', 'buying', clock.now()), observeProbe(clock.now())])
      expect(await profile()).toMatchObject({ type: 'buying' })
    }))

  it('by others counts where the tools show none and nobody contradicts', () =>
    withAgentIndex(async ({ commit, clock, profile }) => {
      const silent = observeProbe(clock.now(), { tools: [] })
      await commit([declare('other.example', 'governance', clock.now()), silent])
      expect(await profile()).toMatchObject({ type: 'governance' })
      await commit([declare('third.example', 'rights', clock.tick({ hours: 1 }))])
      expect(await profile()).toMatchObject({ type: 'unknown' })
      await commit([declare('third.example', 'overlord', clock.tick({ hours: 1 }))])
      expect(await profile()).toMatchObject({ type: 'governance' })
      await commit([observeProbe(clock.tick({ hours: 1 }))])
      expect(await profile()).toMatchObject({ type: 'sales' })
    }))

  it('ends with the declaration where the agent was never reached, and that is reported', () =>
    withAgentIndex(async ({ commit, clock, profile }) => {
      const declared = declare('seller.example', 'buying', clock.now())
      await commit([names([seller], clock.now()), declared])
      const silent = observeFile(
        'brand.json',
        'seller.example',
        buildBrandFile('b'),
        clock.tick({ hours: 1 }),
      )
      const [event] = await commit([silent])
      expect(await profile()).toBeUndefined()
      expect(event).toMatchObject({
        event_type: 'agent.profile_updated',
        payload: { type: 'unknown', changed_fields: ['type'] },
      })
    }))

  it('changes with the declaration, and is reported', () =>
    withAgentIndex(async ({ commit, clock }) => {
      await commit([names([seller], clock.now())])
      const [event] = await commit([declare('seller.example', 'buying', clock.tick({ hours: 1 }))])
      expect(event!.payload).toMatchObject({ type: 'buying', changed_fields: ['type'] })
    }))
})
