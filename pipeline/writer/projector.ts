import type { Accounts } from '../accounts/store.ts'
import { type Clock, toIso } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Entry, ServingStore } from '../serving/lmdb.ts'
import { buildScopeAfter, ProjectionCursor } from '../serving/projections/change-scope.ts'
import { loadEventsAfter, projectReadableEvents } from '../serving/projections/events.ts'
import { projectEntries } from '../serving/projections/index.ts'
import { isSingleSlice, projectInSlices } from '../serving/projections/project-slices.ts'
import { buildScopeOfSubjects, type Scope } from '../serving/projections/scope.ts'
import { isDataFault } from '../store/bisect.ts'
import { linkCurrent, readCheckpoint } from '../store/checkpoint.ts'
import type { Database } from '../store/database.ts'
import { EventLog } from '../store/event-log.ts'
import type { Meta } from '../store/meta.ts'
import type { Paths } from '../store/paths.ts'
import { loadUnprojected, replaceUnprojected, type Unprojected } from '../store/unprojected.ts'
import { removeUnused } from './community/logo-files.ts'
import { CHANGES_LISTED_MAX } from './healing/heal.ts'
import { followRetention } from './retention.ts'

/** Parts of the writer that the projector needs. */
export interface ProjectorParts {
  paths: Paths
  index: Database
  accounts: Accounts
  serving: ServingStore
  clock: Clock
  log: Log
  step: <Result>(
    step: 'serving' | 'events',
    work: () => Result | Promise<Result>,
  ) => Promise<Result>
}

/** Projection of commits up to `seq` for the serving store and the event files. */
export interface Projection {
  seq: number
  entries: Entry[]
  events: FeedEvent[]
  /** Called when the serving store has the entries. */
  commitCursor: () => void
}

/**
 * Brings the serving store and the event files up to the index: steps 2 and 3 of any commit. What fits
 * into memory is shown at once. Anything else, and what could not be shown so, goes slice by slice: then a
 * subject that cannot be projected is quarantined and keeps its old answer, and an event that cannot be is
 * left out until a rebuild tries it again: a replica hears of it by `verify` and the log, not by the feed.
 */
export class Projector {
  readonly #parts: ProjectorParts
  readonly #events: EventLog
  /** Tables as of the last projection. */
  readonly #cursor = new ProjectionCursor()

  constructor(parts: ProjectorParts) {
    this.#parts = parts
    this.#events = new EventLog(parts.paths)
  }

  /**
   * Reads what must be shown of the commits up to this one, whose transaction may still be open. Undefined
   * where that is to be read in slices.
   */
  async read(seq: number): Promise<Projection | undefined> {
    const { index, accounts } = this.#parts
    const { scope, commitCursor } = await this.#begin(seq)
    try {
      if (!(await this.#isPlain(scope))) return undefined
      return { seq, ...(await projectEntries(index, accounts, scope)), commitCursor }
    } catch (error) {
      if (isDataFault(error)) return undefined
      throw error
    }
  }

  /** Shows the commits up to this one; the index has them. */
  async show(seq: number, read?: Projection): Promise<void> {
    const { index, step } = this.#parts
    const projection = read ?? (await this.read(seq))
    const events = await step(
      'serving',
      () => (projection && this.#write(projection)) ?? this.#writeInSlices(seq),
    )
    await step('events', () => (events.length > 0 ? this.#events.append(events) : undefined))
    if (seq % CHANGES_LISTED_MAX === 0) {
      await index.write('delete from', 'changes', 'where seq <= $seq', {
        seq: seq - CHANGES_LISTED_MAX,
      })
    }
  }

  /** Completes what a crash interrupted, and retries what could not be projected. */
  async recover({ seq }: Meta): Promise<void> {
    const { paths, index, serving } = this.#parts
    removeUnused(this.#parts, seq)
    await this.show(seq)
    this.#events.append(await loadEventsAfter(index, this.#events.last))
    await followRetention(index, serving, paths)
    const checkpoint = readCheckpoint(paths)
    if (checkpoint) linkCurrent(paths, checkpoint.snapshot)
    const known = await loadUnprojected(index)
    if (known.length > 0) {
      await this.#projectParts(buildScopeOfSubjects(known, this.#parts.clock.now()), seq)
    }
  }

  async #begin(seq: number): Promise<{ scope: Scope; commitCursor: () => void }> {
    const { index, accounts, serving, clock } = this.#parts
    const { hasChanged, commit: commitCursor } = this.#cursor.begin()
    const stores = { index, accounts: accounts.db }
    const commits = { seq: serving.seq, last: seq }
    return { scope: await buildScopeAfter(stores, commits, clock.now(), hasChanged), commitCursor }
  }

  /** Tells whether a scope fits into one slice without a quarantined subject. */
  async #isPlain(scope: Scope): Promise<boolean> {
    const { index } = this.#parts
    const unprojected = await loadUnprojected(index)
    if (unprojected.length > 0) {
      const touched = new Set([...scope.brands, ...scope.publishers])
      if (unprojected.some(({ subject }) => touched.has(subject))) return false
    }
    return isSingleSlice(index, scope)
  }

  /** Writes a projection in one transaction; undefined where that fails because of what it holds. */
  #write({ seq, entries, events, commitCursor }: Projection): FeedEvent[] | undefined {
    try {
      this.#parts.serving.write(entries, seq)
    } catch (error) {
      if (isDataFault(error)) return undefined
      throw error
    }
    commitCursor()
    return events
  }

  async #writeInSlices(seq: number): Promise<FeedEvent[]> {
    const { index, serving } = this.#parts
    const { scope, commitCursor } = await this.#begin(seq)
    const { entries, events, unprojected } = await projectReadableEvents(index, scope)
    await this.#projectParts(scope, seq, unprojected)
    serving.write(entries, seq)
    commitCursor()
    return events
  }

  /** Writes a scope except its events, and records the subjects that could not be projected. */
  async #projectParts(
    scope: Scope,
    seq: number,
    unreadable: readonly Unprojected[] = [],
  ): Promise<void> {
    const { index, accounts, serving, clock, log } = this.#parts
    const parts = await projectInSlices({ index, accounts }, scope, entries =>
      serving.writePart(entries),
    )
    const { isProjected } = parts
    const unprojected = [...parts.unprojected, ...unreadable]
    const failed = new Set(unprojected.map(({ part, subject }) => `${part} ${subject}`))
    const known = (await loadUnprojected(index)).filter(
      row => !isProjected(row) && !failed.has(`${row.part} ${row.subject}`),
    )
    const at = toIso(clock.now())
    const fresh = await replaceUnprojected(index, [...known, ...unprojected], { seq, at })
    for (const { part, subject, reason } of fresh) {
      log.error({ part, subject, reason }, 'not projected: quarantined, its old answer is served')
    }
  }
}
