import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { previewTakedown } from '../../pipeline/maintenance/inspect/takedown-preview.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { exportParquet } from '../../pipeline/store/columnar/parquet.ts'
import { listTables, readTableFile, type TableFile } from '../../pipeline/store/table-files.ts'
import { listTakedownRules } from '../../pipeline/store/takedown-rules.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { buildLogoSave } from '../support/fixtures/logos.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { buildSuite } from '../support/fixtures/suites.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const NAME = 'gone.example'
const agent_url = `https://sales.${NAME}/mcp`
const SEALED = 'sealed-credential-of-the-agent'
const takedown = Operation.parse({ op: 'domain.takedown', domain: NAME })
const step = {
  storyboard_id: 's',
  phase_id: 'p',
  step_id: 's',
  task: 't',
  step_passed: false,
  duration_ms: 1,
  error_text: null,
  failed_validations: [],
  exchange: {
    request: { url: agent_url, operation: 't', payload: {} },
    extraction: { path: 'none' },
  },
}
const names = (value: unknown) => /(^|[^a-z])gone\.example/.test(JSON.stringify(value))

const registry = openForAll(() => openRegistry({ settings: { REQUIRE_OWNERSHIP_PROOF: 'false' } }))
let org_id: string

/** Submits everything that members, people and the registry itself do about a domain and its agent. */
async function fill(): Promise<void> {
  const editor = { kind: 'key', id: 'k', org_id: null }
  const common = { domain: `saved.${NAME}`, editor }
  const at = registry.clock.now()
  const person = { user_id: 'ann', email: 'ann@mail.example', pace: 'daily', most: 9 }
  const hook = { event_types: [], cursor: randomUUID(), created_by: 'k', most: 9, org_id }
  const subscribe = (more: object) => ({
    op: 'subscription.create',
    subscription_id: randomUUID(),
    domains: [],
    agents: [],
    ...hook,
    ...more,
  })
  const operations = [
    {
      op: 'member.agent.save',
      org: 'Gone',
      url: 'https://stays.example/mcp',
      type: 'sales',
      health_check_url: `https://${NAME}/up`,
    },
    { op: 'agent.credential.save', agent_url, org_id, auth_type: 'bearer', sealed_secret: SEALED },
    { op: 'monitoring.change', agent_url, org_id, lifecycle_stage: 'production' },
    { ...buildSuite({ agent_url, org_id, at }), diagnostics: [step] },
    {
      op: 'agent.request.record',
      agent_url,
      org_id,
      request_id: randomUUID(),
      request_type: 'step',
      response_time_ms: 1,
      success: true,
      error_message: null,
      requested_at: new Date(at).toISOString(),
    },
    { op: 'brand.save', ...common, revision_id: randomUUID(), brand_name: 'Saved' },
    {
      op: 'brand.submit',
      ...common,
      domain: `submitted.${NAME}`,
      revision_id: randomUUID(),
      brand_name: 'Submitted',
    },
    {
      op: 'property.save',
      ...common,
      revision_id: randomUUID(),
      properties: [],
      contact: { email: `a@${NAME}` },
    },
    {
      op: 'crawl.request',
      crawl_request_id: randomUUID(),
      scope: 'domain',
      domain: NAME,
      requested_by: 'k',
    },
    {
      op: 'ownership.issue',
      challenge_id: randomUUID(),
      org_id,
      domain: NAME,
      nonce_hash: 'a'.repeat(64),
      lasts_ms: 9_000,
    },
    { op: 'origin.claim', domain: NAME, org_id, claim_hash: 'b'.repeat(64) },
    {
      op: 'domains.add',
      domains: [NAME],
      again: false,
      why: 'demanded',
      callers: ['c'.repeat(16)],
    },
    { op: 'watch.begin', watch_id: randomUUID(), ...person, kind: 'agent', subject: agent_url },
    subscribe({ url: `https://hooks.${NAME}/a` }),
    subscribe({ url: 'https://hooks.example/b', domains: [NAME] }),
    subscribe({
      url: 'https://hooks.example/c',
      domains: [NAME, 'stays.example'],
      agents: [agent_url],
    }),
    buildLogoSave(NAME),
  ]
  for (const operation of operations) {
    const [answer] = await registry.submit(Operation.parse(operation))
    expect([operation.op, answer]).toEqual([operation.op, { done: expect.anything() }])
  }
}

