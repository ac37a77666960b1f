import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { previewTakedown } from '../../pipeline/maintenance/inspect/takedown-preview.ts'
import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { verify } from '../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { hashFile } from '../../pipeline/store/checkpoint.ts'
import { exportParquet } from '../../pipeline/store/columnar/parquet.ts'
import { listTables, readTableFile } from '../../pipeline/store/table-files.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../support/checks/feed.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { buildSubmission } from '../support/fixtures/submissions.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { cleanUp, createDataDir, openSequencer } from '../support/registry/registry.ts'
import { type TestClock, testClock } from '../support/worlds/clock.ts'
import { buildPointer, buildShop } from '../support/worlds/nights.ts'

const NAME = 'gone.example'
const takedown = Operation.parse({ op: 'domain.takedown', domain: NAME, reason: 'they asked' })
const readmit = Operation.parse({ op: 'domain.readmit', domain: NAME })

/** Commits two nights of publishers that share an agent; fetched bodies are stored. */
async function commitTwoNights(dataDir: string, clock: TestClock): Promise<Sequencer> {
  const registry = await openSequencer({ dataDir, clock })
  for (const night of [1, 2]) {
    const files = [NAME, `sub.${NAME}`, 'stays.example', 'begone.example'].flatMap(domain => {
      const content = buildShop(domain, {
        last_updated: clock.now(),
        contact: { name: `${night}` },
      })
      const brand = { id: 'b', names: [{ en: `${domain} ${night}` }] }
      return (
        [
          ['adagents.json', content],
          ['brand.json', brand],
        ] as const
      ).map(([kind, document]) => ({
        ...observeFile(kind, domain, document, clock.now()),
        body: Buffer.from(JSON.stringify(document)),
      }))
    })
    await registry.commit({ observations: files, submissions: [] })
    await registry.publish()
    await registry.searchable()
    await exportParquet(registry.paths, clock.now(), silentLog)
    clock.tick({ days: 1 })
  }
  return registry
}

async function takeDown(registry: Sequencer): Promise<void> {
  const { answers } = await registry.commit({
    observations: [],
    submissions: [buildSubmission('takedown', takedown)],
  })
  expect([...answers.values()]).toEqual([{ done: { domain: NAME } }])
}

/** Files below a folder that hold the name, or one below it; packed ones are unpacked. */
function listFilesWithName(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => statSync(`${dir}/${name}`).isFile() && !name.startsWith('record/'))
    .filter(name => {
      const bytes = readFileSync(`${dir}/${name}`)
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
      return new RegExp(`(^|[^a-z])${NAME}`).test(text)
    })
    .sort()
}

