import { hashCanonicalJson } from '../../core/canonical-json.ts'
import type { Instant } from '../../core/clock.ts'
import { authorizationFacts } from '../../diff/authorization-events.ts'
import type { FeedEvent } from '../../model/event.ts'
import type { AuthorizationItem } from '../../model/responses/authorizations.ts'
import { streamGrants } from '../../read/queries/authorizations.ts'
import { SnapshotQueries } from '../../read/query-pool.ts'
import { Database } from '../../store/columnar/duckdb.ts'

/** The last that the log says about a grant: the hash of its facts, or undefined where it was revoked. */
interface LastEvent {
  hash: string | undefined
  /** Place of the event in the log. */
  index: number
}

/** The result of a comparison of all grants in force with the log. */
export interface CheckedGrants {
  /** Grants that are what the log says. */
  agreed: number
  /**
   * Grants about which the last event cannot be read: it was taken down, is too long for the log, or is older than
   * the feed.
   */
  unknown: number
  /** Events that a restore lost: the registry does not know what they said. */
  lost: number
  faults: string[]
}

/** Events that a restore lost: those after one, or from the beginning, up to another. */
interface LostRange {
  after_event_id: string | null
  last_event_id: string
}

const comparedFacts = [
  'agent_url',
  'publisher_domain',
  'authorization_type',
  'properties_authorized',
  'property_rids',
  ...authorizationFacts,
]

/**
 * Compares the authorizations of a snapshot with the log: each one in force is as its last event says, and none
 * is missing. Whoever runs a registry can change its data without an event, and this finds it. Events that a restore
 * lost, as the snapshot itself says, are counted and not compared.
 */
export class LoggedGrants {
  readonly #snapshot: Database
  readonly #lastEventId: string
  readonly #lostRanges: readonly LostRange[]
  readonly #last = new Map<string, LastEvent>()
  /** Id of the last entry; undefined where that cannot be read. */
  #end: string | undefined
  /** Time of the first entry that can be read; those before it are older than the feed. */
  #from: Instant | undefined
  /** Entries after that one that cannot be read, and the place of the last of them. */
  #unreadable = 0
  #lastUnreadable = -1
  /** Differences that an unreadable entry may explain. */
  #doubtful: string[] = []
  #lost = 0

  private constructor(snapshot: Database, lastEventId: string, lost: readonly LostRange[]) {
    this.#snapshot = snapshot
    this.#lastEventId = lastEventId
    this.#lostRanges = lost
  }

  static async open(snapshotFile: string): Promise<LoggedGrants> {
    const snapshot = await Database.open(snapshotFile, { readOnly: true })
    const meta = await snapshot.one<{ last_event_id: string | null }>(
      'select last_event_id from meta',
    )
    return new LoggedGrants(snapshot, meta?.last_event_id ?? '', await listLost(snapshot))
  }

  /** Takes the next entry of the log. */
  readonly add = (entry: Buffer | undefined, index: number): void => {
    const event = entry && parseEvent(entry)
    this.#end = event?.event_id
    if (event === undefined) {
      if (this.#from === undefined) return
      this.#unreadable++
      this.#lastUnreadable = index
      return
    }
    this.#from ??= Date.parse(event.created_at)
    if (this.#isLost(event.event_id)) {
      this.#lost++
      return
    }
    // What came after the snapshot is not in it.
    if (event.event_id <= this.#lastEventId && event.entity_type === 'authorization') {
      const isRevoked = event.event_type === 'authorization.revoked'
      const hash = isRevoked ? undefined : hashFacts(event.payload)
      this.#last.set(event.entity_id, { hash, index })
    }
  }

  /** Compares the grants of the snapshot with all entries that were added. */
  async check(): Promise<CheckedGrants> {
    const found: CheckedGrants = { agreed: 0, unknown: 0, lost: this.#lost, faults: [] }
    if (this.#end !== undefined && this.#end < this.#lastEventId)
      return {
        ...found,
        faults: [
          'the log ends before the snapshot: check again in a minute, while the registry runs',
        ],
      }
    const inForce = new Set<string>()
    const queries = await SnapshotQueries.on(this.#snapshot, 1)
    for await (const grants of streamGrants({ db: queries })) {
      for (const grant of grants) {
        inForce.add(grant.id)
        const isOld = this.#from === undefined || Date.parse(grant.updated_at) < this.#from
        if (isOld && !this.#last.has(grant.id)) found.unknown++
        else this.#count(found, grant.id, hashFacts(grant), describe(grant))
      }
    }
    for (const [id, { hash }] of this.#last)
      if (hash !== undefined && !inForce.has(id)) this.#count(found, id, undefined, id)
    // An entry is about one grant at most, so it explains no more than that.
    if (this.#doubtful.length > this.#unreadable) found.faults.push(...this.#doubtful)
    else found.unknown += this.#doubtful.length
    return found
  }

  close(): void {
    this.#snapshot.close()
  }

  #isLost(id: string): boolean {
    return this.#lostRanges.some(
      ({ after_event_id: after, last_event_id: last }) =>
        (after === null || id > after) && id <= last,
    )
  }

  #count(found: CheckedGrants, id: string, hash: string | undefined, name: string): void {
    const last = this.#last.get(id)
    if (last !== undefined && last.hash === hash) found.agreed++
    else {
      const isExplained = (last?.index ?? -1) < this.#lastUnreadable
      const faults = isExplained ? this.#doubtful : found.faults
      faults.push(explain(last, hash, name))
    }
  }
}

/** Lists what restores lost; a snapshot of a version that did not note it has no such table. */
async function listLost(snapshot: Database): Promise<LostRange[]> {
  const isNoted = await snapshot.one(
    `select 1 from duckdb_tables() where table_name = 'lost_events'`,
  )
  return isNoted === undefined
    ? []
    : snapshot.all<LostRange>('select after_event_id, last_event_id from lost_events')
}

function explain(last: LastEvent | undefined, hash: string | undefined, name: string): string {
  if (last === undefined) return `${name} is in force, and no event of the log says so`
  if (last.hash === undefined) return `${name} is in force, and the log says that it was revoked`
  return hash === undefined
    ? `${name} is not in force, and the log says that it is`
    : `${name} has other terms than the log says`
}

/** Parses an entry; undefined where it has only the hash of its event, which was too long. */
function parseEvent(entry: Buffer): FeedEvent | undefined {
  const event = JSON.parse(entry.toString()) as FeedEvent
  return event.event_type === undefined ? undefined : event
}

function describe(grant: AuthorizationItem): string {
  return `${grant.id} (${grant.agent_url} for ${grant.publisher_domain})`
}

/** Hashes what an event says about a grant; a fact without a value is absent in an event and null in a row. */
function hashFacts(grant: Record<string, unknown>): string {
  return hashCanonicalJson(comparedFacts.map(name => grant[name] ?? null))
}
