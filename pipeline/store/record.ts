import { existsSync, statSync } from 'node:fs'
import { Fatal } from '../core/errors.ts'
import { declareIndex } from './index-tables.ts'
import { isDamaged, Sqlite } from './sqlite.ts'
import { listTables, readTableFile } from './table-files.ts'

/** Format of the record that this program writes, which the file holds as its `user_version`. */
export const RECORD_FORMAT = 2
/** Format of a record without an index, which was in a file of its own (`import-index.ts`). */
export const FORMAT_BEFORE = 1

const INDEX = /^create (unique )?index/i

/** Is told which indexes a record gets that has rows already: millions of them take seconds. */
export type TellIndexes = (names: readonly string[]) => void

/** Opens the record with all its tables. Throws where it is not of this program's format. */
export function openRecord(file: string, tell?: TellIndexes): Sqlite {
  const db = openAs(file, RECORD_FORMAT)
  try {
    const isNew = findFormat(db) === 0
    declareTables(db, tell)
    // The file says what it is even where its log is lost.
    if (isNew) db.emptyLog()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a record of this format, or an empty one, as it is. Throws where it is of another. */
export function openAs(file: string, format: number): Sqlite {
  const db = Sqlite.open(file)
  try {
    assertFormat(db, format)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a record for reading, with its log where it has one. Where nobody has it open, nothing is written beside it. */
export function openRecordReadOnly(file: string): Sqlite {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const isOpen = hasLog || existsSync(`${file}-shm`)
  const db = isOpen ? Sqlite.open(file, { readOnly: true }) : Sqlite.openUnchanging(file)
  try {
    assertFormat(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a record as it is now, whatever is committed afterwards. */
export function openAsOfNow(file: string): Sqlite {
  try {
    const db = Sqlite.open(file, { readOnly: true })
    db.exec('begin; select 1 from meta')
    return db
  } catch (error) {
    throw isDamaged(error) ? new Fatal(describeDamage(error.message)) : error
  }
}

/**
 * Creates the tables, indexes and triggers that the record lacks, private ones and those of the index. Indexes and
 * triggers that are declared otherwise, or not anymore, give way.
 */
export function declareTables(db: Sqlite, tell: TellIndexes = () => undefined): void {
  const declared = listDeclared()
  db.transaction(() => {
    const schema = readSchema(db)
    const unchanged = new Set(
      schema.filter(({ name, sql }) => declared.get(name) === sql).map(toName),
    )
    const made = [...declared].filter(([name, sql]) => !unchanged.has(name) && INDEX.test(sql))
    if (schema.length > 0 && made.length > 0) tell(made.map(([name]) => name))
    for (const { type, name } of schema) if (!unchanged.has(name)) db.exec(`drop ${type} ${name}`)
    declareAll(db)
    setFormat(db)
  })
}

const toName = ({ name }: { name: string }) => name

function declareAll(db: Sqlite): void {
  const sql = listTables('accounts').map(name => readTableFile('accounts', name).sql)
  db.exec(sql.join(''))
  declareIndex(db)
}

let known: ReadonlyMap<string, string> | undefined

/** Lists the indexes and triggers of a new record, with the SQL that SQLite keeps of them. */
function listDeclared(): ReadonlyMap<string, string> {
  if (known) return known
  const db = Sqlite.open(':memory:')
  try {
    declareAll(db)
    known = new Map(readSchema(db).map(({ name, sql }) => [name, sql]))
    return known
  } finally {
    db.close()
  }
}

function readSchema(db: Sqlite): { type: 'index' | 'trigger'; name: string; sql: string }[] {
  return db.all(
    "select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null",
  )
}

/** Has a record say that it is of this program's format. */
export function setFormat(db: Sqlite): void {
  db.exec(`pragma user_version = ${RECORD_FORMAT}`)
}

/** Throws where a record that nobody has open, such as one of a backup, cannot be opened or imported. */
export function assertRecordKnown(file: string): void {
  const db = Sqlite.openUnchanging(file)
  try {
    if (findFormat(db) !== FORMAT_BEFORE) assertFormat(db)
  } finally {
    db.close()
  }
}

/**
 * Throws where pages of a record that nobody writes cannot be read, its log included. A start does so unless the record
 * is as it was when it was closed: 10^5 domains (310 MB) take 0.3 s of processor time, 0.9 s on a busy disk, and 3 to 7 s on a
 * cold one.
 */
function assertReadable(file: string): void {
  const db = openRecordReadOnly(file)
  try {
    const [first] = db.listDamage('quick_check')
    if (first !== undefined) throw new Error(getReason(first))
  } finally {
    db.close()
  }
}

/** Throws where a record that is not in use cannot be read as a whole; reads all of it. */
function assertUndamaged(file: string): void {
  const db = Sqlite.openUnchanging(file)
  try {
    const [first] = db.listDamage()
    if (first !== undefined) throw new Fatal(describeDamage(first))
  } finally {
    db.close()
  }
}

/** Reads of all of a record (`undamaged.ts`). */
export const recordChecks = { readable: assertReadable, undamaged: assertUndamaged } as const
export type RecordCheck = keyof typeof recordChecks

/** Describes the first fault that SQLite finds in a record, in one line. */
export function describeDamage(fault: string): string {
  return `the record is damaged (${getReason(fault)}): restore an earlier backup`
}

function getReason(fault: string): string | undefined {
  return fault.split('\n').at(-1)
}

/** Tells whether a record has the tables that this program reads. */
export function isOfThisVersion(db: Sqlite): boolean {
  return findFormat(db) === RECORD_FORMAT
}

/** Finds the format of a record; 0 where it is empty. */
export function findFormat(db: Sqlite): number {
  return db.oneOrThrow<{ user_version: number }>('pragma user_version').user_version
}

function assertFormat(db: Sqlite, format = RECORD_FORMAT): void {
  const found = findFormat(db)
  if (found === format) return
  if (found === 0) {
    if (db.one('select 1 from sqlite_master') === undefined) return
    throw new Fatal('record/record.sqlite was made by another program: is DATA_DIR right?')
  }
  if (found === FORMAT_BEFORE) {
    throw new Fatal(
      'record/record.sqlite has no index, as in versions that kept one in index.duckdb: with that file in its place ' +
        '`registry start` or `registry migrate` imports it',
    )
  }
  throw new Fatal(
    `record/record.sqlite has format ${found} and was written by a newer version; this one reads ` +
      `formats up to ${RECORD_FORMAT}. Start the newer version, or go back with ` +
      '`registry restore DIR --force` and a backup that this version made',
  )
}
