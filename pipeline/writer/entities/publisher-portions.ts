import type { Domain } from '../../core/domain.ts'
import { type ChangesToSplit, countChanges, takePortion } from '../../diff/portion.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { Source } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import { diffRows } from './publisher-changes.ts'

/** Remainder of an answer that is applied in portions. */
export interface Unfinished {
  /** Files that it was made from. */
  sources: readonly Source[]
  /** Number of rows of its next step; a step without it takes a whole commit. */
  nextRows?: number
}

/** Number of rows that a commit may write in portions, and publishers that it writes regardless. */
interface Room {
  portionRows?: number | undefined
  urgent?: ReadonlySet<Domain>
}

/**
 * Remembers answers of publishers that are taken on in portions, so that each portion costs what it
 * writes. An answer holds as long as nobody else writes the rows that it is made from and compared with;
 * then it is derived again, as after a start.
 */
export class UnfinishedAnswers<Answer extends Unfinished> {
  readonly #known = new Map<Domain, { answer: Answer; state: string }>()

  /**
   * Takes the unfinished answers of these publishers, as many as a commit has room for, if they are still
   * valid. The others keep waiting; those that are no longer valid are outdated.
   */
  async take(
    db: Database,
    domains: readonly Domain[],
    { portionRows: rows = Number.POSITIVE_INFINITY, urgent }: Room,
  ): Promise<{ left: Map<Domain, Answer>; waiting: Domain[]; outdated: Set<Domain> }> {
    const known = this.#known
    const left = new Map<Domain, Answer>()
    const waiting: Domain[] = []
    const outdated = new Set<Domain>()
    let room = rows
    for (const domain of known.size === 0 ? [] : domains) {
      const found = known.get(domain)
      if (found === undefined) continue
      if (room <= 0 && !urgent?.has(domain)) {
        waiting.push(domain)
        continue
      }
      known.delete(domain)
      const { answer } = found
      if (found.state !== (await loadState(db, domain, answer))) {
        outdated.add(domain)
        continue
      }
      left.set(domain, answer)
      room -= answer.nextRows ?? rows
    }
    return { left, waiting, outdated }
  }

  /**
   * Keeps answers of which portions are still to come; called when all rows of a commit are written that
   * answers are built from.
   */
  async keep(db: Database, answers: ReadonlyMap<Domain, Answer>): Promise<void> {
    for (const [domain, answer] of answers) {
      this.#known.set(domain, { answer, state: await loadState(db, domain, answer) })
    }
  }
}

const describeRows = (table: string, where: string) =>
  `(select concat_ws(' ', count(*), max(seq)) from ${table} where ${where})`
const STATE = [
  describeRows('publishers', 'domain = $domain'),
  describeRows('entries', `domain = $domain and entity = 'property'`),
  ...['properties', 'authorizations', 'collections'].map(table =>
    describeRows(table, 'publisher_domain = $domain'),
  ),
  describeRows('held', 'subject = $domain'),
  describeRows('aliases', 'true'),
  describeRows('crawl_state', `location in (select value from json_each($sources))`),
].join(', ')

/** Describes the rows that an answer is made from and compared with, by their number and last commit. */
async function loadState(db: Database, domain: Domain, { sources }: Unfinished): Promise<string> {
  const locations = sources.map(({ location }) => location)
  const row = await db.oneOrThrow<{ state: string }>(`select concat_ws(',', ${STATE}) as state`, {
    domain,
    sources: JSON.stringify(locations),
  })
  return `${db.written.version([])} ${row.state}`
}

/** An answer with its comparison, and the changes that earlier commits have not applied yet. */
interface PortionInput {
  old: PublisherRows
  fresh: PublisherRows
  changes?: ChangesToSplit
}

interface SelectedPortion {
  rows: PublisherRows
  /** Changes that lead to these rows, where they are known. */
  taken?: ChangesToSplit
  /** Changes that wait for the next commits. */
  remaining: ChangesToSplit
  isLast: boolean
  count: number
}

const noChanges: ChangesToSplit = { properties: [], authorizations: [], collections: [] }

/** Rows that a commit has room for. */
interface PortionRoom {
  /** Number of changes up to which an answer is applied at once. */
  all: number
  /** Size of a portion of any other. */
  part: number
  /** True if earlier commits have applied portions of the answer. */
  isSkipped: boolean
}

/**
 * Selects the rows of an answer that a commit applies: the whole answer, or a portion. The last commit of
 * an answer in portions changes no row: it has the publisher projected.
 */
export function selectPortion(
  { old, fresh, changes: known }: PortionInput,
  room: PortionRoom,
  stamp: Pick<RowStamp, 'now' | 'seq'>,
): SelectedPortion {
  const { publisher } = fresh
  if (publisher === undefined || room.all === Number.POSITIVE_INFINITY) {
    return { rows: fresh, remaining: noChanges, isLast: true, count: 0 }
  }
  const changes = known ?? diffRows(old, fresh)
  const count = countChanges(changes, old, fresh)
  if (count <= room.all) {
    const isLast = !room.isSkipped || count === 0
    return { rows: fresh, taken: changes, remaining: noChanges, isLast, count }
  }
  const portion = takePortion(old, { ...fresh, publisher }, changes, room.part, stamp)
  return { ...portion, isLast: false, count: room.part }
}
