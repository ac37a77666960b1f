import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { toListExpression } from '../../../../pipeline/store/columnar/duckdb-values.ts'
import { insertRows } from '../../../support/registry/published-tables.ts'
import { makeDataDir } from '../../../support/registry/registry.ts'

let db: Database

beforeEach(async () => {
  db = await Database.open(':memory:', { memoryLimit: '64MB', threads: 1 })
  await db.run('create table told (name varchar, seq bigint)')
})

afterEach(() => db.close())

const buildRows = (...names: string[]) => names.map((name, seq) => ({ name, seq }))

it('counts the rows that a statement changed', async () => {
  await insertRows(db, 'told', buildRows('a', 'b'))
  expect(await db.run('update told set seq = 7')).toBe(2)
})

it('runs a statement for each set of values, and counts the rows that it changed', async () => {
  const insert = 'insert into told (name, seq) select unnest(string_split($names, $by)), 7'
  expect(await db.runEach(insert, [])).toBe(0)
  const sets = [
    { names: 'a b', by: ' ' },
    { names: 'c', by: ' ' },
  ]
  expect(await db.transaction(() => db.runEach(insert, sets))).toBe(3)
  expect(await db.all('select name, seq from told order by name')).toEqual([
    { name: 'a', seq: 7 },
    { name: 'b', seq: 7 },
    { name: 'c', seq: 7 },
  ])
})

it('runs a statement for each set of values until one fails', async () => {
  const insert = 'insert into told (name, seq) values ($name, $seq::varchar::bigint)'
  const sets = [
    { name: 'a', seq: '1' },
    { name: 'b', seq: 'x' },
    { name: 'c', seq: '3' },
  ]
  await expect(db.transaction(() => db.runEach(insert, sets))).rejects.toThrow(/convert/i)
  expect(await db.all('from told')).toEqual([])
})

describe('a statement', () => {
  const QUESTION = 'select name from told where seq > $seq order by name'
  const NAMED = `select seq from told where name in (select unnest(${toListExpression('$names')})) order by seq`
  const namesAfter = async (seq: number) => {
    const rows = await db.all<{ name: string }>(QUESTION, { seq })
    return rows.map(({ name }) => name)
  }
  const named = async (...names: string[]) => {
    const rows = await db.all<{ seq: number }>(NAMED, { names: JSON.stringify(names) })
    return rows.map(({ seq }) => seq)
  }

  it('run on an empty table, and again, finds later rows, and not deleted ones', async () => {
    expect([await namesAfter(-1), await named('b')]).toEqual([[], []])
    await insertRows(db, 'told', buildRows('a', 'b', 'c'))
    expect([await namesAfter(0), await named('b')]).toEqual([['b', 'c'], [1]])
    await db.run(`delete from told where name = 'b'`)
    expect([await namesAfter(0), await named('b')]).toEqual([['c'], []])
  })

  it('sees the writes of its own transaction, and nothing of a failed one', async () => {
    await namesAfter(-1)
    const failing = db.transaction(async () => {
      await insertRows(db, 'told', buildRows('a'))
      expect(await namesAfter(-1)).toEqual(['a'])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await namesAfter(-1)).toEqual([])
  })

  it('run many times at once answers each caller', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `n${n}`)
    await insertRows(db, 'told', buildRows(...names))
    const answers = await Promise.all(names.map(name => named(name)))
    expect(answers).toEqual(names.map((_, n) => [n]))
  })

  it('accepts values of other types than those of its first run', async () => {
    await insertRows(db, 'told', buildRows('a', 'b'))
    const late = 'select name from told where seq::double >= $least::double order by name'
    const from = (least: number) => db.all(late, { least })
    expect(await from(1)).toEqual([{ name: 'b' }])
    expect(await from(0.5)).toEqual([{ name: 'b' }])
    expect(await from(0)).toHaveLength(2)
    const at = 'select name from told where $at::timestamptz > $since::timestamptz order by name'
    const since = (day: number) =>
      db.all(at, { at: '2026-11-20 00:00:00Z', since: `2026-11-${day} 00:00:00Z` })
    expect(await since(19)).toHaveLength(2)
    expect(await since(21)).toEqual([])
    expect(await since(18)).toHaveLength(2)
  })

  it('that failed can be run again', async () => {
    await insertRows(db, 'told', buildRows('a'))
    const bad = 'select seq from told where seq = $text::varchar::bigint'
    await expect(db.all(bad, { text: 'x' })).rejects.toThrow(/convert/i)
    expect(await db.all(bad, { text: '0' })).toEqual([{ seq: 0 }])
  })
})

describe('a database that fails and refuses whatever follows', () => {
  it('is opened again, with everything that was committed and nothing else', async () => {
    const { dir, remove } = makeDataDir()
    const file = await Database.open(`${dir}/index.duckdb`)
    const rows = () => file.all<{ name: string }>('select name from told order by name', {})
    await file.run('create table told (name varchar)')
    await insertRows(file, 'told', [{ name: 'a' }])
    const failing = file.transaction(async () => {
      await insertRows(file, 'told', [{ name: 'b' }])
      await file.run(`set debug_checkpoint_abort = 'before_truncate'`)
      await file.run('force checkpoint')
    })
    await expect(failing).rejects.toThrow()
    await expect(file.run('checkpoint')).rejects.toThrow('FATAL Error')
    expect(await rows()).toEqual([{ name: 'a' }])
    await file.transaction(() => insertRows(file, 'told', [{ name: 'c' }]))
    expect(await rows()).toEqual([{ name: 'a' }, { name: 'c' }])
    file.close()
    remove()
  })
})
