import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../../pipeline/store/database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.open(':memory:')
  await db.run('create table told (name varchar, seq bigint)')
})

afterEach(() => db.close())

const buildRows = (...names: string[]) => names.map((name, seq) => ({ name, seq }))

describe('a cached result about a table', () => {
  let asked = 0
  const count = (question = '') =>
    db.written.memo('count', question, ['told'], async () => {
      asked++
      return (await db.one<{ n: number }>('select count(*) as n from told'))!.n
    })
  const again = async () => {
    const before = asked
    const n = await count()
    return { n, isAsked: asked > before }
  }

  it('is kept until the table is written', async () => {
    await db.run('create table other (name text)')
    expect(await again()).toEqual({ n: 0, isAsked: true })
    await db.insert('other', [{ name: 'a' }])
    expect(await again()).toEqual({ n: 0, isAsked: false })
    await db.insert('told', buildRows('a'))
    expect(await again()).toEqual({ n: 1, isAsked: true })
    await db.append('told', [['b', null]])
    expect(await again()).toEqual({ n: 2, isAsked: true })
    await db.write('update', 'told', `set name = 'c' where name = 'b'`)
    expect((await again()).isAsked).toBe(true)
    await db.write('delete from', 'told')
    expect(await again()).toEqual({ n: 0, isAsked: true })
    await db.write('insert into', 'told', `values ('d', 1)`)
    expect(await again()).toEqual({ n: 1, isAsked: true })
    await db.write('delete from', 'other')
    await db.stage('beside', 'name text', [['x']])
    expect(await again()).toEqual({ n: 1, isAsked: false })
    await db.run(`insert into told values ('e', 2)`)
    expect(await again()).toEqual({ n: 2, isAsked: true })
    await db.write('delete from', 'told', `where name = 'e'`)
    expect(await again()).toEqual({ n: 1, isAsked: true })
    expect(await again()).toEqual({ n: 1, isAsked: false })
    await count('another question')
    expect((await again()).isAsked).toBe(true)
  })

  it('is dropped with a transaction that failed', async () => {
    const failing = db.transaction(async () => {
      await db.insert('told', buildRows('a'))
      expect(await again()).toEqual({ n: 1, isAsked: true })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await again()).toEqual({ n: 0, isAsked: true })
  })

  it('is loaded again after loading failed', async () => {
    const fail = () => Promise.reject(new Error('away'))
    await expect(db.written.memo('count', '', ['told'], fail)).rejects.toThrow('away')
    expect(await again()).toEqual({ n: 0, isAsked: true })
  })
})

describe('rows as text', () => {
  it('contain every column of every row in order, null and empty as nothing', async () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `n\t${n}\n"é`)
    await db.insert('told', [
      ...buildRows(...names),
      { name: null, seq: 5_000 },
      { name: '', seq: null },
    ])
    const rows = [...(await db.texts(['name', 'seq', '$more'], 'told', { more: 'x' }, 'rowid'))]
    expect(rows).toEqual([
      ...names.map((name, n) => [name, `${n}`, 'x']),
      ['', '5000', 'x'],
      ['', '', 'x'],
    ])
    expect([...(await db.texts(['name'], 'told where seq < 0'))]).toEqual([])
  })
})
