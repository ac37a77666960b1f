import { beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../../pipeline/store/database.ts'
import { inList } from '../../../pipeline/store/in-list.ts'
import { RowCache } from '../../../pipeline/store/row-cache.ts'

interface Named {
  domain: string
  name: string
  told: object | null
}

let db: Database
let asked: string[][]
const known = new RowCache<Named>({
  table: 'named',
  id: 'domain',
  toKey: ({ domain }) => domain,
  find(of, domains) {
    asked.push([...domains])
    const { condition, keys } = inList('domain', domains)
    return of.all<Named>(`select * from named where ${condition}`, keys)
  },
})

beforeEach(async () => {
  db = await Database.open(':memory:')
  await db.run('create table named (domain varchar, name varchar, told json)')
  await db.insert('named', [row('a.example', 'A'), row('b.example', 'B')])
  asked = []
})

const row = (domain: string, name: string, told: object | null = null) => ({ domain, name, told })

describe('rows cached by the writer', () => {
  it('are read once, missing ones included', async () => {
    const first = await known.read(db, ['a.example', 'c.example'])
    expect([...first.values()]).toEqual([row('a.example', 'A')])
    expect(await known.read(db, ['a.example', 'c.example'])).toEqual(first)
    expect(asked).toEqual([['a.example', 'c.example']])
  })

  it('equal what was written', async () => {
    const changedJson = { kept: [1, null], left: undefined }
    const fresh = new Map([
      ['a.example', row('a.example', 'New', changedJson)],
      ['b.example', undefined],
      ['c.example', row('c.example', 'C')],
    ])
    await known.replace(db, fresh)
    const rows = await known.read(db, ['a.example', 'b.example', 'c.example'])
    expect(asked).toHaveLength(1)
    const stored = await db.all<Named>('select * from named order by domain')
    expect([...rows.values()]).toEqual(stored)
    expect(stored).toEqual([row('a.example', 'New', { kept: [1, null] }), row('c.example', 'C')])
  })

  it('are updated in place for a single row, and only that row', async () => {
    const turns = [
      row('a.example', 'Ünder’s "A"', { a: "it's", b: [1, { c: null }] }),
      row('a.example', 'Ünder’s "A"', null),
      row('a.example', 'A', { a: 2 }),
      row('a.example', 'A', { a: 2 }),
    ]
    for (const turn of turns) {
      await known.replace(db, new Map([['a.example', turn]]))
      const stored = await db.all<Named>('select * from named order by domain')
      expect(stored).toEqual([turn, row('b.example', 'B')])
      expect((await known.read(db, ['a.example'])).get('a.example')).toEqual(turn)
    }
    expect(asked).toHaveLength(1)
  })

  it('are updated in place when all of them are cached, only in what differs', async () => {
    const turns = [
      [row('a.example', 'Ünder’s "A"', { a: "it's", b: [1, { c: null }] }), row('b.example', 'B')],
      [row('a.example', 'A', null), row('b.example', 'B', { a: '{"b":1}' })],
      [row('a.example', 'A', null), row('b.example', 'B', { a: '{"b":1}' })],
      [{ domain: 'a.example', name: 'A2' } as Named, { domain: 'b.example', name: 'B2' } as Named],
    ]
    for (const turn of turns) {
      await known.replace(db, new Map(turn.map(row => [row.domain, row])))
      const stored = await db.all<Named>('select * from named order by domain')
      expect(stored).toEqual(turn.map(row => ({ ...row, told: row.told ?? null })))
      const rows = await known.read(db, ['a.example', 'b.example'])
      expect([...rows.values()].map(row => ({ ...row, told: row.told ?? null }))).toEqual(stored)
    }
    expect(asked).toHaveLength(1)
  })

  it('lose a value that a row no longer has', async () => {
    await known.replace(db, new Map([['a.example', row('a.example', 'A', { a: 1 })]]))
    const less = { domain: 'a.example', name: 'A' } as Named
    await known.replace(db, new Map([['a.example', less]]))
    expect(await db.all<Named>('select * from named order by domain')).toEqual([
      row('a.example', 'A'),
      row('b.example', 'B'),
    ])
  })

  it('are read again after somebody else wrote them', async () => {
    await known.read(db, ['a.example'])
    await db.run(`update named set name = 'Other'`)
    expect((await known.read(db, ['a.example'])).get('a.example')?.name).toBe('Other')
  })

  it('are read again after a rollback', async () => {
    const written = db.transaction(async () => {
      await known.replace(db, new Map([['a.example', row('a.example', 'Never')]]))
      throw new Error('taken back')
    })
    await expect(written).rejects.toThrow('taken back')
    expect((await known.read(db, ['a.example'])).get('a.example')?.name).toBe('A')
  })

  it('are bounded in number', async () => {
    const large = row('a.example', 'x'.repeat(3_000_000))
    await known.replace(db, new Map([['a.example', large]]))
    await known.replace(db, new Map([['b.example', { ...large, domain: 'b.example' }]]))
    asked = []
    await known.read(db, ['b.example'])
    expect(asked).toEqual([])
    expect((await known.read(db, ['a.example'])).get('a.example')).toEqual(large)
    expect(asked).toEqual([['a.example']])
  })
})