describe('a domain that is taken down', () => {
  test('is only in the private store, and similar names stay', async () => {
    const [dataDir, clock] = [createDataDir(), testClock('2026-11-20T03:00Z')]
    let registry = await commitTwoNights(dataDir, clock)
    const before = listFilesWithName(dataDir).join()
    for (const kind of [/columnar\.duckdb/, /events\/2026-11-20\.ndjson/, /snapshots/, /bodies/]) {
      expect(before).toMatch(kind)
    }
    const sealed = '2026-11-20'
    await takeDown(registry)
    expect(await verify(registry)).toEqual([])
    const { index, files, serving } = await readFeeds(registry)
    expect(index).not.toEqual([])
    expect(files).toEqual(index)
    expect(serving).toEqual(index)
    await registry.publish()
    await registry.searchable()
    await exportParquet(registry.paths, clock.now(), silentLog)
    expect(await verify(registry)).toEqual([])
    expect(listFilesWithName(dataDir).filter(name => !name.startsWith('serving/'))).toEqual([])
    const [record] = await registry.index.all('select day as day, sha256 from event_files')
    const sha256 = await hashFile(registry.paths.eventFile(sealed))
    expect(record).toEqual({ day: sealed, sha256 })
    for (const table of listTables('tables')) {
      const rows = JSON.stringify(
        await registry.index.all(`select * from ${readTableFile('tables', table).storedAs}`),
      )
      expect(rows, table).not.toMatch(/[^a-z]gone\.example/)
      if (table === 'publishers') expect(rows).toMatch(/begone\.example.*stays\.example/)
    }
    await registry.close()
    await rebuild(dataDir)
    registry = await openSequencer({ dataDir, clock })
    cleanUp(() => registry.close())
    await registry.publish()
    await registry.searchable()
    expect(await verify(registry)).toEqual([])
    expect(listFilesWithName(dataDir)).toEqual([])
  })

  test('loses all that was announced before, events that name it among them', async () => {
    const registry = await commitTwoNights(createDataDir(), testClock('2026-11-20T03:00Z'))
    cleanUp(() => registry.close())
    const announced = await previewTakedown(registry.index, parseDomain(NAME)!)
    const listEvents = () =>
      registry.index.all<{ id: string; text: string }>(
        `select event_id as id, entity_id || ' ' || payload as text from events`,
      )
    const before = await listEvents()
    const naming = before.filter(({ text }) => /(^|[^a-z])gone\.example/.test(text))
    await takeDown(registry)
    const after = new Set((await listEvents()).map(({ id }) => id))
    expect(naming).not.toEqual([])
    expect(before.filter(({ id }) => !after.has(id))).toEqual(naming)
    expect(announced.rows).toContainEqual({ table: 'events', rows: naming.length })
    expect(announced.domains).toBe(2)
    const left = await previewTakedown(registry.index, parseDomain(NAME)!)
    expect(left).toEqual({ domains: 0, first: [], rows: [] })
  })

  test('is deleted also when the writer dies right after writing the index', async () => {
    const [dataDir, clock] = [createDataDir(), testClock('2026-11-20T03:00Z')]
    await (await commitTwoNights(dataDir, clock)).close()
    let armed = false
    const dying = await openSequencer({
      dataDir,
      clock,
      onStep(step, moment) {
        if (step === 'serving' && moment === 'before' && armed) throw new Error('dies')
      },
    })
    armed = true
    const submissions = [buildSubmission('takedown', takedown)]
    await expect(dying.commit({ observations: [], submissions })).rejects.toThrow(
      'restart the registry',
    )
    await dying.close()
    const registry = await openSequencer({ dataDir, clock })
    cleanUp(() => registry.close())
    await registry.publish()
    await registry.searchable()
    expect(await verify(registry)).toEqual([])
    expect(listFilesWithName(dataDir).filter(name => !name.startsWith('serving/'))).toEqual([])
  })

  test('takes with it what others derived from its file', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    const registry = await openSequencer({ clock })
    cleanUp(() => registry.close())
    const managed = buildShop('child.example')
    await registry.commit({
      observations: [
        observeFile('adagents.json', 'child.example', buildPointer(NAME), clock.now()),
        observeFile('adagents.json', NAME, managed, clock.now()),
      ],
      submissions: [],
    })
    const findCurrent = () =>
      registry.index.all('select publisher_domain, in_force from authorizations')
    expect(await findCurrent()).toEqual([{ publisher_domain: 'child.example', in_force: true }])
    clock.tick({ hours: 1 })
    await takeDown(registry)
    expect(await findCurrent()).toEqual([])
    expect(await registry.index.one('select status from properties')).toEqual({ status: 'stale' })
    expect(await registry.index.one('select count(*) as n from agents')).toEqual({ n: 0 })
    expect(await verify(registry)).toEqual([])
  })
})

