import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { declareTables, openRecord, openRecordReadOnly } from '../../../pipeline/store/record.ts'
import { openRecordFile } from '../../../pipeline/store/record-file.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { findUnreadableCredentials } from '../../../scripts/commands/stored-credentials.ts'
import { createDataDir } from '../../support/registry/registry.ts'

const readSchema = (db: Sqlite) => db.all('select type, name, sql from sqlite_master order by 1, 2')

test('a record that is opened has the indexes and triggers that are declared, and no others', () => {
  const file = join(createDataDir(), 'record.sqlite')
  const made: string[] = []
  const fresh = openRecord(file, names => made.push(...names))
  const declared = readSchema(fresh)
  fresh.exec(`
    drop trigger brands_delete;
    create trigger brands_delete after delete on brands begin select 1; end;
    create trigger agents_gone after delete on agents begin select 1; end;
    drop index reviews_by_seq;
    create index reviews_by_seq on reviews (seq, kind);
    create index brands_9 on brands (seq)`)
  fresh.close()
  expect(made).toEqual([])
  const again = openRecord(file, names => made.push(...names))
  expect(made).toContain('reviews_by_seq')
  expect(made).not.toContain('brands_9')
  expect(readSchema(again)).toEqual(declared)
  again.close()
})

test('a database of another program is refused, and stays as it is', () => {
  const file = join(createDataDir(), 'record.sqlite')
  const other = Sqlite.open(file)
  other.exec('create table notes (text text)')
  other.close()
  for (const open of [openRecord, openRecordReadOnly])
    expect(() => open(file)).toThrow('record/record.sqlite was made by another program')
  const after = Sqlite.open(file, { readOnly: true })
  expect(readSchema(after)).toHaveLength(1)
  after.close()
})

test('a record that its writer is only creating is read as one without rows', () => {
  const paths = resolvePaths(createDataDir())
  expect(openRecordFile(paths)).toBeUndefined()
  mkdirSync(dirname(paths.record), { recursive: true })
  const creating = Sqlite.open(paths.record)
  expect(openRecordFile(paths)).toBeUndefined()
  expect(findUnreadableCredentials(undefined, paths)).toBeUndefined()
  declareTables(creating)
  const record = openRecordFile(paths)
  expect(record?.all('select * from agent_credentials')).toEqual([])
  record?.close()
  creating.close()
})
