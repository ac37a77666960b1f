import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../../pipeline/core/log.ts'
import { openBucket } from '../../../pipeline/replica/bucket.ts'
import { Uploader } from '../../../pipeline/replica/uploader.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { exportParquet } from '../../../pipeline/store/columnar/parquet.ts'
import { ParquetManifest } from '../../../pipeline/store/columnar/parquet-manifest.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { openPublishing } from '../../support/registry/publishing-registry.ts'
import { startObjectStorage } from '../../support/servers/s3-server.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildShop } from '../../support/worlds/nights.ts'

async function openReleasing() {
  await startObjectStorage()
  const clock = testClock('2026-11-20T03:00Z')
  const { sequencer, publisher, folder } = await openPublishing(clock)
  const bucket = openBucket('s3://registry/open', new AbortController().signal)
  const uploader = new Uploader(folder, sequencer.paths, bucket, clock)
  const release = async (domain: string, spoil = () => {}) => {
    const observation = observeFile('adagents.json', domain, buildShop(domain), clock.now())
    await sequencer.commit({ observations: [observation], submissions: [] })
    await sequencer.publish()
    await exportParquet(sequencer.paths, clock.now(), silentLog)
    spoil()
    await publisher.publish()
    await uploader.upload()
    clock.tick({ days: 1 })
  }
  return { sequencer, publisher, folder, bucket, uploader, release }
}

test('the tables of all releases are in the folder and in the bucket, until they are taken down', async () => {
  const { sequencer, publisher, folder, bucket, uploader, release } = await openReleasing()
  for (const name of ['a', 'b', 'c']) await release(`${name}.example`)

  const text = readFileSync(join(folder, 'data/manifest.json'), 'utf8')
  const { files } = ParquetManifest.parse(JSON.parse(text))
  expect(String(await bucket.read('data/manifest.json'))).toBe(text)
  const stored = await bucket.list('data/')
  expect([...stored].filter(([name]) => name.endsWith('.parquet')).sort()).toEqual(
    files.map(({ path, bytes }) => [`data/${path}`, bytes]).sort(),
  )
  const db = await Database.open(':memory:')
  const glob = join(folder, 'data/publishers/*/*.parquet')
  const counts = await db.all(
    `select day::varchar as day, count(*)::integer as n
     from read_parquet('${glob}', hive_partitioning = true) group by all order by all`,
  )
  db.close()
  expect(counts).toEqual([
    { day: '2026-11-20', n: 1 },
    { day: '2026-11-21', n: 2 },
    { day: '2026-11-22', n: 3 },
  ])

  rmSync(sequencer.paths.parquet, { recursive: true })
  await publisher.publish()
  await uploader.upload()
  expect(existsSync(join(folder, 'data'))).toBe(false)
  expect([...(await bucket.list('data/')).keys()]).toEqual([])
})

test('a table that is missing on the disk keeps no other one from the bucket', async () => {
  const { sequencer, folder, bucket, release } = await openReleasing()
  const { parquet } = sequencer.paths
  await release('a.example', () => rmSync(join(parquet, 'brands'), { recursive: true }))
  const listTables = async () =>
    [...(await bucket.list('data/')).keys()].map(name => name.split('/')[1])
  expect(await listTables()).toContain('publishers')
  expect(await listTables()).not.toContain('brands')

  const abandoned = join(folder, 'data/publishers/part-0.parquet.new')
  writeFileSync(abandoned, 'left by a crash')
  const headers = { type: 'application/json', caching: 'no-cache' }
  await bucket.write('data/manifest.json', Buffer.from('{'), headers)
  await release('b.example')
  expect(await listTables()).toContain('brands')
  expect(existsSync(abandoned)).toBe(false)
})
