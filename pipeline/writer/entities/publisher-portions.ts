import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { type ChangesToSplit, countChanges, takePortion } from '../../diff/portion.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { Database } from '../../store/database.ts'
import type { ClaimSlice } from './claims.ts'
import type { DerivationLimits, PublisherDerived } from './publisher-answers.ts'
import { diffPublisherRows, diffRows } from './publisher-changes.ts'
import type { Compared } from './publisher-comparison.ts'

/** Answer of which earlier commits have applied a part. */
export interface Unfinished {
  derived: PublisherDerived
  /** The rows that stand, those of the answer, and the changes that are left. */
  compared: Compared & { changes: ChangesToSplit }
  /** Time at which the answer changes by itself. */
  ends: Instant | undefined
  /** Claims that are not written yet. */
  slices?: readonly ClaimSlice[] | undefined
}

/**
 * Remembers answers of publishers that are taken on in portions, so that each portion costs what it
 * writes. An answer holds as long as nobody else writes the rows that it is made from and compared with;
 * then it is derived again, as after a start.
 */
export class UnfinishedAnswers {
  readonly #known = new Map<Domain, { answer: Unfinished; state: string }>()

  /**
   * Takes the unfinished answers of these publishers, as many as a commit has room for, if they still hold.
   * The others keep waiting.
   */
  async take(
    db: Database,
    domains: readonly Domain[],
    { portionRows: rows = Number.POSITIVE_INFINITY, urgent }: DerivationLimits,
  ): Promise<{ begun: Map<Domain, Unfinished>; waiting: Domain[] }> {
    const known = this.#known
    const begun = new Map<Domain, Unfinished>()
    const waiting: Domain[] = []
    let room = rows
    for (const domain of known.size === 0 ? [] : domains) {
      const found = known.get(domain)
      if (found === undefined) continue
      if (room <= 0 && !urgent?.has(domain)) {
        waiting.push(domain)
        continue
      }
      known.delete(domain)
      const { answer, state } = found
      if (state !== (await loadState(db, domain, answer))) continue
      begun.set(domain, answer)
      room -= countNextRows(answer, rows)
    }
    return { begun, waiting }
  }

  /**
   * Keeps answers of which portions are still to come; called when all rows of a commit are written that
   * answers are built from.
   */
  async keep(db: Database, answers: ReadonlyMap<Domain, Unfinished>): Promise<void> {
    for (const [domain, answer] of answers) {
      this.#known.set(domain, { answer, state: await loadState(db, domain, answer) })
    }
  }
}

/** Counts the rows of the next portion of an answer; the last one has all of them projected. */
function countNextRows({ compared, slices }: Unfinished, portionRows: number): number {
  const { old, fresh, changes } = compared
  if (slices !== undefined) return portionRows
  const left = countChanges(changes, old, fresh)
  const rows = fresh.properties.length + fresh.authorizations.length + fresh.collections.length
  return Math.max(left === 0 ? rows : left, portionRows * SMALL_SHARE)
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
async function loadState(db: Database, domain: Domain, { derived }: Unfinished): Promise<string> {
  const locations = derived.asked.map(({ location }) => location)
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

/** A portion of an answer, and what it changes. */
export type Portioned = Compared & SelectedPortion & ReturnType<typeof diffPublisherRows>

/** Takes on as much of each answer as the commit has room for, the first ones first. */
export function takePortions(
  compared: readonly Compared[],
  begun: ReadonlyMap<Domain, Unfinished>,
  stamp: RowStamp & DerivationLimits,
): Portioned[] {
  const { portionRows = Number.POSITIVE_INFINITY } = stamp
  const small = Math.floor(portionRows * SMALL_SHARE)
  let room = portionRows
  return compared.map(answer => {
    const isSkipped = begun.has(answer.domain)
    const sizes = {
      all: Math.max(1, room, isSkipped ? 0 : small),
      // The commit that derives an answer has its share of work already.
      part: Math.max(1, isSkipped ? room : Math.floor(room / 10)),
      isSkipped,
    }
    const portion = selectPortion(answer, sizes, stamp)
    room -= portion.count
    const changes = diffPublisherRows(answer.old, portion.rows, stamp, portion.taken)
    return { ...answer, ...portion, ...changes }
  })
}

/** Builds what is left of an answer after a portion of it. */
export function buildRemainder(
  { domain, facts, merges, rows, fresh, remaining }: Portioned,
  rest: Omit<Unfinished, 'compared'>,
): Unfinished {
  return { ...rest, compared: { domain, facts, merges, old: rows, fresh, changes: remaining } }
}

/**
 * Share of a commit's rows up to which an answer is small. It is applied at once, whether there is room or
 * not: a portion of it, and a commit for that, would cost more. The batch size limits their number.
 */
const SMALL_SHARE = 0.1
