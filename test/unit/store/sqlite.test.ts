import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'

const TABLE = `create table things (
  id varchar not null primary key, at timestamptz, is_new boolean, tags varchar[], content json,
  editor uuid, weight double, seq bigint)`

function openWithTable(file = ':memory:'): Sqlite {
  const db = Sqlite.open(file)
  cleanUp(() => db.close())
  db.exec(TABLE)
  return db
}

const row = {
  id: 'a',
  at: '2026-11-20T03:00Z',
  is_new: true,
  tags: ['x', 'y'],
  content: { deep: [1, 'two', null], text: 'ä' },
  editor: '01A1F6E5-8780-7000-844B-413AAD33A1F0',
  weight: 2,
  seq: 7,
}

test('rows come back as JSON values, by the types of their columns', () => {
  const db = openWithTable()
  db.insert('things', [row, { id: 'b' }])
  const stored = { ...row, at: '2026-11-20T03:00:00.000Z', editor: row.editor.toLowerCase() }
  const nothing = { at: null, is_new: null, tags: null, content: null, editor: null }
  expect(db.all('select * from things order by id')).toStrictEqual([
    stored,
    { id: 'b', ...nothing, weight: null, seq: null },
  ])
  expect(db.one('select tags as words, is_new from things t')).toStrictEqual({
    words: ['x', 'y'],
    is_new: true,
  })
})

test.each([3, -0.5, 'text', true, null, [], '1e5', '9007199254740993'])(
  'a JSON column keeps %j',
  value => {
    const db = openWithTable()
    db.insert('things', [{ id: 'a', content: { value } }])
    expect(db.one('select content from things')).toStrictEqual({ content: { value } })
  },
)

test('an expression has the type that its name says', () => {
  const db = openWithTable()
  db.insert('things', [row])
  expect(
    db.one(`select at is null as "is_over [boolean]", json_array(id) as "ids [json]", count(*) as n
      from things`),
  ).toStrictEqual({ is_over: false, ids: ['a'], n: 1 })
})

test('a list is one parameter, and parameters that a statement does not name are ignored', () => {
  const db = openWithTable()
  db.insert('things', [row, { id: 'b' }, { id: 'c' }])
  const query = 'select id from things where id in (select value from json_each($ids)) order by id'
  expect(db.all(query, { ids: ['a', 'c', "'"], other: 1 })).toEqual([{ id: 'a' }, { id: 'c' }])
  expect(db.run('update things set is_new = $new where is_new is null', { new: false })).toBe(2)
})

test('a transaction is stored as a whole or not at all, and one within it alone is undone', () => {
  const db = openWithTable()
  const count = () => db.oneOrThrow<{ n: number }>('select count(*) as n from things').n
  expect(() =>
    db.transaction(() => {
      db.insert('things', [{ id: 'a' }, { id: 'b' }])
      throw new Error('stopped')
    }),
  ).toThrow('stopped')
  expect(count()).toBe(0)
  db.transaction(() => {
    db.insert('things', [{ id: 'a' }])
    const insert = () => db.insert('things', [{ id: 'b' }, { id: 'a' }])
    expect(() => db.transaction(insert)).toThrow('UNIQUE')
  })
  expect(db.all('select id from things')).toEqual([{ id: 'a' }])
  expect(() => db.transaction(async () => undefined)).toThrow('cannot wait')
  expect(db.transaction(count)).toBe(1)
})

test('many rows are read one at a time, while other statements run', () => {
  const db = openWithTable()
  db.insert(
    'things',
    Array.from({ length: 1000 }, (_, n) => ({ id: `${n}`, seq: n })),
  )
  let sum = 0
  for (const { seq } of db.iterate<{ seq: number }>('select seq from things')) {
    sum += db.oneOrThrow<{ seq: number }>('select seq from things where seq = $seq', { seq }).seq
  }
  expect(sum).toBe((999 * 1000) / 2)
})

test('the file, its log and a copy are for their owner alone', async () => {
  const dir = createDataDir()
  const db = openWithTable(`${dir}/a.sqlite`)
  db.insert('things', [row])
  await db.copyTo(`${dir}/copy.sqlite`)
  expect(readdirSync(dir)).toContain('a.sqlite-wal')
  for (const name of readdirSync(dir)) expect(statSync(`${dir}/${name}`).mode & 0o077).toBe(0)
  const copy = Sqlite.openUnchanging(`${dir}/copy.sqlite`)
  expect(copy.all('select id from things')).toEqual([{ id: 'a' }])
  copy.close()
  expect(readdirSync(dir).filter(name => name.startsWith('copy'))).toEqual(['copy.sqlite'])
})

test('what was deleted is in no byte of the file or of its log', () => {
  const dir = createDataDir()
  const db = openWithTable(`${dir}/a.sqlite`)
  const rows = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, tags: [`secret ${n}`] }))
  for (let at = 0; at < rows.length; at += 10) db.insert('things', rows.slice(at, at + 10))
  db.run('update things set tags = null where id < $id', { id: '3' })
  db.run('delete from things')
  db.emptyLog()
  for (const name of readdirSync(dir)) {
    expect(readFileSync(`${dir}/${name}`, 'latin1'), name).not.toContain('secret')
  }
})

test('what is no database is refused and stays as it is; damage within one is found', () => {
  const dir = createDataDir()
  writeFileSync(`${dir}/text`, 'no database at all'.repeat(1000))
  expect(() => Sqlite.open(`${dir}/text`)).toThrow('not a database')
  expect(readFileSync(`${dir}/text`, 'utf8')).toBe('no database at all'.repeat(1000))

  const db = Sqlite.open(`${dir}/a.sqlite`)
  db.exec(TABLE)
  db.insert(
    'things',
    Array.from({ length: 1000 }, (_, n) => ({ ...row, id: `${n}` })),
  )
  expect(db.listDamage()).toEqual([])
  db.close()
  const whole = readFileSync(`${dir}/a.sqlite`)
  truncateSync(`${dir}/a.sqlite`, whole.length - 8192)
  expect(() => Sqlite.open(`${dir}/a.sqlite`)).toThrow('malformed')
  writeFileSync(`${dir}/a.sqlite`, whole.fill(0, 20 * 4096, 21 * 4096))
  const damaged = Sqlite.open(`${dir}/a.sqlite`)
  cleanUp(() => damaged.close())
  expect(damaged.listDamage().length).toBeGreaterThan(0)
})
