import { existsSync, rmSync, statSync } from 'node:fs'
import type { Accounts } from '../accounts/store.ts'
import { type Clock, toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { Log } from '../core/log.ts'
import { SearchPublisher } from '../search/publish.ts'
import {
  advance,
  copySnapshot,
  hashFile,
  pruneSnapshots,
  readCheckpoint,
} from '../store/checkpoint.ts'
import { Columnar, type Shown } from '../store/columnar/columnar.ts'
import { isDamage } from '../store/columnar/duckdb-instance.ts'
import { hashDefinitions } from '../store/columnar/schema.ts'
import { LOG } from '../store/columnar-log.ts'
import type { Database } from '../store/database.ts'
import type { Paths } from '../store/paths.ts'
import { openAsOfNow } from '../store/record.ts'
import type { Seals } from '../store/seals.ts'
import { setAside } from '../store/set-aside.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { TakedownList } from './takedown/takedown-list.ts'

/** Rows of the log that one turn deletes, in some tens of milliseconds. */
const LOGGED_AT_ONCE = 5_000

/** Parts of the writer that publishing needs. */
export interface PublishingParts {
  paths: Paths
  index: Database
  accounts: Accounts
  takedowns: TakedownList
  clock: Clock
  log: Log
  seals: Seals
  snapshotsKept: number
  /** Size of the log of the record from which bulk commits wait for a publication. */
  snapshotLogBytes: number
  /** The last commit. */
  last: () => { seq: number; last_event_id: string | null }
  /** Runs work while no commit runs. */
  alone: <Result>(work: () => Promise<Result>) => Promise<Result>
  step: <Result>(
    step: 'snapshot' | 'checkpoint',
    work: () => Result | Promise<Result>,
  ) => Promise<Result>
}

/** Makes snapshots of the index, one after the other, and what search is answered from. */
export class Publishing {
  readonly #parts: PublishingParts
  readonly #columnar: Columnar
  readonly #search: SearchPublisher
  #turn: Promise<unknown> = Promise.resolve()
  /** Snapshot that was found whole although reading it failed. */
  #intact: string | undefined

  constructor(parts: PublishingParts) {
    this.#parts = parts
    this.#columnar = new Columnar(parts.paths.columnar)
    this.#search = new SearchPublisher(parts.paths, undefined, parts.seals)
  }

  /** Publishes the commits since the last snapshot; returns the duration in ms. */
  publish(): Promise<number> {
    const published = this.#turn.then(() => this.#publish())
    this.#turn = published.catch(() => undefined)
    void published
      .then(() => this.searchable())
      .catch(error => this.#replaceOrThrow(error))
      .catch(error => this.#parts.log.error({ error }, 'not searchable'))
    return published
  }

  /**
   * Returns the publication that bulk commits wait for, if the log of the record is long. The log is written into the record
   * only once the snapshot no longer reads it: it grew to 3.5 GB in a night of 20,000 files.
   */
  get awaited(): Promise<unknown> | undefined {
    const { paths, snapshotLogBytes } = this.#parts
    const log = statSync(`${paths.record}-wal`, { throwIfNoEntry: false })
    return log !== undefined && log.size > snapshotLogBytes ? this.#turn : undefined
  }

  /** Reads the current snapshot, and publishes another one if that fails because its bytes have changed. */
  async readSnapshot(read: () => Promise<void>): Promise<void> {
    await read().catch(error => this.#replaceOrThrow(error))
  }

  /** Publishes the same commit again where the current snapshot is damaged; throws the error where it is not. */
  #replaceOrThrow(error: unknown): Promise<void> {
    const replaced = this.#turn.then(async () => {
      const { paths, log } = this.#parts
      const checkpoint = readCheckpoint(paths)
      const file = checkpoint && `${paths.snapshots}/${checkpoint.snapshot}`
      if (file === undefined || file === this.#intact) throw error
      const isThere = existsSync(file)
      if (isThere && (await hashFile(file)) === checkpoint?.sha256) {
        this.#intact = file
        throw error
      }
      const tell = () => setAside({ paths, log }, file, 'its bytes have changed')
      // Where it lies it keeps its number: no other bytes are ever published under that name.
      if (!isThere) tell()
      await this.#publish({ again: true })
      if (isThere) tell()
    })
    this.#turn = replaced.catch(() => undefined)
    return replaced
  }

  /** Resolves when search shows what was published last; nothing else waits for that. */
  searchable(): Promise<void> {
    return this.#search.publish()
  }

  async close(): Promise<void> {
    await this.#turn
    this.#columnar.close()
    await this.#search.close()
  }

  /**
   * Publishes a snapshot. It shows the record as of one commit; others go on meanwhile, and wait while changed rows are looked for.
   */
  async #publish({ again = false } = {}): Promise<number> {
    const { paths, log, clock, seals, snapshotsKept, step } = this.#parts
    const shown = readCheckpoint(paths)?.as_of
    const begun = await this.#parts.alone(() => this.#beginSnapshot(again))
    if (begun === undefined) return 0
    const { cleared, at, record, ms } = begun
    const copying = performance.now()
    const { logged, snapshot } = await this.#makeSnapshot(record)
    const copyMs = ms + performance.now() - copying
    const path = `${paths.snapshots}/${snapshot}`
    seals.forget(paths.snapshots)
    seals.endWriting(paths.columnar)
    seals.note(path)
    const definitions = hashDefinitions()
    const next = { ...at, snapshot, sha256: await hashFile(path), definitions }
    await step('checkpoint', () => advance(paths, next))
    const isDropped = await this.#dropLogged(logged)
    if (isDropped && cleared.length > 0) await this.#clearCopies(cleared)
    else pruneSnapshots(paths, snapshotsKept)
    const lists_were_old_ms = shown && clock.now() - Date.parse(shown)
    log.info({ seq: next.seq, snapshot, ms: Math.round(copyMs), lists_were_old_ms }, 'published')
    return copyMs
  }

  /** Begins a snapshot. Content that was taken down can still be read in freed pages of the columnar index: it is made again. */
  async #beginSnapshot(again: boolean) {
    const { paths, accounts, takedowns, clock, last } = this.#parts
    const started = performance.now()
    const { seq, last_event_id } = last()
    const { uncleared } = takedowns
    // Where a backup keeps the log from being emptied, the next publication clears it.
    const cleared = uncleared.length > 0 && accounts.db.emptyLog() ? uncleared : []
    const shown = readCheckpoint(paths)
    // After an upgrade lists may need columns that the snapshot of the version before lacks.
    const isPublished =
      seq === (shown?.seq ?? 0) && (seq === 0 || shown?.definitions === hashDefinitions())
    if (isPublished && cleared.length === 0 && !again) return undefined
    if (cleared.length > 0 || again) this.#columnar.discard()
    const at = { seq, last_event_id, as_of: toIso(clock.now()) }
    return { cleared, at, record: openAsOfNow(paths.record), ms: performance.now() - started }
  }

  /** Copies the columnar index of a record as it is now. Where that fails, the next one opens the file again. */
  async #makeSnapshot(record: Sqlite): Promise<{ logged: number; snapshot: string }> {
    const { paths, step } = this.#parts
    try {
      const { logged } = await this.#bringUp(record)
      return { logged, snapshot: await step('snapshot', () => copySnapshot(paths)) }
    } catch (error) {
      this.#columnar.close()
      throw error
    } finally {
      record.close()
    }
  }

  /** Brings the columnar index up to the record; one whose bytes have changed is made again of all rows. */
  async #bringUp(record: Sqlite): Promise<Shown> {
    const { paths, log, seals } = this.#parts
    seals.beginWriting(paths.columnar)
    try {
      return await this.#columnar.update(record)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#columnar.close()
      setAside({ paths, log }, paths.columnar, 'its bytes have changed')
      return this.#columnar.update(record)
    }
  }

  /** Deletes what the log lists and readers see; false where that failed: the next publication replaces these rows once more. */
  async #dropLogged(logged: number): Promise<boolean> {
    const { index, log, alone } = this.#parts
    try {
      while (!(await alone(async () => dropLoggedPart(index.sqlite, logged))));
      return true
    } catch (error) {
      log.error({ error }, 'published rows stay listed')
      return false
    }
  }

  /** Deletes every published copy but the one that was just made. */
  async #clearCopies(domains: readonly Domain[]): Promise<void> {
    const { paths, accounts, takedowns, clock, alone } = this.#parts
    pruneSnapshots(paths, 1)
    const { parquet, damaged, old } = paths
    for (const copies of [parquet, damaged, old]) {
      rmSync(copies, { recursive: true, force: true })
    }
    this.#search.keepsOlder = false
    await alone(async () => {
      takedowns.clear(domains, clock.now())
      // Keys of deleted rows were listed for the publication.
      accounts.db.emptyLog()
    })
  }
}

/**
 * Deletes the oldest of what the log lists up to an id, since commits wait meanwhile; true if nothing of it is left. That
 * is asked in the same turn: an empty log numbers from 1 again, so a later turn could delete what a commit has listed since.
 */
function dropLoggedPart(record: Sqlite, logged: number): boolean {
  const part = `select id from ${LOG} where id <= $logged order by id limit ${LOGGED_AT_ONCE}`
  record.run(`delete from ${LOG} where id in (${part})`, { logged })
  return record.one(`select 1 from ${LOG} where id <= $logged limit 1`, { logged }) === undefined
}
