import type { Domain } from '../../core/domain.ts'
import { countChanges, takePortion } from '../../diff/portion.ts'
import type { PublisherRows } from '../../diff/rows.ts'
import type { Stamp } from '../../diff/stamp.ts'
import type { Source } from '../../model/observation.ts'
import { type Database, toListExpression } from '../../store/duckdb.ts'
import { diffRows } from './publisher-changes.ts'

/** Remainder of an answer that is applied in portions. */
export interface Unfinished {
  /** Files that it was made from. */
  sources: readonly Source[]
}

/**
 * Remembers answers of publishers that are taken on in portions, so that each portion costs what it
 * writes. An answer holds as long as nobody else writes the rows that it is made from and compared with;
 * then it is derived again, as after a start.
 */
export class UnfinishedAnswers<Answer extends Unfinished> {
  readonly #known = new WeakMap<Database, Map<Domain, { answer: Answer; state: string }>>()

  /** Takes out what is left of the answers of these publishers, where that still holds. */
  async take(db: Database, domains: readonly Domain[]): Promise<Map<Domain, Answer>> {
    const known = this.#known.get(db)
    const left = new Map<Domain, Answer>()
    for (const domain of known === undefined || known.size === 0 ? [] : domains) {
      const found = known!.get(domain)
      known!.delete(domain)
      if (found === undefined) continue
      const state = await loadState(db, domain, found.answer)
      if (state === found.state) left.set(domain, found.answer)
    }
    return left
  }

  /** Called when all of a commit is written that answers are made from; those before are forgotten. */
  async keep(db: Database, answers: ReadonlyMap<Domain, Answer>): Promise<void> {
    const known = this.#known.get(db) ?? new Map()
    this.#known.set(db, known)
    for (const [domain, answer] of answers) {
      known.set(domain, { answer, state: await loadState(db, domain, answer) })
    }
  }
}

const describeRows = (table: string, where: string) =>
  `(select concat_ws(' ', count(*), max(seq)) from ${table} where ${where})`
const STATE = [
  ...['publishers', 'entries'].map(table => describeRows(table, 'domain = $domain')),
  ...['properties', 'authorizations', 'collections'].map(table =>
    describeRows(table, 'publisher_domain = $domain'),
  ),
  describeRows('held', 'subject = $domain'),
  describeRows('aliases', 'true'),
  describeRows('crawl_state', `location in (select unnest(${toListExpression('$sources')}))`),
].join(', ')

/** Describes the rows that an answer is made from and compared with, by their number and last commit. */
async function loadState(db: Database, domain: Domain, { sources }: Unfinished): Promise<string> {
  const locations = sources.map(({ location }) => location)
  const row = await db.one<{ state: string }>(`select concat_ws(',', ${STATE}) as state`, {
    domain,
    sources: JSON.stringify(locations),
  })
  return `${db.written.version([])} ${row!.state}`
}

/**
 * Selects the rows of an answer that a commit applies: the whole answer up to `all` changes, else a portion
 * of `part`. The last commit of an answer in portions changes no row: it has the publisher projected.
 */
export function takeOn(
  old: PublisherRows,
  fresh: PublisherRows,
  room: { all: number; part: number; isLeft: boolean },
  stamp: Pick<Stamp, 'now' | 'seq'>,
): { rows: PublisherRows; isLast: boolean; changes: number } {
  const { publisher } = fresh
  const all = { rows: fresh, isLast: true, changes: 0 }
  if (publisher === undefined || room.all === Number.POSITIVE_INFINITY) return all
  const changes = diffRows(old, fresh)
  const count = countChanges(changes, old, fresh)
  if (count <= room.all) return { rows: fresh, isLast: !room.isLeft || count === 0, changes: count }
  const rows = takePortion(old, { ...fresh, publisher }, changes, room.part, stamp)
  return { rows, isLast: false, changes: room.part }
}
