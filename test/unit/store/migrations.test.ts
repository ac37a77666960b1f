import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { buildReached } from '../../../pipeline/diff/property-sets.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import {
  findFormat,
  findNewestFormat,
  listMigrations,
  listPending,
  migrate,
} from '../../../pipeline/store/migrations.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { findProgram } from '../../support/processes/programs.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import {
  listStoredFormats,
  readRows,
  readShape,
  writeStores,
} from '../../support/registry/stored-formats.ts'

const formats = listStoredFormats('index')
const older = formats.filter(format => format < findNewestFormat())

async function open(file: string): Promise<Database> {
  const db = await Database.open(file)
  cleanUp(() => db.close())
  return db
}

async function openStored(format: number): Promise<Database> {
  const dataDir = createDataDir()
  await writeStores(dataDir, { index: format })
  return open(resolvePaths(dataDir).index)
}

async function openFresh(): Promise<Database> {
  const db = await open(':memory:')
  await migrate(db)
  return db
}

test('the migrations of the index are numbered without a gap, each to its format', () => {
  const numbers = listMigrations().map(({ format }) => format)
  expect(numbers).toEqual(numbers.map((_, at) => at + 2))
  expect(listMigrations().every(({ file }) => /\/\d{3}-[a-z-]+\.sql$/.test(file))).toBe(true)
})

test('a fresh index has the newest format', async () => {
  const db = await openFresh()
  expect(await findFormat(db)).toBe(findNewestFormat())
  expect(await listPending(db)).toEqual([])
})

test('every format of the index has a fixture', () => {
  expect(formats).toEqual(Array.from({ length: findNewestFormat() }, (_, at) => at + 1))
})

describe.each(formats)('an index of format %i', format => {
  // Fails for the newest format when a table was changed without a migration.
  test('has the tables of a new one after its migration', async () => {
    const db = await openStored(format)
    await migrate(db)
    expect(await readShape(db)).toEqual(await readShape(await openFresh()))
  })

  test('keeps each row of each table', async () => {
    const db = await openStored(format)
    const before = await readRows(db)
    await migrate(db)
    const { meta: _, ...after } = await readRows(db)
    for (const [table, rows] of Object.entries(before)) {
      if (table === 'meta') continue
      const converted = rows.map(row => {
        const moved = table === 'authorizations' ? ['property_rids'] : []
        return expect.objectContaining(
          Object.fromEntries(Object.entries(row).filter(([column]) => !moved.includes(column))),
        )
      })
      expect(after[table], table).toEqual(converted)
    }
  })
})

describe.each(older)('a kill during the migration from format %i', format => {
  test('leaves the old store or the new one, and the next start has the new one', async () => {
    const states = new Set<string>()
    for (let statements = 1; ; statements++) {
      const paths = resolvePaths(createDataDir())
      makeFolders(paths)
      await writeStores(paths.dir, { index: format })
      const before = await Database.open(paths.index)
      const [shape, rows] = [await readShape(before), await readRows(before)]
      before.close()

      const program = findProgram('test/support/processes/migration-process.ts')
      const args = [program, paths.index, String(statements)]
      const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(signal, stderr).toBe('SIGKILL')

      const db = await Database.open(paths.index)
      const found = await findFormat(db)
      states.add(found === format ? 'old' : 'new')
      if (found === format) {
        expect(await readShape(db)).toEqual(shape)
        expect(await readRows(db)).toEqual(rows)
      }
      await migrate(db)
      expect(await readShape(db)).toEqual(await readShape(await openFresh()))
      expect(Object.keys(await readRows(db))).toContain('submissions')
      db.close()
      // A log that was left by the kill was read, and closing has emptied it.
      expect(existsSync(`${paths.index}.wal`)).toBe(false)
      if (found !== format) break
    }
    expect([...states]).toEqual(['old', 'new'])
  })
})

test('a failing migration changes nothing and names itself', async () => {
  const db = await openStored(1)
  await db.run('alter table authorizations drop column countries')
  const before = [await readShape(db), await readRows(db)]
  await expect(migrate(db)).rejects.toThrow(
    /^migration index\/002-property-sets\.sql failed and changed nothing: .*countries/,
  )
  expect([await readShape(db), await readRows(db)]).toEqual(before)
})

