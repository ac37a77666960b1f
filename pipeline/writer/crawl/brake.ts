import { DAY, type Instant, toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import {
  type Answer,
  findFirstEnd,
  findSuspiciousLosses,
  type Losses,
  restoreLosses,
} from '../../diff/losses.ts'
import {
  BASELINE_NIGHTS,
  type BrakeLimits,
  isMassLoss,
  reachesFloors,
} from '../../resolve/brake.ts'
import type { Database } from '../../store/database.ts'
import { countLeftOfPublishers, isOfPublisher, type Turned } from './crawl-state.ts'
import { releaseHeld } from './held-publishers.ts'

/** Facts about a commit that the brake needs. */
export interface BrakeContext {
  now: Instant
  seq: number
  /** Start of this commit's night: the last time of CRAWL_SCHEDULE. */
  night: Instant
  brake: BrakeLimits
  /** Publishers that an operator released: their losses are applied and not counted. */
  released?: ReadonlySet<Domain>
  /** Files whose state time has changed: publishers whose files are left are expected to lose as much as these. */
  turned?: Turned
}

/** Losses that were held back, in rows. */
export interface HeldBack extends Losses {
  publishers: number
}

/** A publisher with a new answer: its current rows, and those of the answer. */
export interface Answered extends Answer {
  domain: Domain
}

export interface BrakeResult<Subject extends Answered> {
  /** Answers, with the losses of held publishers restored. */
  answers: Subject[]
  held: HeldBack
  /** Times at which a held grant ends by its own window, so that the answer must be derived again. */
  ends: Map<Domain, Instant>
}

interface Suspicious extends Losses {
  domain: Domain
  reason: string
}

/** Time for which the totals of nights are stored. */
const NIGHTS_RETENTION_MS = 30 * DAY

/**
 * Holds losses back if a night loses so many rows that a common cause is likely, such as a captive portal or a
 * broken mirror. A held publisher keeps the rows it would lose, and gets all other changes of its answer, until
 * the answer loses nothing anymore, or an operator releases or drops it.
 */
export async function applyBrake<Subject extends Answered>(
  db: Database,
  answers: readonly Subject[],
  context: BrakeContext,
): Promise<BrakeResult<Subject>> {
  await beginNight(db, context)
  const suspicious = answers.flatMap((answer): Suspicious[] => {
    const { domain } = answer
    if (context.released?.has(domain)) return []
    const losses = findSuspiciousLosses(answer, context.now)
    return losses ? [{ domain, ...losses }] : []
  })
  const known = await loadHeld(db, answers)
  const fresh = suspicious.filter(({ domain }) => !known.has(domain))
  const isHeldBack = fresh.length > 0 && (await checkMassLoss(db, fresh, context))
  const held = suspicious.filter(({ domain }) => isHeldBack || known.has(domain))
  await recordNight(db, fresh, isHeldBack, context)
  await recordHeld(db, held, known, context)
  const names = new Set(held.map(({ domain }) => domain))
  const ends = answers.flatMap((answer): [Domain, Instant][] => {
    const end = names.has(answer.domain) ? findFirstEnd(answer, context.now) : undefined
    return end === undefined ? [] : [[answer.domain, end]]
  })
  return {
    ends: new Map(ends),
    answers: answers.map(answer =>
      names.has(answer.domain) ? { ...answer, fresh: restoreLosses(answer, context.now) } : answer,
    ),
    held: sumLosses(isHeldBack ? fresh : []),
  }
}

function sumLosses(suspicious: readonly Suspicious[]): HeldBack {
  const sum = (count: (losses: Suspicious) => number) =>
    suspicious.reduce((total, answer) => total + count(answer), 0)
  return {
    publishers: suspicious.length,
    grants: sum(losses => losses.grants),
    properties: sum(losses => losses.properties),
  }
}

/** Records the beginning of a night. Nights without losses count too when the average is computed. */
export async function beginNight(
  db: Database,
  { night: begun }: Pick<BrakeContext, 'night'>,
): Promise<void> {
  const night = toIso(begun)
  const known = await db.one('select 1 from nights where night = ms($night)', { night })
  if (known !== undefined) return
  await db.insert('nights', [{ night, publishers: 0, losses: 0, taken: 0 }])
}

async function checkMassLoss(
  db: Database,
  fresh: readonly Suspicious[],
  context: BrakeContext,
): Promise<boolean> {
  const { night, brake: limits } = context
  const now = sumLosses(fresh)
  const later = await expectLosses(db, fresh, context)
  const tonight = await db.oneOrThrow<{ publishers: number; losses: number; taken: number }>(
    'select publishers, losses, taken from nights where night = ms($night)',
    { night: toIso(night) },
  )
  const total = {
    rows: tonight.losses + now.grants + now.properties + later.grants + later.properties,
    publishers: tonight.publishers + now.publishers + later.publishers,
  }
  if (!reachesFloors(total, limits)) return false
  const active = await db.oneOrThrow<{ n: number }>(
    `select (select count(*) from authorizations where in_force)
       + (select count(*) from properties where status = 'active') as n`,
  )
  const before = await db.all<{ taken: number }>(
    `select taken from (select night, taken from nights where night < ms($night)
       order by night desc limit ${BASELINE_NIGHTS.max}) order by night`,
    { night: toIso(night) },
  )
  const known = { active: active.n + tonight.taken, before: before.map(({ taken }) => taken) }
  return isMassLoss(total, known, limits)
}

/** Computes what the turned files that are left would lose, if they lose as much each as those of this commit. */
async function expectLosses(
  db: Database,
  fresh: readonly Suspicious[],
  { now, turned }: BrakeContext,
): Promise<HeldBack> {
  const files = turned?.left ? turned.files.filter(isOfPublisher) : []
  const domains = new Set<string>(files.map(({ location }) => location))
  const lost = sumLosses(fresh.filter(({ domain }) => domains.has(domain)))
  if (lost.publishers === 0) return lost
  const times = (await countLeftOfPublishers(db, now)) / files.length
  return {
    publishers: lost.publishers * times,
    grants: lost.grants * times,
    properties: lost.properties * times,
  }
}

async function recordNight(
  db: Database,
  fresh: readonly Suspicious[],
  isHeld: boolean,
  { night }: BrakeContext,
): Promise<void> {
  if (fresh.length === 0) return
  const { publishers, grants, properties } = sumLosses(fresh)
  const losses = grants + properties
  await db.write(
    'update',
    'nights',
    `set publishers = publishers + $publishers, losses = losses + $losses,
       taken = taken + $taken where night = ms($night)`,
    { publishers, losses, taken: isHeld ? 0 : losses, night: toIso(night) },
  )
  await db.write('delete from', 'nights', 'where night < ms($first)', {
    first: toIso(night - NIGHTS_RETENTION_MS),
  })
}

/** Loads which of these publishers are held already, and since when. */
async function loadHeld(db: Database, answers: readonly Answered[]): Promise<Map<Domain, string>> {
  if (answers.length === 0 || !(await db.one('select 1 from held limit 1'))) return new Map()
  const rows = await db.all<{ subject: Domain; since: string }>(
    `select subject, since from held
     where rule = 'publisher' and subject in (select value from json_each($domains))`,
    { domains: JSON.stringify(answers.map(({ domain }) => domain)) },
  )
  return new Map(rows.map(({ subject, since }) => [subject, since]))
}

/** Records the publishers that are held now, in place of all that were held among the answers. */
async function recordHeld(
  db: Database,
  held: readonly Suspicious[],
  known: ReadonlyMap<Domain, string>,
  { now, seq }: BrakeContext,
): Promise<void> {
  await releaseHeld(db, [...known.keys()])
  await db.insert(
    'held',
    held.map(({ domain, reason, grants, properties }) => ({
      rule: 'publisher',
      subject: domain,
      reason,
      grants,
      properties,
      since: known.get(domain) ?? toIso(now),
      seq,
    })),
  )
}
