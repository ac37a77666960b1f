import { beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../../pipeline/store/database.ts'
import { inList } from '../../../pipeline/store/in-list.ts'
import { KeyedRows } from '../../../pipeline/store/keyed-rows.ts'

interface Named {
  domain: string
  name: string
  told: object | null
}

let db: Database
const rows = new KeyedRows<Named>({
  table: 'named',
  id: 'domain',
  toKey: ({ domain }) => domain,
  find(of, domains) {
    const { condition, keys } = inList('domain', domains)
    return of.all<Named>(`select * from named where ${condition}`, keys)
  },
})

beforeEach(async () => {
  db = await Database.open(':memory:')
  await db.run('create table named (domain varchar, name varchar, told json)')
  await db.insert('named', [row('a.example', 'A'), row('b.example', 'B')])
})

const row = (domain: string, name: string, told: object | null = null) => ({ domain, name, told })
const listAll = () => db.all<Named>('select * from named order by domain')

describe('rows known by a key', () => {
  it('are read by it, and missing ones are left out', async () => {
    const read = await rows.read(db, ['a.example', 'c.example'])
    expect([...read]).toEqual([['a.example', row('a.example', 'A')]])
  })

  it('are replaced, removed and added at once', async () => {
    const changedJson = { kept: [1, null], left: undefined }
    await rows.replace(
      db,
      new Map([
        ['a.example', row('a.example', 'New', changedJson)],
        ['b.example', undefined],
        ['c.example', row('c.example', 'C')],
      ]),
    )
    expect(await listAll()).toEqual([
      row('a.example', 'New', { kept: [1, null] }),
      row('c.example', 'C'),
    ])
  })

  it('are updated in place, and only those', async () => {
    const turns = [
      row('a.example', 'Ünder’s "A"', { a: "it's", b: [1, { c: null }] }),
      row('a.example', 'Ünder’s "A"', null),
      row('a.example', 'A', { a: '{"b":1}' }),
      row('a.example', 'A', { a: '{"b":1}' }),
    ]
    for (const turn of turns) {
      await rows.replace(db, new Map([['a.example', turn]]))
      expect(await listAll()).toEqual([turn, row('b.example', 'B')])
    }
  })

  it('lose a value that a row no longer has', async () => {
    await rows.replace(db, new Map([['a.example', row('a.example', 'A', { a: 1 })]]))
    const less = { domain: 'a.example', name: 'A' } as Named
    await rows.replace(db, new Map([['a.example', less]]))
    expect(await listAll()).toEqual([row('a.example', 'A'), row('b.example', 'B')])
  })
})
