import type { Clock } from '../core/clock.ts'
import { Fatal } from '../core/errors.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Accounts } from './accounts.ts'
import type { Database } from './duckdb.ts'
import { EventFile } from './event-file.ts'
import type { Meta } from './meta.ts'
import { Seen } from './news.ts'
import type { Paths } from './paths.ts'
import { entriesOf } from './projection.ts'
import { eventsFollowing } from './projections/events.ts'
import { followRetention } from './retention.ts'
import { scopeAfter } from './scope.ts'
import { type Entry, SERVING_FORMAT, type ServingStore } from './serving.ts'
import { linkCurrent, readCheckpoint } from './snapshot.ts'

/** What projecting is given by the writer. */
export interface Projecting {
  paths: Paths
  index: Database
  accounts: Accounts
  serving: ServingStore
  clock: Clock
  step: <Result>(
    step: 'serving' | 'events',
    work: () => Result | Promise<Result>,
  ) => Promise<Result>
}

/** What the serving store and the event files get of commits up to `seq`. */
export interface Projection {
  seq: number
  entries: Entry[]
  events: FeedEvent[]
  /** Called when the serving store has the entries. */
  settle: () => void
}

/** Changed keys are needed until they are projected; a little longer helps a person who looks. */
const CHANGES_KEPT = 100

/** Brings the serving store and the event files up to the index: steps 2 and 3 of any commit. */
export class Projector {
  readonly #of: Projecting
  readonly #events: EventFile
  /** What is in the serving store already. */
  readonly #seen = new Seen()

  constructor(of: Projecting) {
    this.#of = of
    this.#events = new EventFile(of.paths)
  }

  /** Reads what must be shown of the commits up to this one, whose transaction may still be open. */
  async read(seq: number): Promise<Projection> {
    const { index, accounts, serving, clock } = this.#of
    const { news, settle } = this.#seen.look()
    const stores = { index, accounts: accounts.db }
    const commits = { seq: serving.seq, last: seq }
    const scope = await scopeAfter(stores, commits, clock.now(), news)
    return { seq, ...(await entriesOf(index, accounts, scope)), settle }
  }

  /** Shows it; the index has the commit. */
  async write({ seq, entries, events, settle }: Projection): Promise<void> {
    const { index, serving, step } = this.#of
    await step('serving', () => serving.write(entries, seq))
    settle()
    await step('events', () => this.#events.append(events))
    if (seq % CHANGES_KEPT === 0) {
      await index.run('delete from changes where seq <= $seq', { seq: seq - CHANGES_KEPT })
    }
  }

  /** Does what a crash left undone. */
  async recover({ seq }: Meta): Promise<void> {
    const { paths, index, serving } = this.#of
    const checkpoint = readCheckpoint(paths)
    if (serving.seq > seq || (checkpoint?.seq ?? 0) > seq) {
      throw new Fatal('the index is older than what was made from it: restore it, or run rebuild')
    }
    if (seq - serving.seq > CHANGES_KEPT || (serving.seq === 0 && seq > 1)) {
      throw new Fatal('the serving store is empty or too old: run rebuild')
    }
    if (serving.format !== undefined && serving.format !== SERVING_FORMAT) {
      throw new Fatal('the serving store has another format: run rebuild')
    }
    await this.write(await this.read(seq))
    this.#events.append(await eventsFollowing(index, this.#events.last))
    await followRetention(index, serving, paths)
    if (checkpoint) linkCurrent(paths, checkpoint.snapshot)
  }
}
