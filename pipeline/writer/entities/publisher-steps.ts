import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { requireValue } from '../../core/present.ts'
import { countChanges } from '../../diff/portion.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import { preparedPublishers } from '../../serving/projections/publishers.ts'
import type { Database } from '../../store/database.ts'
import type { ClaimSlice } from './claims.ts'
import {
  type Answered,
  type DerivationLimits,
  isLarge,
  type PublisherDerived,
} from './publisher-answers.ts'
import { diffPublisherRows } from './publisher-changes.ts'
import { type Compared, compareWith } from './publisher-comparison.ts'
import { selectPortion, type Unfinished } from './publisher-portions.ts'
import { buildEmptyPublisherRows, loadPublishers } from './publisher-rows.ts'

/** An answer that is applied in several commits. */
export interface UnfinishedPublisher extends Unfinished {
  derived: PublisherDerived
  ends?: Instant | undefined
  /** Rows that stood before a large answer, loaded by a commit of their own. */
  before?: PublisherRows
  /** Set once it is compared, by a commit of its own where it is large. */
  compared?: Compared
  /** True if the brake has admitted it, and its first rows are written. */
  isBegun?: boolean
  /** Claims that are not written yet. */
  slices?: readonly ClaimSlice[]
  /** Steps in which its projection was prepared. */
  prepared?: number
}
export type BegunPublisher = UnfinishedPublisher & { compared: Compared }

export function beginLarge(derived: PublisherDerived): UnfinishedPublisher {
  return { derived, sources: derived.asked }
}

/**
 * Takes the next step for large answers that wait for their first portion or for their projection. `ready`
 * are answers that the brake checks now, `begun` answers whose rows are already being written.
 */
export async function advanceLargeAnswers(
  db: Database,
  left: ReadonlyMap<Domain, UnfinishedPublisher>,
  stamp: RowStamp & DerivationLimits,
): Promise<{
  stepped: Map<Domain, UnfinishedPublisher>
  ready: Compared[]
  begun: Map<Domain, BegunPublisher>
}> {
  const stepped = new Map<Domain, UnfinishedPublisher>()
  const ready: Compared[] = []
  const begun = new Map<Domain, BegunPublisher>()
  for (const [domain, unfinished] of left) {
    const { before, compared, isBegun, derived } = unfinished
    if (isBegun) {
      const own = unfinished as BegunPublisher
      const { prepared = 0 } = own
      const isPreparing = prepared < PREPARING_STEPS && isWritten(own, stamp)
      if (isPreparing && (await preparedPublishers.prepare(db, domain, stamp.now))) {
        stepped.set(domain, { ...own, prepared: prepared + 1 })
      } else begun.set(domain, own)
    } else if (compared) ready.push(compared)
    else if (before) {
      const answer = { domain, facts: derived.answer as Answered['facts'] }
      const [made] = await compareWith(db, [answer], new Map([[domain, before]]), stamp)
      stepped.set(domain, { ...beginLarge(derived), compared: requireValue(made, 'comparison') })
    } else {
      const rows = (await loadPublishers(db, [domain])).get(domain)
      stepped.set(domain, {
        ...beginLarge(derived),
        before: rows ?? buildEmptyPublisherRows(undefined),
      })
    }
  }
  return { stepped, ready, begun }
}

/** A portion of an answer, and what it changes. */
export type Portioned = Compared &
  ReturnType<typeof selectPortion> &
  ReturnType<typeof diffPublisherRows>

/** Takes on as much of each answer as the commit has room for, the first ones first. */
export function takePortions(
  compared: readonly Compared[],
  begun: ReadonlyMap<Domain, BegunPublisher>,
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
  rest: Pick<UnfinishedPublisher, 'derived' | 'ends' | 'slices'>,
  stamp: DerivationLimits,
): UnfinishedPublisher {
  const compared = { domain, facts, merges, old: rows, fresh, changes: remaining }
  const left = { ...rest, sources: rest.derived.asked, compared, isBegun: true }
  const nextRows = countNextRows(left, stamp)
  return { ...left, ...(nextRows !== undefined && { nextRows }) }
}

/** Counts the rows of the next step of a begun answer; undefined for a whole commit. */
function countNextRows(
  { compared, slices }: BegunPublisher,
  { portionRows = Number.POSITIVE_INFINITY }: DerivationLimits,
): number | undefined {
  const { facts, old, fresh, changes } = compared
  if (slices !== undefined || changes === undefined) return undefined
  const left = countChanges(changes, old, fresh)
  // All that is left may be its projection, of which that of a large one takes steps of its own.
  if (left === 0 && isLarge(facts, { portionRows })) return undefined
  const rows = fresh.properties.length + fresh.authorizations.length + fresh.collections.length
  return Math.max(left === 0 ? rows : left, portionRows * SMALL_SHARE)
}

/** Tells whether all rows of a large publisher are written, so that it is to be projected. */
function isWritten({ compared, slices }: BegunPublisher, stamp: DerivationLimits): boolean {
  const { facts, old, fresh, changes } = compared
  if (!isLarge(facts, stamp) || slices !== undefined || changes === undefined) return false
  return countChanges(changes, old, fresh) === 0
}

/**
 * Share of a commit's rows up to which an answer is small. It is applied at once, whether there is room or
 * not: a portion of it, and a commit for that, would cost more. The batch size limits their number.
 */
const SMALL_SHARE = 0.1

/** Steps that a projection takes to be prepared; what is written in between does not have it wait longer. */
const PREPARING_STEPS = 2
