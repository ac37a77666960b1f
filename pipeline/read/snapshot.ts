import type { Database } from '../store/columnar/duckdb.ts'
import { Caches } from './cache/caches.ts'
import type { AgentIndex } from './queries/agent-index.ts'
import { readAgentIndex } from './queries/read-agent-index.ts'
import { SnapshotQueries } from './query-pool.ts'

interface SnapshotParts {
  db: SnapshotQueries
  seq: number
  committedAt: string | null
  lastEventId: string | null
  agents: AgentIndex | Promise<AgentIndex>
}

/** The index as of one commit: for lists, searches, and the lists that a replica starts from. */
export class Snapshot {
  readonly caches = new Caches()
  readonly db: SnapshotQueries
  /** The commit it shows, and when that was. */
  readonly seq: number
  readonly committedAt: string | null
  /** The last event of that commit or one before it. */
  readonly lastEventId: string | null
  #agents: AgentIndex | Promise<AgentIndex>
  #holders = 0
  #isReleased = false
  #isClosed = false

  private constructor({ db, seq, committedAt, lastEventId, agents }: SnapshotParts) {
    this.db = db
    this.seq = seq
    this.committedAt = committedAt
    this.lastEventId = lastEventId
    this.#agents = agents
    if (agents instanceof Promise) this.#await(agents)
  }

  /** Returns the agents of the graph, ready to be searched; a promise while they are loaded. */
  get agents(): AgentIndex | Promise<AgentIndex> {
    return this.#agents
  }

  #await(agents: Promise<AgentIndex>): void {
    const release = this.hold()
    const useBuilt = (made: AgentIndex) => {
      this.#agents = made
    }
    // Readers of the agents get the error itself.
    void agents.then(useBuilt, () => undefined).finally(release)
  }

  /**
   * Opens a snapshot. Valid caches of the previous snapshot are reused. The index of agents is built before
   * the new snapshot replaces the previous one; the first snapshot is used while it is built. For
   * `queriesMax` see `SnapshotQueries`.
   */
  static async open(db: Database, queriesMax: number, before?: Snapshot): Promise<Snapshot> {
    const meta = await db.one<{
      seq: number
      committed_at: string | null
      last_event_id: string | null
    }>('select seq, committed_at, last_event_id from meta')
    const { seq = 0, committed_at = null, last_event_id = null } = meta ?? {}
    const state = { seq, committedAt: committed_at, lastEventId: last_event_id }
    const read = before && (await readChangedAgents(db.file, before))
    const queries = await SnapshotQueries.on(db, queriesMax)
    const agents = read ?? readAgentIndex(db.file)
    return new Snapshot({ db: queries, ...state, agents })
  }

  /** Keeps the file open until the returned function is called, even if all other holders have released it. */
  hold(): () => void {
    this.#holders += 1
    return () => {
      this.#holders -= 1
      this.#closeUnused()
    }
  }

  close(): void {
    this.#isReleased = true
    this.#closeUnused()
  }

  #closeUnused(): void {
    if (!this.#isReleased || this.#holders > 0 || this.#isClosed) return
    this.#isClosed = true
    this.db.close()
  }
}

async function readChangedAgents(file: string, { agents }: Snapshot): Promise<AgentIndex> {
  const before = await Promise.resolve(agents).catch(() => undefined)
  return readAgentIndex(file, before)
}