test('an index of format 1 gets the property sets that a new one would have', async () => {
  const db = await openStored(1)
  const [first, second] = [
    '01a1f6e5-8780-7000-844b-413aad33a1f0',
    '01a1fc0b-e380-7000-804d-7f8efe0e3df4',
  ]
  const lists = { none: [], one: [first], both: [first, second], turned: [second, first, second] }
  for (const [id, rids] of Object.entries(lists)) {
    await db.run(`insert into authorizations by name
      select * replace (md5('${id}')::uuid as id, '${id}' as authorized_for,
        '[${rids.join(', ')}]'::uuid[] as property_rids)
      from authorizations where publisher_domain = 'd1.example' and entry = 0 limit 1`)
  }
  const listed = await db.all<{ id: string; publisher_domain: string; property_rids: string[] }>(
    'select id, publisher_domain, property_rids from authorizations order by id',
  )
  await migrate(db)
  const grants = await db.all(`select id, property_set, property_count,
    coalesce(property_rids, []) as property_rids
    from authorizations left join property_sets on set_id = property_set order by id`)
  expect(grants).toEqual(
    listed.map(({ id, publisher_domain, property_rids }) => ({
      id,
      ...buildReached(publisher_domain, property_rids),
    })),
  )
  const sets = await db.all('select set_id, count(*) as times from property_sets group by 1')
  expect(sets.every(set => (set as { times: number }).times === 1)).toBe(true)
})

test('the first start of a newer version mends the comments of the index and creates a missing table', async () => {
  const db = await openFresh()
  const fresh = await readShape(db)
  await db.run("create or replace view main.data_set as select 'those before' as definitions")
  await db.run("comment on table meta is 'something else'")
  await db.run('comment on column submissions.seq is null')
  await db.run('drop table policies')
  await migrate(db)
  expect(await readShape(db)).toEqual(fresh)
})

test('a start looks at no table of the index that it has declared before', async () => {
  const db = await openFresh()
  await db.run("comment on table meta is 'something else'")
  const shape = await readShape(db)
  await migrate(db)
  expect(await readShape(db)).toEqual(shape)
})

test('tables without a row from an interrupted first start are created again', async () => {
  const db = await openStored(1)
  for (const table of Object.keys(await readRows(db))) await db.run(`truncate ${table}`)
  await db.run('checkpoint')
  await migrate(db)
  expect(await readShape(db)).toEqual(await readShape(await openFresh()))
  expect(await findFormat(db)).toBe(findNewestFormat())
})

test('an index with rows and no format is refused', async () => {
  const db = await openStored(1)
  await db.run('delete from meta')
  await expect(migrate(db)).rejects.toThrow('has rows but no format number')
})

test('an alias of format 4 gets the states that its event and later merges tell', async () => {
  const db = await openStored(4)
  await db.run(`set search_path = 'internal,main'`)
  const [a, b, c, d] = Array.from(
    { length: 4 },
    (_, i) => `00000000-0000-7000-8000-00000000000${i}`,
  ) as [string, string, string, string]
  const day = (n: number) => `2026-11-0${n} 00:00:00+00`
  await db.run(`
    insert into aliases values ('property', '${a}', '${c}', null, '${day(1)}', 2),
      ('property', '${b}', '${c}', null, '${day(2)}', 2),
      ('property', '${d}', '${c}', null, '${day(3)}', 2);
    insert into events by name select '${a}'::uuid as event_id, 'property.merged' as event_type,
      'property' as entity_type, '${a}' as entity_id,
      '{"alias_rid": "${a}", "canonical_rid": "${b}"}' as payload, 'person' as actor,
      '${day(1)}'::timestamptz as created_at, 1 as seq`)
  await migrate(db)
  expect(
    await db.all(`select alias_rid::varchar as alias, canonical_rid::varchar as canonical,
      day(valid_from at time zone 'UTC')::integer as since, ended, seq::integer as seq
      from alias_versions order by alias, seq`),
  ).toEqual([
    { alias: a, canonical: b, since: 1, ended: false, seq: 1 },
    { alias: a, canonical: c, since: 2, ended: false, seq: 2 },
    { alias: b, canonical: c, since: 2, ended: false, seq: 2 },
    { alias: d, canonical: c, since: 3, ended: false, seq: 2 },
  ])
})

test('an index of format 6 gets the claims of houses, and compares them with saved brands', async () => {
  const db = await openStored(6)
  const saved = "'brand', 'd2.example', gen_random_uuid(), 'community', '{}'"
  await db.run(`
    update crawl_state set ended_at = '2999-01-01' where kind = 'brand.json';
    insert into property_declarations values
      ('d0.example', 'b0', 'website', 'Shop.Example', null, 'owned'),
      ('d0.example', 'b0', 'website', 'sold.example', null, 'direct');
    insert into entries by name select * from (values (${saved}, 1, 'live', now(), now(), 1)) as
      e(entity, domain, entry_id, source, document, revision_number, status, created_at, updated_at, seq)`)
  await migrate(db)
  const claims = await db.all<{ location: string; house_domain: string; domain: string }>(
    `select * from house_claims where location = 'd0.example' order by domain`,
  )
  expect(claims).toEqual(
    ['d1.example', 'd2.example', 'd3.example', 'd4.example', 'shop.example'].map(domain => ({
      location: 'd0.example',
      house_domain: 'd0.example',
      domain,
    })),
  )
  const due = `select rule, subject from wakes where wakes_at <= now() and rule = 'brand'`
  expect(await db.all(due)).toContainEqual({ rule: 'brand', subject: 'd2.example' })
})
