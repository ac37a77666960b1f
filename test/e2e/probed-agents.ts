import { beforeAll, expect, test } from 'vitest'
import { formats } from '../../api/agent/catalogue/formats.ts'
import { tenants } from '../../api/agent/tenants.ts'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { type Agent, demoAgents } from '../../scripts/world/demo-agents.ts'
import {
  type Environment,
  runRegistry,
  waitUntil,
  webTimeouts,
} from '../support/processes/command.ts'

interface Found {
  agent_url: string
  outcome: string
  took_ms: number | null
  name: string | null
  type: string | null
  protocols: string[] | null
  tools_count: number | null
  needs_auth: boolean | null
  metrics: number | null
  formats: number | null
  faults: number | null
}

const FOUND = `
select location as agent_url, outcome, took_ms, name, type, protocols, tools_count, needs_auth,
  json_array_length(document, '$.capabilities.measurement.metrics')::double as metrics,
  json_array_length(document, '$.formats')::double as formats, fault_count as faults
from crawl_state s left join agent_profiles p on p.agent_url = s.location
left join documents d using (kind, location) where s.kind = 'agent' order by location`

const toKey = ({ host, path }: Agent) => `https://${host}${path.replace(/\/$/, '')}`

const outcomes: Record<Agent['behavior'], string> = {
  open: 'ok',
  auth: 'needs_auth',
  down: 'server_error',
  hang: 'timeout',
  website: 'not_json',
  card_only: 'ok',
}

/** Describes what the registry of the demo, running with these settings, knows about the agents of its internet. */
export function describeProbedAgents(env: Environment): void {
  const found = new Map<string, Found>()

  async function ask<Row>(sql: string): Promise<Row[]> {
    const db = await Database.open(`${env.DATA_DIR}/registry.duckdb`, { readOnly: true })
    const rows = await db.all<Row>(sql)
    db.close()
    return rows
  }

  beforeAll(async () => {
    await waitUntil(async () => {
      const [{ untried } = { untried: 1 }] = await ask<{ untried: number }>(
        `select count(*) as untried from crawl_state where kind = 'agent' and attempted_at is null`,
      ).catch(() => [])
      return untried === 0
    })
    for (const row of await ask<Found>(FOUND)) found.set(row.agent_url, row)
  })

  test('every mentioned agent was probed, and its state is known', async () => {
    const missing = await ask(`select agent_url from agents
      anti join (select location as agent_url from crawl_state where kind = 'agent' and attempted_at is not null) using (agent_url)`)
    expect(missing).toEqual([])
    expect([...found.keys()]).toEqual(expect.arrayContaining(demoAgents.map(toKey)))
    for (const row of found.values())
      expect(row.took_ms ?? 0).toBeLessThanOrEqual(webTimeouts.probeMs + 1_000)
  })

  test.each(demoAgents.map(agent => [toKey(agent), agent] as const))(
    '%s is what it is',
    (key, agent) => {
      const row = found.get(key)!
      expect(row).toMatchObject({ outcome: outcomes[agent.behavior], type: agent.type })
      if (outcomes[agent.behavior] !== 'ok') return expect(row.tools_count).toBe(0)
      const isCreative = agent.type === 'creative'
      const hasCard = isCreative || agent.tenant !== undefined
      const protocols =
        agent.behavior === 'card_only' ? ['a2a'] : hasCard ? ['mcp', 'a2a'] : ['mcp']
      const name = tenants.find(tenant => tenant.name === agent.tenant)?.title ?? agent.company
      expect(row).toMatchObject({ name, protocols, needs_auth: agent.requiresCredentialToCall })
      expect(row.tools_count).toBeGreaterThan(1)
      const readsFormats = isCreative && !agent.requiresCredentialToCall
      if (readsFormats) expect(row.formats).toBe(agent.tenant ? formats.length : 2)
      const isMeasured = agent.type === 'measurement' && agent.company !== 'Over Claim'
      expect(row.metrics).toBe(isMeasured ? 3 : null)
      const answersAll = !agent.requiresCredentialToCall && agent.failing.length === 0
      const isSound = !agent.listsInvalidTools && answersAll && agent.company !== 'Over Claim'
      expect(row.faults === 0).toBe(isSound)
    },
  )

  test('the feed has the profiles of agents that publishers name, and no others', async () => {
    const events = await ask<{ entity_id: string; name: string; type: string }>(
      `select entity_id, payload->>'name' as name, payload->>'type' as type from events
       where event_type in ('agent.discovered', 'agent.profile_updated')
       qualify row_number() over (partition by entity_id order by event_id desc) = 1`,
    )
    const agents = await ask<{ agent_url: string }>('select agent_url from agents')
    expect(new Set(events.map(row => row.entity_id))).toEqual(
      new Set(agents.map(row => row.agent_url)),
    )
    for (const { entity_id, name, type } of events) {
      const { name: own, type: known } = found.get(entity_id)!
      expect({ name, type }).toEqual({ name: own ?? entity_id, type: known ?? 'unknown' })
    }
  })

  test('nothing claims that a vendor was verified', async () => {
    const flags = await ask<{ flags: string[] }>(
      `select document->>'$.capabilities.measurement.metrics[*].accreditations[*].verified_by_aao' as flags
       from documents where kind = 'agent'`,
    )
    const said = flags.flatMap(row => row.flags ?? [])
    expect(said.length).toBeGreaterThan(3)
    expect(new Set(said)).toEqual(new Set(['false']))
  })

  test('all stores agree', async () => {
    const { stdout } = await runRegistry(['verify'], env)
    expect(stdout).toBe('All stores agree.\n')
  })
}
