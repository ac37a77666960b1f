import type { Database } from './duckdb.ts'
import { AgentIndex } from './queries/agent-index.ts'
import { SnapshotQueries } from './snapshot-queries.ts'

interface Made {
  db: SnapshotQueries
  seq: number
  committedAt: string | null
  lastEventId: string | null
  agents: AgentIndex
}

/** The index as of one commit, for lists, search and whatever a replica begins with. */
export class Snapshot {
  readonly db: SnapshotQueries
  /** The commit it shows, and when that was. */
  readonly seq: number
  readonly committedAt: string | null
  /** The last event of that commit or one before it. */
  readonly lastEventId: string | null
  /** The agents of the graph, ready to be searched. */
  readonly agents: AgentIndex
  #holders = 0
  #isLetGo = false
  #isClosed = false

  private constructor({ db, seq, committedAt, lastEventId, agents }: Made) {
    this.db = db
    this.seq = seq
    this.committedAt = committedAt
    this.lastEventId = lastEventId
    this.agents = agents
  }

  /**
   * What can be taken over from the snapshot before is not made again; of `most` see
   * `SnapshotQueries`.
   */
  static async of(db: Database, most: number, before?: Snapshot): Promise<Snapshot> {
    const meta = await db.one<{
      seq: number
      committed_at: string | null
      last_event_id: string | null
    }>('select seq, committed_at, last_event_id from meta')
    const { seq = 0, committed_at = null, last_event_id = null } = meta ?? {}
    const agents = await AgentIndex.of(db, before?.agents)
    const stamp = { seq, committedAt: committed_at, lastEventId: last_event_id }
    const queries = await SnapshotQueries.on(db, most)
    return new Snapshot({ db: queries, ...stamp, agents })
  }

  /** Keeps the file open until what is returned is called, once, though others let go of it. */
  hold(): () => void {
    this.#holders += 1
    return () => {
      this.#holders -= 1
      this.#closeUnused()
    }
  }

  close(): void {
    this.#isLetGo = true
    this.#closeUnused()
  }

  #closeUnused(): void {
    if (!this.#isLetGo || this.#holders > 0 || this.#isClosed) return
    this.#isClosed = true
    this.db.close()
  }
}
