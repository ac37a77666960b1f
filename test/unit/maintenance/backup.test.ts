import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listAuditRows } from '../../../pipeline/accounts/audit.ts'
import { HOUR } from '../../../pipeline/core/clock.ts'
import { replay } from '../../../pipeline/maintenance/replay.ts'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { checkBackup, removeBackup } from '../../../pipeline/writer/copy-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../../support/checks/feed.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { observePublisherFile } from '../../support/fixtures/documents.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
  buildSubmission,
} from '../../support/fixtures/submissions.ts'
import { startRedis, type TestRedis } from '../../support/processes/redis.ts'
import { openAnotherApi, openRegistry } from '../../support/registry/app.ts'
import { enrol } from '../../support/registry/members.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

// Stores are opened, copied and made again many times over.
vi.setConfig({ testTimeout: 60_000 })

const clock = testClock('2026-11-20T03:00Z')

/** Makes a registry of two nights, closed, with a backup of the first. */
async function makeTwoNights() {
  const [dataDir, backups] = [createDataDir(), createDataDir()]
  const registry = await openSequencer({ dataDir, clock })
  await registry.commit(buildBaseBatch(clock.now()))
  const first = await readShown(registry)
  const manifest = await registry.backUp(`${backups}/first`)
  await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
  await registry.publish()
  await registry.close()
  return { dataDir, backups, first, manifest }
}

async function readShown({ index }: Pick<Sequencer, 'index'>) {
  const properties = await index.all('select property_rid, name from properties order by 1, 2')
  const events = await index.all('select event_id, payload from events order by event_id')
  return { properties, events }
}

async function open(dataDir: string, at = clock): Promise<Sequencer> {
  const registry = await openSequencer({ dataDir, clock: at })
  cleanUp(() => registry.close())
  return registry
}

describe('a backup', () => {
  test('contains both stores of one commit, and is complete or absent', async () => {
    const { backups, manifest } = await makeTwoNights()
    expect(readdirSync(backups)).toEqual(['first'])
    expect(statSync(`${backups}/first`).mode & 0o077).toBe(0)
    expect(await checkBackup(`${backups}/first`)).toEqual(manifest)
    expect(manifest).toMatchObject({ seq: 1, files: [{ name: 'index.duckdb' }, {}] })
    const index = await Database.open(`${backups}/first/index.duckdb`, { readOnly: true })
    expect(await index.one('select seq from meta')).toEqual({ seq: 1 })
    index.close()
  })

  test('does not overwrite another one', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await open(dataDir)
    await expect(registry.backUp(`${backups}/first`)).rejects.toThrow('already exists')
  })

  test('removes what an interrupted one left, and no other folder', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await open(dataDir)
    cpSync(`${backups}/first`, `${backups}/own.partial`, { recursive: true })
    await expect(registry.backUp(`${backups}/own`)).rejects.toThrow('move it away')
    expect(await checkBackup(`${backups}/own.partial`)).toMatchObject({ seq: 1 })
    renameSync(`${backups}/own.partial/manifest.json`, `${backups}/own.partial/manifest.json.new`)
    await registry.backUp(`${backups}/own`)
    expect(readdirSync(backups).sort()).toEqual(['first', 'own'])
    renameSync(`${backups}/own`, `${backups}/again.partial`)
    removeBackup(`${backups}/again`)
    await registry.backUp(`${backups}/again`)
    expect(readdirSync(backups).sort()).toEqual(['again', 'first'])
  })

  test('is restored unchanged, with every rid and event, and all other stores are rebuilt', async () => {
    const { backups, first } = await makeTwoNights()
    const dataDir = createDataDir()
    await restore(dataDir, `${backups}/first`, {})
    const registry = await open(dataDir)
    expect(await readShown(registry)).toEqual(first)
    await registry.publish()
    expect(await verify(registry)).toEqual([])
    const { index, files, serving } = await readFeeds(registry)
    expect(files).toEqual(index)
    expect(serving).toEqual(index)
    expect(index).toHaveLength(first.events.length)
  })

  test('replaces existing stores only on request, and then all of them', async () => {
    const { dataDir, backups, first } = await makeTwoNights()
    const before = readdirSync(dataDir)
    await expect(restore(dataDir, `${backups}/first`, {})).rejects.toThrow('not empty')
    expect(readdirSync(dataDir)).toEqual(before)
    await restore(dataDir, `${backups}/first`, { force: true })
    const registry = await open(dataDir)
    expect(await readShown(registry)).toEqual(first)
    await registry.publish()
    expect(await verify(registry)).toEqual([])
  })

  test('is refused while a registry runs, and when a byte of it was changed', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await openSequencer({ dataDir, clock })
    const force = { force: true }
    for (const how of [force, {}]) {
      await expect(restore(dataDir, `${backups}/first`, how)).rejects.toThrow('stop it first')
    }
    await registry.close()
    const file = `${backups}/first/record.sqlite`
    const bytes = readFileSync(file)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(file, bytes)
    await expect(restore(dataDir, `${backups}/first`, force)).rejects.toThrow('SHA-256 differs')
    await expect(restore(dataDir, backups, force)).rejects.toThrow('is not a backup')
    for (const manifest of ['{"format":"parquet","files":[{},{}]}', 'no JSON']) {
      writeFileSync(`${backups}/manifest.json`, manifest)
      await expect(restore(dataDir, backups, force)).rejects.toThrow(
        /^\S+ is not a backup: its manifest\.json is not one that `backup` has written$/,
      )
    }
    const again = await open(dataDir)
    expect(await verify(again)).toEqual([])
  })

  test('whose restore was interrupted lets no writer start', async () => {
    const { dataDir, backups } = await makeTwoNights()
    writeFileSync(`${dataDir}/restoring`, '{}')
    await expect(openSequencer({ dataDir, clock })).rejects.toThrow('restore was not finished')
    await restore(dataDir, `${backups}/first`, { force: true })
    expect(existsSync(`${dataDir}/restoring`)).toBe(false)
    expect(await verify(await open(dataDir))).toEqual([])
  })
})

