import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerClient } from '../../../pipeline/accounts/people.ts'
import {
  countStrangerItems,
  findOldestOfLargest,
  recordStrangerItem,
  removeStrangerItem,
} from '../../../pipeline/accounts/stranger-items.ts'
import { UNUSED_CLIENTS_MAX } from '../../../pipeline/model/accounts/person.ts'
import { declareTables } from '../../../pipeline/store/record.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'

let db: Sqlite
beforeAll(() => {
  db = Sqlite.open(':memory:')
  declareTables(db)
})
afterAll(() => db.close())

const stamp = { now: 0, seq: 1 }

test('the oldest of the caller with most gives way first, never what was added last', () => {
  const MAX = 6
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(12)), { maxLength: 40 }), added => {
      db.run('delete from stranger_items')
      const stored = new Map<string, number>()
      const count = (caller: number) => [...stored.values()].filter(own => own === caller).length
      for (const [caller, item] of added) {
        const key = String(item)
        recordStrangerItem(db, { kind: 'brand', key }, `${caller}`, stamp)
        if (!stored.has(key)) stored.set(key, caller)
        if (countStrangerItems(db, 'brand') <= MAX) continue
        const gone = findOldestOfLargest(db, 'brand')!
        const loser = stored.get(gone)!
        expect(Math.max(...[0, 1, 2, 3].map(count))).toBe(count(loser))
        expect([...stored].find(([, own]) => own === loser)![0]).toBe(gone)
        expect(gone).not.toBe(key)
        removeStrangerItem(db, { kind: 'brand', key: gone })
        stored.delete(gone)
      }
      expect(countStrangerItems(db, 'brand')).toBe(stored.size)
    }),
  )
})

test('one caller who registers applications ends only their own', () => {
  const register = (client_id: string, caller_hash: string) =>
    registerClient(
      db,
      { op: 'client.register', client_id, metadata: {}, secret_hash: null, caller_hash },
      stamp,
    )
  register('of ann', 'ann')
  db.transaction(() => {
    for (let n = 0; n <= UNUSED_CLIENTS_MAX; n++) register(`${n}`, 'mallory')
  })
  const has = (client_id: string) =>
    db.one('select 1 from oauth_clients where client_id = $client_id', { client_id }) !== undefined
  expect(['of ann', '0', '1', '2', `${UNUSED_CLIENTS_MAX}`].map(has)).toEqual([
    true,
    false,
    false,
    true,
    true,
  ])
})

test('a record of a version that did not count shares counts them when it is opened', () => {
  const older = Sqlite.open(':memory:')
  declareTables(older)
  for (const key of ['a', 'b']) recordStrangerItem(older, { kind: 'brand', key }, 'ann', stamp)
  older.exec('drop table stranger_shares')
  for (const name of ['added', 'removed']) older.exec(`drop trigger stranger_items_${name}`)
  declareTables(older)
  expect(countStrangerItems(older, 'brand')).toBe(2)
  recordStrangerItem(older, { kind: 'brand', key: 'c' }, 'ann', stamp)
  expect(countStrangerItems(older, 'brand')).toBe(3)
  older.close()
})
