import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuild } from '../../../pipeline/maintenance/rebuild.ts'
import { verifyStopped } from '../../../pipeline/maintenance/verify-stopped.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildBrandSave } from '../../support/fixtures/submissions.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import {
  buildOptions,
  cleanUp,
  createDataDir,
  openSequencer,
} from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const clock = testClock('2026-11-20T03:00Z')
const folder = mkdtempSync(join(tmpdir(), 'registry-damage-'))
const whole = `${folder}/whole`
/** Copy taken while it still runs, as a killed process leaves it. */
const killed = `${folder}/killed`

const shopAgain = buildBrandSave('Acme', 'shop.told.example', 'Shop again')

/** Copies a folder with the times of its files. */
function copy(from: string, to: string): Paths {
  execFileSync('cp', ['-a', `${from}/.`, to])
  return resolvePaths(to)
}

beforeAll(async () => {
  const registry = await openSequencer({ dataDir: whole, clock })
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.publish()
  clock.tick({ days: 1 })
  await registry.commit(buildNextBatch(clock.now()))
  await registry.commit({ observations: [], submissions: [shopAgain] })
  execFileSync('cp', ['-a', whole, killed])
  mkdirSync(registry.paths.parquet)
  await registry.publish()
  await registry.searchable()
  await registry.exportTables()
  await registry.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Cuts a file off, also one that nobody may write. */
function cutOff(file: string, bytes = 0): void {
  chmodSync(file, 0o600)
  truncateSync(file, bytes)
}

function replaceBytes(file: string, position: number, bytes: number): void {
  chmodSync(file, 0o600)
  const descriptor = openSync(file, 'r+')
  const garbage = Buffer.from(Array.from({ length: bytes }, (_, n) => (n * 151 + 90) % 256))
  writeSync(descriptor, garbage, 0, bytes, position)
  closeSync(descriptor)
}

const hashFile = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const half = (file: string) => Math.floor(statSync(file).size / 2)

const damages = {
  'is empty': file => cutOff(file),
  'is cut off': file => cutOff(file, half(file)),
  'begins with something else': file => replaceBytes(file, 0, Math.min(8_192, half(file))),
  'has something else in its middle': file => replaceBytes(file, half(file), 64),
  'is gone': file => rmSync(file),
} as const satisfies Record<string, (file: string) => void>
type Damage = keyof typeof damages

/** Everything that README calls derived, or without facts. */
const derived = {
  'the checkpoint': paths => paths.checkpoint,
  'the current snapshot': paths => findLastFile(paths.snapshots, '.duckdb'),
  'the link to the current snapshot': paths => paths.registry,
  'the checkpoint of the search': paths => paths.searchCheckpoint,
  'the search file': paths => findLastFile(paths.search, '.search'),
  'the serving store': paths => paths.servingFile,
  'the lock of the serving store': paths => `${paths.servingFile}-lock`,
  'the newest event file': paths => findLastFile(paths.events, '.ndjson'),
  'an older event file': paths => `${paths.events}/${readdirSync(paths.events).sort()[0]}`,
  'a table as Parquet': paths =>
    `${paths.parquet}/brands/${readdirSync(`${paths.parquet}/brands`)[0]}/part-0.parquet`,
  'the lease': paths => paths.lease,
  'the seals': paths => paths.seals,
} as const satisfies Record<string, (paths: Paths) => string>
type Derived = keyof typeof derived

function findLastFile(place: string, ending: string): string {
  const names = readdirSync(place).filter(name => name.endsWith(ending))
  return `${place}/${names.sort().at(-1)}`
}

/** Damage that the log does not mention: nothing is missing. */
const unsaid: ReadonlySet<string> = new Set([
  'the lock of the serving store',
  'the seals',
  'the link to the current snapshot is gone',
  'the checkpoint is gone',
  'the checkpoint of the search is gone',
  'the lease is gone',
])

async function openAndListWarnings(dataDir: string) {
  const { log, said } = createRecordingLog()
  const registry = await openSequencer({ dataDir, clock, log })
  return { registry, warnings: said.filter(line => line.includes('rebuilt')) }
}

async function assertWhole(registry: Sequencer): Promise<void> {
  expect(await verify(registry)).toEqual([])
  const reader = new Reader(registry.paths.dir, clock)
  await reader.refresh()
  expect(reader.serving?.seq).toBe(registry.seq)
  expect(reader.snapshot?.seq).toBe(registry.seq)
  expect(reader.search?.seq).toBe(registry.seq)
  const found = await reader.search?.search(['brands'], 'Told again', 5)
  expect(found?.brands.join()).toContain('told.example')
  await reader.close()
}

/** Files that are always read as a whole. */
const small: ReadonlySet<string> = new Set([
  'the link to the current snapshot',
  'the lock of the serving store',
  'a table as Parquet',
  'the seals',
])
const few: readonly Damage[] = ['begins with something else', 'is gone']

const cases = (Object.keys(derived) as Derived[]).flatMap(what =>
  (small.has(what) ? few : (Object.keys(damages) as Damage[])).map(how => ({ what, how })),
)

describe('a start repairs', () => {
  test.each(cases)('$what $how', async ({ what, how }) => {
    const paths = copy(whole, createDataDir())
    const file = derived[what](paths)
    const snapshot = derived['the current snapshot'](paths)
    damages[how](file)
    const { registry, warnings } = await openAndListWarnings(paths.dir)
    const name = relative(paths.dir, file)
    if (!unsaid.has(what) && !unsaid.has(`${what} ${how}`)) {
      // A store of several files is set aside as a whole, and a file under the name that readers use.
      const names = [name, relative(paths.dir, dirname(file)), basename(snapshot)]
      expect(names.some(name => warnings.join().includes(name))).toBe(true)
    }
    await registry.exportTables()
    expect(existsSync(file) || what === 'the current snapshot').toBe(true)
    await assertWhole(registry)
    await registry.close()
    const again = await openAndListWarnings(paths.dir)
    expect(again.warnings).toEqual([])
    await again.registry.close()
  })

  test('the last line of the newest event file, whose hash is not known', async () => {
    const paths = copy(whole, createDataDir())
    const file = derived['the newest event file'](paths)
    rmSync(paths.seals)
    replaceBytes(file, statSync(file).size - 40, 30)
    const { registry, warnings } = await openAndListWarnings(paths.dir)
    expect(warnings.join()).toContain(relative(paths.dir, file))
    await assertWhole(registry)
    await registry.close()
  })

  test('a serving store that crashed the start before', async () => {
    const paths = copy(whole, createDataDir())
    const sealed = readFileSync(paths.seals)
    replaceBytes(paths.seals, 0, 4)
    const descriptor = openSync(paths.seals, 'r+')
    writeSync(descriptor, Buffer.concat([Buffer.from('test'), sealed.subarray(4)]))
    closeSync(descriptor)
    const { registry, warnings } = await openAndListWarnings(paths.dir)
    expect(warnings.join()).toContain('"serving"')
    await assertWhole(registry)
    await registry.close()
  })

  test('nothing where nothing is damaged', async () => {
    const paths = copy(whole, createDataDir())
    for (let time = 0; time < 2; time++) {
      const { registry, warnings } = await openAndListWarnings(paths.dir)
      expect(warnings).toEqual([])
      await registry.close()
    }
    expect(existsSync(paths.damaged)).toBe(false)
  })

  test('and keeps set-aside files private', async () => {
    const paths = copy(whole, createDataDir())
    truncateSync(paths.servingFile)
    const { registry } = await openAndListWarnings(paths.dir)
    await registry.close()
    expect(statSync(paths.damaged).mode & 0o077).toBe(0)
    expect(readdirSync(paths.damaged)).toEqual(['serving'])
  })
})

/** Hashes every file of a registry, but for the list of those who have the serving store open. */
const hashAll = ({ dir }: Paths) =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .filter(file => !file.endsWith('-lock'))
      .map(file => [relative(dir, file), hashFile(file)]),
  )

describe('a check of a registry that does not run changes nothing, and', () => {
  test('finds no fault where nothing is damaged', async () => {
    const paths = copy(whole, createDataDir())
    const before = hashAll(paths)
    expect(await verifyStopped(paths.dir)).toEqual([])
    expect(hashAll(paths)).toEqual(before)
  })

  const files = {
    ...derived,
    record: (paths: Paths) => paths.record,
  }
  const noticed = Object.keys(files).filter(
    // They hold no facts, or are locks: a start makes them without a word.
    what => !['the lock of the serving store', 'the lease', 'the seals'].includes(what),
  ) as (keyof typeof files)[]
  test.each(noticed.flatMap(what => few.map(how => ({ what, how }))))(
    'names $what that $how',
    async ({ what, how }) => {
      const paths = copy(whole, createDataDir())
      const file = files[what](paths)
      damages[how](file)
      const before = hashAll(paths)
      const faults = (await verifyStopped(paths.dir))!.join()
      const isUnsaid = what === 'the checkpoint of the search' && how === 'is gone'
      if (!isUnsaid) expect(faults).toContain(basename(file))
      expect(hashAll(paths)).toEqual(before)
    },
  )

  test('does not compare a serving store of another version, and notes it', async () => {
    const paths = copy(whole, createDataDir())
    const serving = ServingStore.open(paths.servingFile)
    const brand = { space: 'brand', key: 'acme.example', value: Buffer.from('{}') } as const
    serving.writePart([brand, { space: 'meta', key: 'format', value: Buffer.from('1') }])
    await serving.close()
    rmSync(paths.seals)
    const notes: string[] = []
    expect(await verifyStopped(paths.dir, note => notes.push(note))).toEqual([])
    expect(notes).toEqual([expect.stringContaining('serving: is of another version')])
  })

  test('names a damaged record beside a damaged serving store', async () => {
    const paths = copy(whole, createDataDir())
    replaceBytes(paths.servingFile, half(paths.servingFile), 64)
    replaceBytes(paths.record, 0, 8_192)
    expect(await verifyStopped(paths.dir)).toEqual([
      'serving/serving.mdb: was changed while the registry was not running',
      'record/record.sqlite: was changed while the registry was not running',
      expect.stringMatching(/^record\/record\.sqlite: cannot be read \(/),
    ])
  })

  test('names a table of which twelve bytes were changed, also beside a running writer', async () => {
    const paths = copy(whole, createDataDir())
    const registry = await openSequencer({ dataDir: paths.dir, clock })
    cleanUp(() => registry.close())
    const file = derived['a table as Parquet'](paths)
    replaceBytes(file, half(file), 12)
    expect(await verify(registry)).toEqual([
      `parquet: ${relative(paths.parquet, file)} was changed after it was exported`,
    ])
    const snapshot = derived['the current snapshot'](paths)
    replaceBytes(snapshot, 0, 8_192)
    expect(await verify(registry)).toContain(
      `snapshot: ${basename(snapshot)} (registry.duckdb) was changed after it was published`,
    )
  })

  test('names a table that was published with other rows than the record has', async () => {
    const registry = await openSequencer({ dataDir: copy(whole, createDataDir()).dir, clock })
    cleanUp(() => registry.close())
    await registry.publish()
    expect(await verify(registry)).toEqual([])
    const { sqlite } = registry.index
    sqlite.exec('drop trigger documents_delete; delete from documents; delete from unpublished')
    expect(await verify(registry)).toContainEqual(
      expect.stringMatching(/^snapshot: documents has [1-9]\d* rows, and the index 0$/),
    )
  })
})

describe('a start refuses, with a reason and without changes,', () => {
  const store = 'record/record.sqlite'

  test.each(['is empty', 'begins with something else', 'is gone'] as const)(
    'where the record %s',
    async how => {
      const paths = copy(whole, createDataDir())
      damages[how](paths.record)
      const bytes = () => (existsSync(paths.record) ? hashFile(paths.record) : 'none')
      const before = bytes()
      const open = () => Sequencer.open(buildOptions({ dataDir: paths.dir, clock }))
      await expect(open()).rejects.toThrow(store)
      await expect(open()).rejects.toThrow('registry restore')
      expect(bytes()).toBe(before)
      await expect(rebuild(paths.dir)).rejects.toThrow(store)
    },
  )

  test('where a page of the record is damaged, and it is not known how it was closed', async () => {
    const paths = copy(whole, createDataDir())
    rmSync(paths.seals)
    const page = Math.floor(half(paths.record) / 4_096) * 4_096
    replaceBytes(paths.record, page, 4_096)
    const open = () => Sequencer.open(buildOptions({ dataDir: paths.dir, clock }))
    await expect(open()).rejects.toThrow(/record\.sqlite cannot be read.*registry restore/)
  })

  test('where the log of the record is missing, until the loss is accepted', async () => {
    const paths = copy(killed, createDataDir())
    rmSync(`${paths.record}-wal`)
    const options = buildOptions({ dataDir: paths.dir, clock })
    const refusal = /record\.sqlite has lost commits.*registry restore/
    await expect(Sequencer.open(options)).rejects.toThrow(refusal)
    await expect(rebuild(paths.dir)).rejects.toThrow(refusal)
    const registry = (await Sequencer.open({ ...options, acceptsOlderIndex: true }))!
    cleanUp(() => registry.close())
    expect(registry.seq).toBeGreaterThan(2)
    expect(await verify(registry)).toEqual([])
  })

  test('but not where a process was just killed', async () => {
    const paths = copy(killed, createDataDir())
    const { registry, warnings } = await openAndListWarnings(paths.dir)
    cleanUp(() => registry.close())
    expect(warnings).toEqual([])
    expect(await verify(registry)).toEqual([])
  })
})

/** Lists the names of brands as analysts see them. */
async function listNames(file: string): Promise<object[]> {
  const db = await Database.open(file, { readOnly: true })
  try {
    return await db.all('select domain, brand_name from brands order by domain')
  } finally {
    db.close()
  }
}

/** Places where DuckDB keeps the names of the rows that the next publication replaces. */
async function listPlaces(file: string): Promise<number[]> {
  const db = await Database.open(file, { readOnly: true })
  const blocks = await db.all<{ block: number }>(
    `select distinct block_id::integer as block from pragma_storage_info('internal.brands')
     where column_name = 'domain' and segment_type = 'VARCHAR' and persistent`,
  )
  db.close()
  return blocks.map(({ block }) => HEADERS_BYTES + block * BLOCK_BYTES)
}
const [HEADERS_BYTES, BLOCK_BYTES] = [12_288, 262_144]

const renamed = (name: string) => buildBrandSave('Acme', 'shop.told.example', name)
const named = (brand_name: string) => ({ domain: 'shop.told.example', brand_name })

describe('a columnar index', () => {
  test.each(Object.keys(damages) as Damage[])(
    'that %s is made again by the next publication',
    async how => {
      const paths = copy(whole, createDataDir())
      damages[how](paths.columnar)
      const { registry, warnings } = await openAndListWarnings(paths.dir)
      cleanUp(() => registry.close())
      expect(warnings.join()).toContain(basename(paths.columnar))
      await registry.commit({ observations: [], submissions: [renamed(`Shop that ${how}`)] })
      await registry.publish()
      await registry.searchable()
      await assertWhole(registry)
      expect(await listNames(paths.registry)).toContainEqual(named(`Shop that ${how}`))
    },
  )

  test('whose bytes change while the registry runs is made again by the next publication', async () => {
    const paths = copy(whole, createDataDir())
    const { log, said } = createRecordingLog()
    const registry = await openSequencer({ dataDir: paths.dir, clock, log })
    cleanUp(() => registry.close())
    const places = await listPlaces(paths.columnar)
    expect(places).not.toEqual([])
    for (const place of places) replaceBytes(paths.columnar, place + 100, 64)
    await registry.commit({ observations: [], submissions: [renamed('Shop anew')] })
    await registry.publish()
    await registry.searchable()
    expect(said.filter(line => line.includes('rebuilt'))).toHaveLength(1)
    await assertWhole(registry)
    expect(await listNames(paths.registry)).toContainEqual(named('Shop anew'))
  })

  test('that shows lost commits is made again when their loss is accepted', async () => {
    const paths = copy(whole, createDataDir())
    const older = copy(killed, createDataDir())
    const published = await listNames(paths.registry)
    copyFileSync(older.record, paths.record)
    for (const log of ['-wal', '-shm']) rmSync(`${paths.record}${log}`, { force: true })
    const options = buildOptions({ dataDir: paths.dir, clock })
    const registry = (await Sequencer.open({ ...options, acceptsOlderIndex: true }))!
    cleanUp(() => registry.close())
    await registry.publish()
    const names = await registry.index.all('select domain, brand_name from brands order by domain')
    expect(names).not.toEqual(published)
    expect(await listNames(paths.registry)).toEqual(names)
  })
})

describe('a snapshot that is damaged while the registry runs', () => {
  test.each(['begins with something else', 'is gone'] as const)(
    '%s: it is named once, and another one takes its place',
    async how => {
      const paths = copy(whole, createDataDir())
      const { registry } = await openAndListWarnings(paths.dir)
      await registry.close()
      const { log, said } = createRecordingLog()
      const running = await openSequencer({ dataDir: paths.dir, clock, log })
      const snapshot = findLastFile(paths.snapshots, '.duckdb')
      damages[how](snapshot)
      rmSync(join(paths.parquet, 'brands'), { recursive: true })
      await running.exportTables()
      await running.publish()
      await running.exportTables()
      await running.searchable()
      const warned = said.filter(line => line.includes('rebuilt'))
      expect(warned).toHaveLength(1)
      expect(warned[0]).toContain(basename(snapshot))
      if (how !== 'is gone') expect(existsSync(snapshot)).toBe(false)
      await assertWhole(running)
      await running.close()
    },
  )
})
