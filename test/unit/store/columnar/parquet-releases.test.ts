import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DAY } from '../../../../pipeline/core/clock.ts'
import { readConfig } from '../../../../pipeline/core/config.ts'
import { silentLog } from '../../../../pipeline/core/log.ts'
import { projectRoot } from '../../../../pipeline/core/project-root.ts'
import {
  exportedTables,
  exportParquet,
  toExportOptions,
} from '../../../../pipeline/store/columnar/parquet.ts'
import { ParquetManifest } from '../../../../pipeline/store/columnar/parquet-manifest.ts'
import {
  listCopiedFiles,
  pruneReleases,
} from '../../../../pipeline/store/columnar/parquet-releases.ts'
import { readJsonFile } from '../../../../pipeline/store/durable-files.ts'
import { listBreaches } from '../../../../scripts/generate/published-schema.ts'
import { observeFile } from '../../../support/fixtures/observations.ts'
import { openTestSequencer } from '../../../support/registry/registry.ts'
import { testClock } from '../../../support/worlds/clock.ts'
import { buildWebsite, grantByIds } from '../../../support/worlds/nights.ts'

const agent = 'https://agent.example/mcp'

test('the newest releases are kept, and the first one of each month', () => {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const days = Array.from({ length: 100 }, (_, n) =>
    new Date(Date.UTC(2026, 8, 10) + n * DAY).toISOString().slice(0, 10),
  )
  for (const day of days) {
    mkdirSync(join(folder, `day=${day}`))
    pruneReleases(folder, 30)
  }
  const remaining = readdirSync(folder).map(name => name.slice('day='.length))
  expect(remaining).toEqual(['2026-09-10', '2026-10-01', '2026-11-01', ...days.slice(-30)])
})

async function openExporting() {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openTestSequencer(clock)
  const { paths } = registry
  const exportAt = (now: number, limits: Record<string, number>) => {
    const options = toExportOptions(readConfig({ LIMITS: JSON.stringify(limits) }))
    return exportParquet(paths, now, silentLog, options)
  }
  return {
    paths,
    /** Exports the day of the last release once more. */
    exportAgain: (limits: Record<string, number> = {}) => exportAt(clock.now() - DAY, limits),
    async night(domain: string, sites: string[]) {
      const properties = sites.map(site =>
        buildWebsite(site, { property_id: site.replaceAll('.', '_'), publisher_domain: domain }),
      )
      const property_ids = sites.map(site => site.replaceAll('.', '_'))
      const file = { properties, authorized_agents: [grantByIds(agent, { property_ids })] }
      const observation = observeFile('adagents.json', domain, file, clock.now())
      await registry.commit({ observations: [observation], submissions: [] })
    },
    async release(limits: Record<string, number> = {}) {
      await registry.publish()
      await exportAt(clock.now(), limits)
      const manifest = readJsonFile(paths.parquetManifest, ParquetManifest)!
      clock.tick(DAY)
      return manifest
    },
  }
}

test('a release says which rows it has added, removed and changed, by their keys', async () => {
  const { night, release, paths } = await openExporting()
  await night('a.example', ['a.example', 'old.a.example'])
  await night('b.example', ['b.example'])
  expect((await release()).changes['2026-11-20']).toEqual([])
  await night('a.example', ['a.example', 'new.a.example'])
  await night('c.example', ['c.example'])
  const { changes } = await release()
  const find = (table: string) => changes['2026-11-21']!.find(change => change.table === table)
  const since = '2026-11-20'
  // A property that is gone is stale, and so another row than before.
  const properties = { table: 'properties', since, added: 2, removed: 0, changed: 1 }
  expect(find('properties')).toEqual(properties)
  expect(find('publishers')).toMatchObject({ added: 1, removed: 0, changed: 1 })
  expect(find('grants_flat')).toMatchObject({ added: 2, removed: 1 })
  await release()
  const copied = listCopiedFiles(paths).map(file => /day=[\d-]+/.exec(file)?.[0])
  expect([...new Set(copied)].sort()).toEqual(['day=2026-11-21', 'day=2026-11-22', undefined])
})

test('grants are not exported by property where these are too many rows', async () => {
  const { night, release, exportAgain } = await openExporting()
  await night('a.example', ['a.example', 'b.a.example'])
  const { files } = await release({ flatGrantRows: 1 })
  expect(files.some(({ path }) => path.startsWith('grants_flat'))).toBe(false)
  expect(await exportAgain({ flatGrantRows: 1 })).toBe(false)
  const next = await release({ flatGrantRows: 2 })
  expect(next.files.find(({ path }) => path.startsWith('grants_flat'))?.rows).toBe(2)
})

test('a release that was interrupted before its manifest is listed by the next export', async () => {
  const { night, release, exportAgain, paths } = await openExporting()
  await night('a.example', ['a.example'])
  await release()
  const before = readFileSync(paths.parquetManifest)
  const { files } = await release()
  expect(await exportAgain()).toBe(false)
  writeFileSync(paths.parquetManifest, before)
  expect(await exportAgain()).toBe(true)
  expect(readJsonFile(paths.parquetManifest, ParquetManifest)?.files).toEqual(files)
})

test('the guide names each table with a column like the one of its folders', () => {
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
  const schema: { tables: Record<string, object> } = JSON.parse(read('data/published-schema.json'))
  const exported = new Set(exportedTables())
  const named = Object.keys(schema.tables).filter(
    name => exported.has(name) && Object.hasOwn(schema.tables[name]!, 'day'),
  )
  const list = named.map(name => `\`${name}\``).join(' and ')
  expect(read('docs/parquet.md')).toContain(`\n${list} have a column \`day\` of their own.`)
})

test('within a version of the data set columns are only added', () => {
  const recorded = { version: 2, tables: { brands: { domain: 'VARCHAR', seq: 'BIGINT' } } }
  const change = (brands: Record<string, string>, version = 2) =>
    listBreaches(recorded, { version, tables: { brands } })
  expect(change({ domain: 'VARCHAR', seq: 'BIGINT', more: 'JSON' })).toEqual([])
  expect(change({ domain: 'VARCHAR', seq: 'VARCHAR' })).toEqual([
    'brands.seq is VARCHAR, and was BIGINT',
  ])
  expect(change({ domain: 'VARCHAR' })).toEqual(['brands.seq is gone'])
  expect(change({ domain: 'VARCHAR' }, 3)).toEqual([])
  expect(listBreaches(recorded, { version: 2, tables: {} })).toEqual(['brands is gone'])
})
