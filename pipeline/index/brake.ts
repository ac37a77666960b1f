import { DAY, type Instant, isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import {
  type Answer,
  firstEnd,
  type Losses,
  suspiciousLosses,
  withoutLosses,
} from '../diff/losses.ts'
import { type BrakeLimits, isMass, reachesFloors, USUAL_NIGHTS } from '../resolve/brake.ts'
import { type Database, listOf } from './duckdb.ts'
import { letGo } from './held.ts'

/** What the brake must know of a commit. */
export interface Braking {
  now: Instant
  seq: number
  /** When the night of this commit began: the last time of CRAWL_SCHEDULE. */
  night: Instant
  brake: BrakeLimits
  /** Whoever was released: what their answers take is taken, and no sign of anything. */
  released?: ReadonlySet<Domain>
}

/** What was held back. Rows are counted as they would have been taken. */
export interface HeldBack extends Losses {
  publishers: number
}

/** A publisher derived again: the rows that stand, and those that its answer makes. */
export interface Answered extends Answer {
  domain: Domain
}

export interface Braked<One extends Answered> {
  /** The same, but that those who are held lose nothing. */
  answers: One[]
  held: HeldBack
  /** When grants that are held are over by their own words: then the answer is needed again. */
  ends: Map<Domain, Instant>
}

interface Suspicious extends Losses {
  domain: Domain
  reason: string
}

/** Nights that are kept to be looked at; what is usual is told from fewer. */
const NIGHTS_KEPT_MS = 30 * DAY

/**
 * Lets answers through, but for those that take so much together that something else must be wrong: a
 * captive portal, a broken mirror. Whoever is held keeps the rows that stood, and takes on what its
 * answer says otherwise, until the answer takes nothing any more, or somebody releases or drops it.
 */
export async function brake<One extends Answered>(
  db: Database,
  answers: readonly One[],
  braking: Braking,
): Promise<Braked<One>> {
  await beginNight(db, braking)
  const suspicious = answers.flatMap((one): Suspicious[] => {
    const { domain } = one
    if (braking.released?.has(domain)) return []
    const losses = suspiciousLosses(one, braking.now)
    return losses ? [{ domain, ...losses }] : []
  })
  const known = await heldAmong(db, answers)
  const fresh = suspicious.filter(({ domain }) => !known.has(domain))
  const isTooMuch = fresh.length > 0 && (await wouldBeMass(db, fresh, braking))
  const held = suspicious.filter(({ domain }) => isTooMuch || known.has(domain))
  await recordNight(db, fresh, isTooMuch, braking)
  await recordHeld(db, held, known, braking)
  const names = new Set(held.map(({ domain }) => domain))
  const ends = answers.flatMap((one): [Domain, Instant][] => {
    const end = names.has(one.domain) ? firstEnd(one, braking.now) : undefined
    return end === undefined ? [] : [[one.domain, end]]
  })
  return {
    ends: new Map(ends),
    answers: answers.map(one =>
      names.has(one.domain) ? { ...one, fresh: withoutLosses(one, braking.now) } : one,
    ),
    held: summed(isTooMuch ? fresh : []),
  }
}

function summed(suspicious: readonly Suspicious[]): HeldBack {
  const sum = (count: (one: Suspicious) => number) =>
    suspicious.reduce((total, one) => total + count(one), 0)
  return {
    publishers: suspicious.length,
    grants: sum(one => one.grants),
    properties: sum(one => one.properties),
  }
}

/** A night is remembered also when it takes nothing: that is what is usual then. */
async function beginNight(db: Database, { night: begun }: Braking): Promise<void> {
  const night = isoOf(begun)
  const known = await db.written.recall('night', night, ['nights'], () =>
    db.one('select 1 from nights where night = $night::timestamptz', { night }),
  )
  if (known !== undefined) return
  await db.insert('nights', [{ night, publishers: 0, losses: 0, taken: 0 }])
}

async function wouldBeMass(
  db: Database,
  fresh: readonly Suspicious[],
  { night, brake: limits }: Braking,
): Promise<boolean> {
  const now = summed(fresh)
  const so = await db.one<{ publishers: number; losses: number; taken: number }>(
    'select publishers, losses, taken from nights where night = $night::timestamptz',
    { night: isoOf(night) },
  )
  const total = {
    rows: so!.losses + now.grants + now.properties,
    publishers: so!.publishers + now.publishers,
  }
  if (!reachesFloors(total, limits)) return false
  const standing = await db.one<{ n: number }>(
    `select (select count(*) from authorizations where in_force)
       + (select count(*) from properties where status = 'active') as n`,
  )
  const before = await db.all<{ taken: number }>(
    `select taken from (select night, taken from nights where night < $night::timestamptz
       order by night desc limit ${USUAL_NIGHTS.most}) order by night`,
    { night: isoOf(night) },
  )
  const known = { standing: standing!.n + so!.taken, before: before.map(({ taken }) => taken) }
  return isMass(total, known, limits)
}

async function recordNight(
  db: Database,
  fresh: readonly Suspicious[],
  isHeld: boolean,
  { night }: Braking,
): Promise<void> {
  if (fresh.length === 0) return
  const { publishers, grants, properties } = summed(fresh)
  const losses = grants + properties
  await db.run(
    `update nights set publishers = publishers + $publishers, losses = losses + $losses,
       taken = taken + $taken where night = $night::timestamptz`,
    { publishers, losses, taken: isHeld ? 0 : losses, night: isoOf(night) },
  )
  await db.run('delete from nights where night < $first::timestamptz', {
    first: isoOf(night - NIGHTS_KEPT_MS),
  })
}

/** Since when those are held that were before. */
async function heldAmong(db: Database, answers: readonly Answered[]): Promise<Map<Domain, string>> {
  if (answers.length === 0 || !(await db.one('select 1 from held limit 1'))) return new Map()
  const rows = await db.all<{ subject: Domain; since: string }>(
    `select subject, since from held
     where rule = 'publisher' and subject in (select unnest(${listOf('$domains')}))`,
    { domains: JSON.stringify(answers.map(({ domain }) => domain)) },
  )
  return new Map(rows.map(({ subject, since }) => [subject, since]))
}

/** Writes who is held now, in the place of all that were held among the answers. */
async function recordHeld(
  db: Database,
  held: readonly Suspicious[],
  known: ReadonlyMap<Domain, string>,
  { now, seq }: Braking,
): Promise<void> {
  await letGo(db, [...known.keys()])
  await db.insert(
    'held',
    held.map(({ domain, reason, grants, properties }) => ({
      ...{ rule: 'publisher', subject: domain, reason, grants, properties },
      ...{ since: known.get(domain) ?? isoOf(now), seq },
    })),
  )
}
