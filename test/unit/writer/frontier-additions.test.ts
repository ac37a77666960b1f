import { describe, expect, it, test } from 'vitest'
import { HOUR, MINUTE } from '../../../pipeline/core/clock.ts'
import type { AdagentsDocument } from '../../../pipeline/model/documents/index.ts'
import { observePublisherFile } from '../../support/fixtures/documents.ts'
import { type ObservationDraft, openRegistry } from '../../support/registry/app.ts'
import { observeAgent } from '../../support/registry/members.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

const count = async (sql: string) =>
  (await registry.sequencer.index.one<{ n: number }>(`select count(*) as n from ${sql}`))!.n

const mentioned = (like: string) =>
  count(`frontier where why = 'mentioned' and domain like '${like}'`)
const probing = (like: string) =>
  count(`crawl_state where kind = 'agent' and location like '%${like}%' and due_at is not null`)

/** Builds a manager's file that names publishers, and agents. */
function buildNamingFile(
  domain: string,
  publishers: string[],
  agents: string[] = [],
): ObservationDraft {
  const file = observePublisherFile(domain, {
    sites: [domain],
    agents: ['https://a.example/mcp', ...agents],
  })
  const document = file.document as Extract<AdagentsDocument, { variant: 'inline' }>
  const [first] = document.agents
  const selectors = [{ publisher_domains: publishers, selection_type: 'all' as const }]
  const seller = { ...first!, publisher_properties: selectors }
  return {
    ...file,
    document: { ...document, agents: [seller as never, ...document.agents.slice(1)] },
  }
}

const names = (count: number, ending: string) =>
  Array.from({ length: count }, (_, i) => `p${String(i).padStart(6, '0')}${ending}`)

/** Passes time, and commits what it brings. */
async function pass(ms: number): Promise<void> {
  registry.clock.tick(ms)
  await registry.sequencer.tick()
}

describe('additions of one document to the frontier', () => {
  it('are bounded at once, the rest comes later: of 2,000 publishers none is lost', async () => {
    await registry.observe(buildNamingFile('manager.example', names(2_000, '-one.example')))
    expect(await mentioned('%-one.example')).toBe(500)
    for (let hour = 1; hour <= 3; hour++) {
      await pass(HOUR + MINUTE)
      expect(await mentioned('%-one.example')).toBe(Math.min(2_000, 500 * (hour + 1)))
    }
    expect(
      await count(`wakes where subject = 'manager.example' and wakes_at > unixepoch() * 1000`),
    ).toBe(0)
  })

  it('are more for a domain that an operator submitted', async () => {
    const domains = ['given.example'] as never[]
    await registry.submit({ op: 'domains.add', domains, again: false })
    await registry.observe(buildNamingFile('given.example', names(3_000, '-two.example')))
    expect(await mentioned('%-two.example')).toBe(2_000)
  })

  it('are few below one registrable domain, for any number of documents', async () => {
    await pass(2 * HOUR)
    for (let i = 0; i < 5; i++) {
      const some = names(1_000, '.wild.example').slice(i * 200, (i + 1) * 200)
      await registry.observe(buildNamingFile(`many${i}.example`, some))
    }
    expect(await mentioned('%.wild.example')).toBe(300)
    await pass(HOUR + MINUTE)
    expect(await mentioned('%.wild.example')).toBe(600)
  })

  it('treat user sites below a public suffix as domains of their own', async () => {
    await registry.observe(buildNamingFile('platform.example', names(400, '.github.io')))
    expect(await mentioned('%.github.io')).toBe(400)
  })
})

test('that were looked up below one registrable domain are a few hundred an hour', async () => {
  await pass(2 * HOUR)
  for (let i = 0; i < 3; i++) {
    const domains = names(3_000, '.asked.example').slice(i * 1_000, (i + 1) * 1_000) as never[]
    await registry.submit({ op: 'domains.add', domains, again: false, why: 'demanded' })
  }
  expect(await count(`frontier where domain like '%.asked.example'`)).toBe(300)
})

describe('agents below one registrable domain', () => {
  const agents = names(1_400, '').map(name => `https://${name}.tools.example/mcp`)

  it('are probed in a bounded number while none has answered, under any number of names', async () => {
    await registry.observe(buildNamingFile('lister.example', [], agents))
    expect(await probing('.tools.example')).toBe(500)
  })

  it('and more of them as they answer, until all are', async () => {
    const answered = agents
      .slice(0, 400)
      .map(agent => observeAgent(agent, { tools: [{ name: 'x' }] }))
    await registry.observe(...answered)
    expect(await probing('.tools.example')).toBe(1_300)
    await registry.observe(
      ...agents.slice(400, 500).map(agent => observeAgent(agent, { tools: [{ name: 'y' }] })),
    )
    expect(await probing('.tools.example')).toBe(1_400)
  })

  it('do not count for other sites', async () => {
    await registry.observe(
      buildNamingFile('other.example', [], ['https://agent.tools2.example/mcp']),
    )
    expect(await probing('agent.tools2.example')).toBe(1)
  })
})

describe('agents on sites of their own in one document', () => {
  const starting = (like: string) =>
    count(
      `crawl_state where kind = 'agent' and location like '%${like}/mcp'
         and due_at < ${registry.clock.now() + HOUR}`,
    )
  const agents = (number: number, ending: string) =>
    names(number, ending).map(name => `https://${name}/mcp`)

  it('are probed in a bounded number an hour, and none is lost', async () => {
    await pass(2 * HOUR)
    await registry.observe(buildNamingFile('sites.example', [], agents(1_200, '-agent.example')))
    for (const expected of [500, 1_000, 1_200]) {
      expect(await starting('-agent.example')).toBe(expected)
      await pass(HOUR)
    }
  })

  it('however often the document repeats others in the same hour', async () => {
    await pass(2 * HOUR)
    const started: number[] = []
    for (let i = 0; i < 4; i++) {
      registry.clock.tick(MINUTE)
      await registry.observe(
        buildNamingFile('turning.example', [], agents(300, `-turn${i}.example`)),
      )
      started.push(await starting(`-turn${i}.example`))
    }
    expect(started).toEqual([300, 200, 0, 0])
  })

  it('are more for a domain that an operator submitted', async () => {
    await pass(2 * HOUR)
    await registry.observe(buildNamingFile('given.example', [], agents(2_400, '-vouched.example')))
    expect(await starting('-vouched.example')).toBe(2_000)
  })
})

describe('files of realistic size', () => {
  it('with as many agents under a wildcard as are kept have as few probes as any', async () => {
    await pass(2 * HOUR)
    const agents = names(24_900, '.wildcard.example').map(name => `https://${name}/mcp`)
    await registry.observe(buildNamingFile('large.example', [], agents))
    expect(await count(`agents where agent_url like '%.wildcard.example/mcp'`)).toBe(24_900)
    expect(await probing('.wildcard.example')).toBe(500)
  })

  it('with 40,000 agents exceed what is kept of one publisher, and cause no probe', async () => {
    const agents = names(40_000, '.wild-card.example').map(name => `https://${name}/mcp`)
    await registry.observe(buildNamingFile('larger.example', [], agents))
    expect(await probing('.wild-card.example')).toBe(0)
  })

  it('with 50,000 publishers add as few to the frontier as any', async () => {
    await pass(2 * HOUR)
    await registry.observe(buildNamingFile('wide.example', names(50_000, '-fifty.example')))
    expect(await mentioned('%-fifty.example')).toBe(500)
  })
})

test('all stores agree', async () => {
  expect(await registry.verify()).toEqual([])
})
