import { statSync } from 'node:fs'
import { Fatal } from '../core/errors.ts'
import { declareIndex } from './index-tables.ts'
import { Sqlite } from './sqlite.ts'
import { listTables, readTableFile } from './table-files.ts'

/** Format of the record that this program writes, which the file holds as its `user_version`. */
const RECORD_FORMAT = 1

/** Opens the record with all its tables. Throws where it is newer than this program. */
export function openRecord(file: string): Sqlite {
  const db = Sqlite.open(file)
  try {
    const format = findFormat(db)
    assertKnown(format)
    declareTables(db)
    // The file says what it is even where its log is lost.
    if (format === 0) db.emptyLog()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a record that nobody writes to; its log, if it has one, is read as well. */
export function openRecordReadOnly(file: string): Sqlite {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const db = hasLog ? Sqlite.open(file, { readOnly: true }) : Sqlite.openUnchanging(file)
  try {
    assertKnown(findFormat(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a record as it is now, whatever is committed afterwards. */
export function openAsOfNow(file: string): Sqlite {
  const db = Sqlite.open(file, { readOnly: true })
  db.exec('begin; select 1 from meta')
  return db
}

/** Creates the tables and indexes that the record lacks, private ones and those of the index. */
export function declareTables(db: Sqlite): void {
  const sql = listTables('accounts').map(name => readTableFile('accounts', name).sql)
  db.transaction(() => {
    db.exec(`${sql.join('')} pragma user_version = ${RECORD_FORMAT}`)
    declareIndex(db)
  })
}

/** Throws where a record that nobody has open, such as one of a backup, is newer than this program. */
export function assertRecordKnown(file: string): void {
  const db = Sqlite.openUnchanging(file)
  try {
    assertKnown(findFormat(db))
  } finally {
    db.close()
  }
}

/** Tells whether a record has the tables that this program reads. */
export function isOfThisVersion(db: Sqlite): boolean {
  return findFormat(db) === RECORD_FORMAT
}

function findFormat(db: Sqlite): number {
  return db.oneOrThrow<{ user_version: number }>('pragma user_version').user_version
}

function assertKnown(format: number): void {
  if (format <= RECORD_FORMAT) return
  throw new Fatal(
    `record/record.sqlite has format ${format} and was written by a newer version; this one reads ` +
      `formats up to ${RECORD_FORMAT}. Start the newer version, or go back with ` +
      '`registry restore DIR --force` and a backup that this version made',
  )
}