beforeAll(async () => {
  await enrol(registry, {
    org: 'Gone',
    tier: 'company_icl',
    domains: [NAME],
    agents: [{ url: agent_url, name: 'Gone Sales' }],
  })
  org_id = registry.sequencer.accounts.db.oneOrThrow<{ org_id: string }>(
    "select org_id from organizations where name = 'Gone'",
  ).org_id
  await registry.observe(
    observeBrandFile(NAME, 'Gone'),
    observePublisherFile(NAME, { sites: [NAME], agents: ['https://stays.example/mcp'] }),
  )
  await fill()
})

/** Puts a row into each table that has none with a name in a column by which a takedown deletes. */
function fillTheRest(): void {
  const { db } = registry.sequencer.accounts
  for (const folder of ['tables', 'accounts'] as const) {
    for (const [table, rules] of Map.groupBy(listTakedownRules(folder), ({ table }) => table)) {
      const columns = rules.map(({ column }) => column)
      const known = db.all<Record<string, unknown>>(`select * from ${table}`)
      if (columns.every(column => known.some(row => names(row[column])))) continue
      const all = db.all<{ name: string; type: string; required: number }>(
        `select name, lower(type) as type, "notnull" as required from pragma_table_info('${table}')`,
      )
      const row = all.map(({ name, type, required }) => {
        if (columns.includes(name)) return [name, /url/.test(name) ? agent_url : NAME]
        return [name, required ? pick(name, type) : null]
      })
      db.insert(table, [Object.fromEntries(row)])
    }
  }
}

const findTable = (folder: 'tables' | 'accounts', table: string): TableFile =>
  listTables(folder)
    .map(name => readTableFile(folder, name))
    .find(({ storedAs }) => storedAs === table)!

/** Picks any value that a column of this type may hold. */
function pick(name: string, type: string) {
  if (name === 'kind') return 'brand.json'
  if (name === 'rule') return 'brand'
  if (name === 'agent_url') return 'https://sales.stays.example/mcp'
  if (type === 'uuid') return randomUUID()
  if (type === 'timestamptz') return '2026-11-20T03:00:00.000Z'
  if (type === 'boolean') return false
  if (type.endsWith('[]')) return []
  return type === 'json' ? {} : type === 'varchar' ? randomUUID() : 1
}

const listNaming = (folder: 'tables' | 'accounts') =>
  listTables(folder).filter(name =>
    names(
      registry.sequencer.accounts.db.all(`select * from ${readTableFile(folder, name).storedAs}`),
    ),
  )

/** Files of the registry that hold one of these texts; packed ones are unpacked. */
function listFilesWith(...texts: string[]): string[] {
  const dir = registry.config.DATA_DIR
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(dir, name)).isFile())
    .filter(name => {
      const bytes = readFileSync(join(dir, name))
      const whole = name.endsWith('.gz') ? gunzipSync(bytes) : bytes
      return texts.some(text => whole.includes(text))
    })
}