describe('a request for a domain that is taken down', () => {
  let registry: TestRegistry
  beforeAll(async () => {
    registry = await openRegistry({ settings: { REQUIRE_OWNERSHIP_PROOF: 'false' } })
    await registry.observe(
      observeBrandFile(NAME, 'Gone'),
      observePublisherFile(NAME, { sites: [NAME], agents: ['https://sales.example/mcp'] }),
      observePublisherFile('stays.example', {
        sites: ['stays.example'],
        agents: ['https://sales.example/mcp'],
      }),
    )
    await registry.submit(
      Operation.parse({ op: 'brand.save', ...saved(`told.${NAME}`), brand_name: 'Told' }),
    )
  })
  afterAll(() => registry.close())

  const saved = (domain: string) => ({
    domain,
    revision_id: randomUUID(),
    editor: { kind: 'key', id: 'k', org_id: null },
  })
  const paths = [
    'brands/resolve?domain=',
    'brands/history?domain=',
    'properties/resolve?domain=',
    'properties/history?domain=',
    'registry/lookup/domain/',
    'registry/publisher?domain=',
  ]
  async function answersFor(domain: string) {
    const answers = await Promise.all(
      paths.map(path => registry.app.inject(`/api/${path}${domain}`)),
    )
    return answers.map(({ statusCode, body }) => ({
      statusCode,
      body: body.replaceAll(domain, 'NAME'),
    }))
  }
  const listRows = async () => {
    const rows = await registry.sequencer.index.all<{ name: string }>(
      `select domain as name from frontier union all select location from crawl_state
       union all select domain from brands union all select domain from publishers`,
    )
    return rows.filter(({ name }) => name.endsWith(NAME))
  }

  test('gets the answer of an unknown domain', async () => {
    const known = await answersFor(NAME)
    expect(known.map(({ statusCode }) => statusCode)).toContain(200)
    await registry.submit(takedown)
    expect(await answersFor(NAME)).toEqual(await answersFor('never.example'))
    expect(await answersFor(`told.${NAME}`)).toEqual(await answersFor('told.never.example'))
    expect(await answersFor('stays.example')).not.toEqual(await answersFor('never.example'))
    expect(await listRows()).toEqual([])
    expect(await registry.verify()).toEqual([])
  })

  test('does not bring it back: by a crawl, a mention, demand, a request or a save', async () => {
    await registry.observe(
      observeBrandFile(NAME, 'Gone'),
      observePublisherFile(`new.${NAME}`, { sites: [NAME], agents: ['https://sales.example/mcp'] }),
    )
    const pointer = observePublisherFile('pointing.example', { sites: [], agents: [] })
    const location = `https://cdn.${NAME}/adagents.json`
    await registry.observe({
      ...pointer,
      document: {
        ...pointer.document!,
        variant: 'pointer',
        authoritative_location: location,
      } as never,
    })
    await registry.submit(
      Operation.parse({ op: 'domains.add', domains: [NAME], again: true, why: 'demanded' }),
    )
    const request = { crawl_request_id: '019a0000-0000-7000-8000-000000000002', scope: 'domain' }
    const refused = await registry.submit(
      Operation.parse({ op: 'crawl.request', ...request, domain: NAME, requested_by: 'k' }),
      Operation.parse({ op: 'brand.save', ...saved(`www.${NAME}`), brand_name: 'Back' }),
    )
    const reason = `the domain ${NAME} was taken down`
    expect(refused).toMatchObject([{ refused: reason }, { refused: reason }])
    const stored = registry.sequencer.accounts.db.all<{ content: unknown; answer: unknown }>(
      'select content, answer from submissions order by rowid desc limit 2',
    )
    const forgotten = {
      content: { taken_down: true },
      answer: { refused: 'the domain was taken down' },
    }
    expect(stored).toEqual([forgotten, forgotten])
    expect(await listRows()).toEqual([])
    await registry.restart()
    await registry.observe(observeBrandFile(NAME, 'Gone again'))
    expect(await listRows()).toEqual([])
    expect(await answersFor(NAME)).toEqual(await answersFor('never.example'))
    expect(await registry.verify()).toEqual([])
  })

  test('is safe together with submissions before and after it in one commit', async () => {
    const domain = 'together.example'
    await registry.observe(observeBrandFile(domain, 'Together'))
    const late = (brand_name: string) =>
      Operation.parse({ op: 'brand.save', ...saved(`www.${domain}`), brand_name })
    const sites = Operation.parse({
      op: 'property.save',
      ...saved(`news.${domain}`),
      properties: [{ type: 'website', name: 'News' }],
    })
    const request = { crawl_request_id: '019a0000-0000-7000-8000-000000000003', scope: 'domain' }
    const answers = await registry.submit(
      late('Before'),
      sites,
      Operation.parse({ op: 'domain.takedown', domain }),
      late('After'),
      Operation.parse({ op: 'crawl.request', ...request, domain, requested_by: 'k' }),
    )
    const refused = { refused: `the domain ${domain} was taken down` }
    expect(answers.slice(2)).toEqual([{ done: { domain } }, refused, refused])
    expect(answers.slice(0, 2)).not.toContainEqual(refused)
    const { index } = registry.sequencer
    for (const table of listTables('tables')) {
      const left = await index.all(`select * from ${readTableFile('tables', table).storedAs}`)
      const naming = left.filter(row => JSON.stringify(row).includes(domain))
      expect([table, naming]).toEqual([table, []])
    }
    for (const name of [domain, `www.${domain}`, `news.${domain}`]) {
      expect(await answersFor(name)).toEqual(await answersFor('never.example'))
    }
    expect(await registry.verify()).toEqual([])
    await registry.restart()
    expect(await registry.verify()).toEqual([])
  })

  test('and its end in one commit delete the old data and accept the new', async () => {
    const domain = 'turned.example'
    const save = (brand_name: string) =>
      Operation.parse({ op: 'brand.save', ...saved(domain), brand_name })
    const turn = (op: string) => Operation.parse({ op, domain })
    const answers = await registry.submit(
      save('Before'),
      turn('domain.takedown'),
      save('Between'),
      turn('domain.readmit'),
      save('After'),
    )
    expect(answers.map(answer => 'done' in answer)).toEqual([true, true, false, true, true])
    const answer = await registry.app.inject(`/api/brands/resolve?domain=${domain}`)
    expect(answer.json()).toMatchObject({ brand_name: 'After' })
    const histories = await registry.sequencer.index.all(
      `select state->>'brand_name' as name from revisions where domain = '${domain}'`,
    )
    expect(histories).toEqual([{ name: 'After' }])
    expect(await registry.verify()).toEqual([])
  })

  test('finds it again after it was readmitted and crawled', async () => {
    expect(await registry.submit(readmit)).toEqual([{ done: { domain: NAME } }])
    expect(await registry.submit(readmit)).toMatchObject([{ error: 'not_found' }])
    await registry.observe(observeBrandFile(NAME, 'Gone'))
    const answer = await registry.app.inject(`/api/brands/resolve?domain=${NAME}`)
    expect(answer.json()).toMatchObject({ canonical_domain: NAME, brand_name: 'Gone' })
    expect(await registry.verify()).toEqual([])
  })
})
