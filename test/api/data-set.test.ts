import { createHash } from 'node:crypto'
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { exportedTables, exportParquet } from '../../pipeline/store/parquet.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'

const agent = 'https://agent.example/mcp'
let registry: TestRegistry
let empty: TestRegistry
let origin: string

async function exportDay(): Promise<void> {
  await registry.publish()
  await exportParquet(registry.sequencer.paths, registry.clock.now(), silentLog)
}

beforeAll(async () => {
  empty = await openRegistry()
  registry = await openRegistry({ settings: { DATA_LICENSE: 'CC-BY-4.0' } })
  await registry.observe(
    observePublisherFile('acme.example', { sites: ['acme.example'], agents: [agent] }),
  )
  await exportDay()
  origin = await registry.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await registry.close()
  await empty.close()
})

interface Manifest {
  day: string
  schema_version: number
  license: string | null
  tables: {
    table: string
    url: string
    release_url: string
    rows: number
    bytes: number
    sha256: string
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
  const { day, schema_version, license, tables } = await readManifest()
  expect([day, schema_version, license]).toEqual(['2026-11-20', 2, 'CC-BY-4.0'])
  expect(tables.map(({ table }) => table).sort()).toEqual(exportedTables().sort())
  for (const { url, release_url, rows, bytes, sha256, table } of tables) {
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
  expect(after.day).toBe('2026-11-21')
  const { headers, rawPayload } = await ask(known.release_url)
  expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(known.sha256)
  expect(headers['cache-control']).toBe('public, max-age=86400, immutable')
  const latest = await ask(known.url)
  expect(latest.headers['cache-control']).toBe('public, no-cache')
  expect(latest.headers.etag).not.toBe(`"${known.sha256}"`)
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
  for (const path of ['/data/latest/manifest.json', '/data/latest/authorizations.parquet']) {
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
  expect(body).toContain('permanent identity, minted once (UUID v7)')
  const nothing = await empty.app.inject('/data')
  expect([nothing.statusCode, nothing.body.includes('Nothing has been published yet')]).toEqual([
    200,
    true,
  ])
})