describe('a takedown', () => {
  test('deletes the rows of every table that has a rule, as it announced', async () => {
    const { index } = registry.sequencer
    fillTheRest()
    for (const folder of ['tables', 'accounts'] as const) {
      const ruled = listTakedownRules(folder).map(({ table }) => findTable(folder, table).name)
      expect(listNaming(folder), folder).toEqual(expect.arrayContaining(ruled))
    }
    const announced = await previewTakedown(index, parseDomain(NAME)!)
    const tables = announced.rows.map(({ table }) => table)
    expect(tables).toEqual(expect.arrayContaining(['member_agents (private)', 'agent_standings']))
    await registry.submit(takedown)
    expect(listNaming('tables')).toEqual([])
    expect(listNaming('accounts')).toEqual(['submissions', 'taken_down'])
    expect(await previewTakedown(index, parseDomain(NAME)!)).toEqual({
      domains: 0,
      first: [],
      rows: [],
    })
    expect(await registry.verify()).toEqual([])
  })

  test('leaves in the audit log who did what and when, and what it did itself', () => {
    const rows = registry.sequencer.accounts.db.all<{
      operation: string
      content: object
      answer: object
    }>('select operation, content, answer, changes from submissions')
    expect(rows.filter(names).map(({ operation }) => operation)).toEqual(['domain.takedown'])
    expect(rows.find(({ operation }) => operation === 'agent.credential.save')).toEqual({
      operation: 'agent.credential.save',
      content: { taken_down: true },
      answer: { done: { org_id } },
      changes: null,
    })
  })

  test('leaves a subscription what else it has, and no other', () => {
    const rows = registry.sequencer.accounts.db.all(
      'select url, domains, agents from subscriptions order by url nulls first',
    )
    expect(rows).toEqual([
      { url: null, domains: [], agents: [] },
      { url: null, domains: [], agents: [] },
      { url: 'https://hooks.example/c', domains: ['stays.example'], agents: [] },
    ])
  })

  test('leaves nothing in any file once the stores were rebuilt', async () => {
    const texts = [SEALED, `sales.${NAME}`, `saved.${NAME}`, 'Gone Sales']
    await registry.publish()
    await exportParquet(registry.sequencer.paths, registry.clock.now(), silentLog)
    await registry.rebuild()
    expect(listFilesWith(...texts)).toEqual([])
    expect(listFilesWith('stays.example')).not.toEqual([])
    expect(await registry.verify()).toEqual([])
  })
})

describe('an agent of a domain that was taken down', () => {
  const domain = 'named.example'
  const url = `https://sales.${domain}/mcp`
  const find = async () => {
    const answer = await registry.app.inject(`/api/registry/agents/${encodeURIComponent(url)}`)
    return { status: answer.statusCode, ...answer.json() }
  }

  test('is only what files of other publishers say of it', async () => {
    await enrol(registry, {
      org: 'Named',
      tier: 'company_icl',
      domains: [domain],
      agents: [{ url, name: 'Named Sales' }],
    })
    const brand = { id: 'b', names: [{ en: 'Named' }], agents: [{ type: 'sales', url }] }
    await registry.observe(
      observeFile('brand.json', domain, brand, registry.clock.now()),
      observePublisherFile('granting.example', { sites: ['granting.example'], agents: [url] }),
    )
    const { org_id } = registry.sequencer.accounts.db.oneOrThrow<{ org_id: string }>(
      "select org_id from organizations where name = 'Named'",
    )
    await registry.submit(buildSuite({ agent_url: url, org_id, at: registry.clock.now() }))
    await registry.publish()
    expect(await find()).toMatchObject({ type: 'sales', compliance: { verified: true } })
    await registry.submit(Operation.parse({ op: 'domain.takedown', domain }))
    await registry.publish()
    expect(await find()).toEqual({
      status: 200,
      agent_url: url,
      operator: domain,
      publisher_count: 1,
      property_count: 1,
      freshness: { state: 'never_crawled' },
    })
    const list = await registry.app.inject('/api/registry/agents')
    expect(list.body).not.toContain(domain)
    expect(await registry.verify()).toEqual([])
  })

  test('is enrolled again after the takedown was undone, with its domain', async () => {
    const again = [
      { op: 'organization.domain.add', org: 'Named', domain, proof: 'operator' },
      { op: 'member.agent.save', org: 'Named', url, type: 'sales', visibility: 'public' },
    ].map(operation => Operation.parse(operation))
    const refused = { refused: `the domain ${domain} was taken down` }
    expect(await registry.submit(...again)).toEqual([refused, refused])
    await registry.submit(Operation.parse({ op: 'domain.readmit', domain }))
    for (const answer of await registry.submit(...again)) expect(answer).toHaveProperty('done')
    await registry.publish()
    expect((await registry.app.inject('/api/registry/agents')).body).toContain(url)
    expect(await registry.verify()).toEqual([])
  })
})
