import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { exportedTables, exportParquet } from '../../pipeline/store/columnar/parquet.ts'
import type { ParquetManifest } from '../../pipeline/store/columnar/parquet-manifest.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const agent = 'https://agent.example/mcp'
const empty = openForAll(openRegistry)
const registry = openForAll(() => openRegistry({ settings: { DATA_LICENSE: 'CC-BY-4.0' } }))
let origin: string

async function exportDay(): Promise<void> {
  await registry.publish()
  await exportParquet(registry.sequencer.paths, registry.clock.now(), silentLog)
}

beforeAll(async () => {
  await registry.observe(
    observePublisherFile('acme.example', { sites: ['acme.example'], agents: [agent] }),
  )
  await exportDay()
  origin = await registry.app.listen({ port: 0, host: '127.0.0.1' })
})

interface Manifest {
  day: string
  seq: number
  as_of: string
  schema_version: number
  license: string | null
  tables: {
    table: string
    url: string
    release_url: string
    rows: number
    bytes: number
    sha256: string
    seq: number
    as_of: string
  }[]
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  registry.app.inject({ url: path, headers })
const readManifest = async () => (await ask('/data/latest/manifest.json')).json<Manifest>()

test('a program reads a table at its address by ranges', async () => {
  const file = await asyncBufferFromUrl({ url: `${origin}/data/latest/authorizations.parquet` })
  const rows = await parquetReadObjects({ file, compressors })
  expect(rows).toMatchObject([{ agent_url: agent, publisher_domain: 'acme.example' }])
})

test('the manifest names every table, and its sizes, rows and digests are right', async () => {
  const { tables, ...release } = await readManifest()
  expect(release).toMatchObject({
    day: '2026-11-20',
    seq: registry.sequencer.seq,
    as_of: '2026-11-20T03:00:00.000Z',
    schema_version: 2,
    license: 'CC-BY-4.0',
  })
  expect(tables.map(({ table }) => table).sort()).toEqual(exportedTables().sort())
  for (const { url, release_url, rows, bytes, sha256, table, seq, as_of } of tables) {
    expect([seq, as_of]).toEqual([registry.sequencer.seq, '2026-11-20T03:00:00.000Z'])
    for (const path of [url, release_url]) {
      const { rawPayload, headers, statusCode } = await ask(path)
      expect([path, statusCode, rawPayload.length]).toEqual([path, 200, bytes])
      expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(sha256)
      expect(headers).toMatchObject({ etag: `"${sha256}"`, 'accept-ranges': 'bytes' })
      expect(headers['content-type']).toBe('application/vnd.apache.parquet')
    }
    if (table === 'authorizations') expect(rows).toBe(1)
  }
})

test('a release lists what it has changed, and the releases that are kept', async () => {
  const { releases } = (await ask('/data/latest/manifest.json')).json<{ releases: string[] }>()
  expect(releases).toEqual(['2026-11-20'])
  for (const path of ['/data/latest', `/data/releases/${releases[0]}`]) {
    const changes = await ask(`${path}/changes.json`)
    expect([path, changes.json()]).toEqual([path, { day: '2026-11-20', since: null, tables: [] }])
    const manifest = await ask(`${path}/manifest.json`)
    expect(manifest.json()).toMatchObject({
      day: '2026-11-20',
      license: 'CC-BY-4.0',
      schema_version: 2,
    })
  }
  const manifest = await ask(`/data/releases/${releases[0]}/manifest.json`)
  expect(manifest.headers['cache-control']).toBe('public, max-age=86400, immutable')
})

test('the release is described for programs as Croissant, to which the page leads', async () => {
  const { body: page } = await ask('/data/')
  const text = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)?.[1] ?? ''
  const { distribution } = JSON.parse(text) as { distribution: { contentUrl: string } }
  const path = new URL(distribution.contentUrl).pathname
  expect(page).toContain(`href="${path}"`)
  const { body, headers } = await ask(path)
  expect(headers).toMatchObject({
    'content-type': expect.stringContaining('application/ld+json'),
    'cache-control': 'public, no-cache',
  })
  const card = JSON.parse(body) as {
    conformsTo: string
    distribution: { '@id': string; contentUrl: string; sha256: string }[]
    recordSet: {
      '@id': string
      name: string
      field: {
        '@id': string
        name: string
        dataType: string
        source: { fileObject: { '@id': string } }
      }[]
    }[]
  }
  // What section "Required" of the specification asks of every data set, and its rule for versions.
  expect(card).toMatchObject({
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: expect.any(String),
    description: expect.any(String),
    url: 'https://registry.example/data',
    license: 'https://spdx.org/licenses/CC-BY-4.0',
    creator: { '@type': 'Organization', name: 'registry.example' },
    datePublished: '2026-11-20',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  })
  const fields = card.recordSet.flatMap(({ field }) => field)
  const ids = [...card.distribution, ...card.recordSet, ...fields].map(({ '@id': id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const files = new Set(card.distribution.map(({ '@id': id }) => id))
  expect(fields.filter(({ source }) => !files.has(source.fileObject['@id']))).toEqual([])
  const { tables } = await readManifest()
  expect(card.distribution.map(({ sha256 }) => sha256)).toEqual(tables.map(({ sha256 }) => sha256))
  const { pathname } = new URL(card.distribution[0]!.contentUrl)
  expect((await ask(pathname)).statusCode).toBe(200)
  expect(card.recordSet.map(({ name }) => name).sort()).toEqual(exportedTables().sort())
  const grants = card.recordSet.find(({ name }) => name === 'authorizations')!
  expect(grants.field).toContainEqual(
    expect.objectContaining({ name: 'authorizations/in_force', dataType: 'sc:Boolean' }),
  )
})

test('ranges belong to one content, and who has it gets 304', async () => {
  const path = '/data/latest/publishers.parquet'
  const whole = await ask(path)
  const etag = String(whole.headers.etag)
  const range = { range: 'bytes=0-3' }
  for (const headers of [range, { ...range, 'if-range': etag }]) {
    const part = await ask(path, headers)
    expect([part.statusCode, part.body]).toEqual([206, 'PAR1'])
    expect(part.headers.etag).toBe(etag)
  }
  const other = await ask(path, { ...range, 'if-range': '"another"' })
  expect([other.statusCode, other.rawPayload.length]).toEqual([200, whole.rawPayload.length])
  expect((await ask(path, { 'if-none-match': etag })).statusCode).toBe(304)
  expect((await ask(path, { range: 'bytes=99999999-' })).statusCode).toBe(416)
})

test('the next day moves the latest release and leaves the one before as it was', async () => {
  const before = await readManifest()
  const known = before.tables.find(({ table }) => table === 'authorizations')!
  registry.clock.tick(DAY)
  await registry.observe(
    observePublisherFile('second.example', { sites: ['second.example'], agents: [agent] }),
  )
  await exportDay()
  const after = await readManifest()
  const { tables: changed } = (await ask('/data/latest/changes.json')).json<{ tables: object[] }>()
  const since = '2026-11-20'
  const publishers = { table: 'publishers', since, added: 1, removed: 0, changed: 0 }
  expect(changed).toContainEqual(publishers)
  expect(after.day).toBe('2026-11-21')
  const { headers, rawPayload } = await ask(known.release_url)
  expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(known.sha256)
  expect(headers['cache-control']).toBe('public, max-age=86400, immutable')
  const latest = await ask(known.url)
  expect(latest.headers['cache-control']).toBe('public, no-cache')
  expect(latest.headers.etag).not.toBe(`"${known.sha256}"`)
})

test('404: a view is told to be in the DuckDB file alone', async () => {
  const { statusCode, body } = await ask('/data/latest/supply_path.parquet')
  expect([statusCode, body]).toEqual([
    404,
    expect.stringContaining('only in /data/registry.duckdb'),
  ])
})

test('404: another name, another day, and before the first release', async () => {
  for (const path of [
    '/data/latest/none.parquet',
    '/data/latest/manifest.parquet',
    '/data/latest/..%2Fmanifest.json',
    '/data/releases/2026-11-01/authorizations.parquet',
    '/data/releases/..%2F..%2Frecord/record.sqlite',
  ])
    expect([path, (await ask(path)).statusCode]).toEqual([path, 404])
  for (const path of [
    '/data/latest/manifest.json',
    '/data/latest/authorizations.parquet',
    '/data/croissant.json',
  ]) {
    const { statusCode, body } = await empty.app.inject(path)
    expect([statusCode, JSON.parse(body).code]).toEqual([404, 'not_found'])
  }
})

test('the page describes tables and columns, and says how to open them', async () => {
  const { body, statusCode } = await ask('/data/')
  expect(statusCode).toBe(200)
  for (const text of [
    'CC-BY-4.0',
    'read_parquet',
    'pandas',
    'polars',
    '/data/latest/brands.parquet',
  ])
    expect(body).toContain(text)
  expect(body).toContain('What publishers own.')
  expect(body).toMatch(/registry\.duckdb<\/a><span class="quiet"> [\d.]+ .B</)
  expect(Buffer.byteLength(body)).toBeLessThan(60_000)
  const columns = 'permanent id, created once (UUID v7)'
  expect(body).not.toContain(columns)
  for (const table of exportedTables()) {
    expect(body).toContain(`href="/data?table=${table}#${table}"`)
    const chosen = (await ask(`/data?table=${table}`)).body
    expect([table, Buffer.byteLength(chosen) < 60_000]).toEqual([table, true])
  }
  const properties = (await ask('/data?table=properties')).body
  expect(properties).toContain(columns)
  // A heading is of the section that it is in.
  expect(properties.indexOf('Columns of')).toBeLessThan(properties.indexOf('id="tables"'))
  for (const view of ['brand_tree', 'supply_path', 'authorizations_history'])
    expect(body).toContain(`href="/sql?table=${view}#${view}"`)
  const unknown = await ask('/data?table=nope')
  expect([unknown.statusCode, unknown.body.includes('There is no table called nope.')]).toEqual([
    404,
    true,
  ])
  const nothing = await empty.app.inject('/data')
  expect([nothing.statusCode, nothing.body.includes('Nothing has been published yet')]).toEqual([
    200,
    true,
  ])
})

test('a table in parts has an address for each of them', async () => {
  const { parquet, parquetManifest } = registry.reader.paths
  const text = readFileSync(parquetManifest, 'utf8')
  const manifest = JSON.parse(text) as ParquetManifest
  const file = manifest.files.findLast(({ path }) => path.startsWith('brands/'))!
  const path = file.path.replace('part-0', 'part-1')
  copyFileSync(join(parquet, file.path), join(parquet, path))
  writeFileSync(
    parquetManifest,
    JSON.stringify({ ...manifest, files: [...manifest.files, { ...file, path }] }),
  )
  onTestFinished(() => writeFileSync(parquetManifest, text))
  const { tables } = (await ask('/data/latest/manifest.json')).json<{
    tables: { table: string; part?: number; url: string }[]
  }>()
  const parts = tables.filter(({ table }) => table === 'brands')
  expect(parts.map(({ part, url }) => [part, url])).toEqual([
    [0, '/data/latest/brands-0.parquet'],
    [1, '/data/latest/brands-1.parquet'],
  ])
  for (const { url } of parts) expect((await ask(url)).statusCode).toBe(200)
  const whole = await ask('/data/latest/brands.parquet')
  expect([whole.statusCode, whole.body]).toEqual([404, expect.stringContaining('brands-0.parquet')])
})