/** Lists what an index holds of operations that were acknowledged. */
async function listAcknowledged(index: Database) {
  const all = (query: string) => index.all(query)
  return {
    submissions: await all('select submission_id from submissions order by 1'),
    entries: await all('select * exclude (seq) from entries order by entity, domain'),
    revisions: await all(
      `select * exclude (seq) from revisions order by entity, domain, revision_number`,
    ),
    brands: await all('select * exclude (seq) from brands order by domain'),
    properties: await all(
      'select property_rid, publisher_domain, status from properties order by 1, 2, 3',
    ),
    aliases: await all('select kind, alias_rid, canonical_rid from aliases order by 1, 2, 3'),
    policies: await all('select policy_id, review_status from policies order by 1, 2'),
    enrolled: await all('select agent_url, org_id from enrolled_agents order by 1, 2'),
    requests: await all('select crawl_request_id, domain from crawl_requests order by 1, 2'),
    frontier: await all('select domain, why from frontier order by 1, 2'),
  }
}

describe('a replay', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())

  test('of the writes since a backup repeats every operation, rid and revision', async () => {
    const backups = createDataDir()
    const limits = { savesPerHour: 10_000, savesPerOrganizationHour: 10_000 }
    const api = await openRegistry({ redis: redis.redis, limits })
    cleanUp(() => api.close())
    const secret = await enrol(api, { org: 'Acme', tier: 'company_icl', domains: ['acme.example'] })
    const post = async (path: string, payload: object) => {
      const headers = { authorization: `Bearer ${secret}` }
      const answer = await api.app.inject({ method: 'POST', url: `/api/${path}`, payload, headers })
      expect(answer.statusCode, answer.body).toBeLessThan(300)
    }
    const brand = (brand_name: string) =>
      post('brands/save', { domain: 'acme.example', brand_name })
    const properties = (...names: string[]) => {
      const properties = names.map(name => ({ type: 'website', name }))
      return post('properties/save', { publisher_domain: 'acme.example', properties: properties })
    }
    await api.observe(
      observePublisherFile('shop.example', {
        sites: ['a.shop.example', 'b.shop.example'],
        agents: ['https://sales.example/mcp'],
      }),
    )
    await brand('Acme')
    await properties('One')
    await api.sequencer.backUp(`${backups}/before`)
    api.clock.tick(HOUR)
    await brand('Acme Shoes')
    await properties('One', 'Two')
    await brand('Acme Boots')
    const [bad] = await listAuditRows(api.sequencer.accounts.db, {
      operation: 'brand.save',
      limit: 1,
    })
    const editor = { kind: 'command', id: 'root', org_id: null }
    const revert = { op: 'audit.revert', reverts: bad!.submission_id, editor }
    expect(await api.submit(Operation.parse(revert))).toMatchObject([{ done: {} }])
    await brand('Acme Sandals')
    await post('brands/discovered/community', { domain: 'told.example', brand_name: 'Told' })
    const waiting = await api.sequencer.accounts.db.one<{ review_id: string; digest: string }>(
      `select review_id, digest from reviews where kind = 'brand'`,
    )
    const approval = { op: 'review.approve', ...waiting, reviewer: 'operator' }
    expect(await api.submit(Operation.parse(approval))).toMatchObject([{ done: {} }])
    api.clock.tick(HOUR)
    const rids = await api.sequencer.index.all<{ rid: string }>(
      'select property_rid as rid from properties order by property_id',
    )
    const [alias, canonical] = rids.map(({ rid }) => rid)
    const merge = { op: 'property.merge', alias_rid: alias, canonical_rid: canonical }
    const agent = { op: 'member.agent.save', org: 'Acme', url: 'https://a.example/mcp' }
    const answers = await api.submit(
      Operation.parse(merge),
      Operation.parse({ ...agent, type: 'sales', visibility: 'public' }),
      Operation.parse({ op: 'domains.add', domains: ['given.example'], again: false }),
    )
    for (const answer of answers) expect(answer).toHaveProperty('done')
    await api.createKey('Late')
    const acknowledged = await listAcknowledged(api.sequencer.index)
    const last = api.sequencer.seq
    const { statusCode, body } = await api.app.inject('/api/brands/history?domain=acme.example')
    expect(statusCode).toBe(200)

    const dataDir = createDataDir()
    cpSync(api.config.DATA_DIR, dataDir, { recursive: true })
    for (const file of ['index.duckdb', 'index.duckdb.wal'])
      rmSync(`${dataDir}/${file}`, { force: true })
    await restore(dataDir, `${backups}/before`, { keepAccounts: true })
    const registry = await open(dataDir, api.clock)
    expect(await listAcknowledged(registry.index)).not.toEqual(acknowledged)
    const { replayed, failed } = await replay(registry)
    expect(failed).toEqual([])
    expect(replayed).toBeGreaterThanOrEqual(7)
    expect(await listAcknowledged(registry.index)).toEqual(acknowledged)
    expect(registry.seq).toBeGreaterThan(last)
    const again = await openAnotherApi({
      config: { ...api.config, DATA_DIR: dataDir },
      clock: api.clock,
    })
    cleanUp(() => again.close())
    expect((await again.app.inject('/api/brands/history?domain=acme.example')).body).toBe(body)
    expect(await replay(registry)).toEqual({ replayed: 0, failed: [] })
    await registry.publish()
    expect(await verify(registry)).toEqual([])
  })

  test('restores nothing of a domain that was taken down, even if it was readmitted', async () => {
    const [dataDir, backups] = [createDataDir(), createDataDir()]
    const registry = await openSequencer({ dataDir, clock })
    const known = [
      buildOrganizationWrite('Acme'),
      buildProofWrite('Acme', 'acme.example'),
      buildProofWrite('Acme', 'bad.example'),
    ]
    await registry.commit({ observations: [], submissions: known })
    const early = [
      buildBrandSave('Acme', 'bad.example', 'Early'),
      buildBrandSave('Acme', 'acme.example', 'Acme'),
    ]
    await registry.commit({ observations: [], submissions: early })
    await registry.backUp(`${backups}/before`)
    const down = Operation.parse({ op: 'domain.takedown', domain: 'bad.example' })
    for (const loss of [
      buildBrandSave('Acme', 'bad.example', 'Bad'),
      buildSubmission('down', down),
      buildSubmission('again', Operation.parse({ op: 'domain.readmit', domain: 'bad.example' })),
      buildBrandSave('Acme', 'acme.example', 'Acme Boots'),
    ]) {
      await registry.commit({ observations: [], submissions: [loss] })
    }
    const acknowledged = await listAcknowledged(registry.index)
    expect(JSON.stringify(acknowledged.entries)).not.toContain('bad.example')
    await registry.close()
    for (const file of ['index.duckdb', 'index.duckdb.wal']) {
      rmSync(`${dataDir}/${file}`, { force: true })
    }
    await restore(dataDir, `${backups}/before`, { keepAccounts: true })
    const again = await open(dataDir)
    expect((await replay(again)).failed).toEqual([])
    expect(await listAcknowledged(again.index)).toEqual(acknowledged)
    expect(await verify(again)).toEqual([])
  })
})
