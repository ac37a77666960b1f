import { type Instant, toIso } from '../../core/clock.ts'
import { getOrThrow } from '../../core/present.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import type { Source } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import { inList } from '../../store/in-list.ts'
import { nothingTakenDown, type TakenDown } from '../takedown/takedown-list.ts'
import { type Newcomer, type Reason, reasons } from './newcomer.ts'

const CRAWLED_KINDS: readonly SourceKind[] = ['adagents.json', 'brand.json']

interface Known {
  kind: SourceKind
  location: string
  priority: number
}

interface AddContext {
  now: Instant
  seq: number
  /** Domains to leave out. */
  takenDown?: TakenDown
}

/**
 * Adds domains: both of their files become due at once. A domain that is known already only moves forward in
 * the queue when the new reason is better, and one that was only looked up has the new reason from now on. Beyond
 * `max` domains, mentions are dropped. There are usually few domains, so their rows are compared in memory instead of
 * in a join. Returns those that are new.
 */
export async function addDomains(
  db: Database,
  all: readonly Newcomer[],
  { now, seq, max, takenDown = nothingTakenDown }: AddContext & { max: number },
): Promise<string[]> {
  const newcomers = all.filter(({ domain }) => !takenDown.covers(domain))
  if (newcomers.length === 0) return []
  const best = chooseReasons(newcomers)
  const named = inList('domain', [...best.keys()])
  const known = await db.all<{ domain: string; why: string }>(
    `select domain, why from frontier where ${named.condition}`,
    named.keys,
  )
  const located = inList('location', [...best.keys()])
  const files = await db.all<Known>(
    `select kind, location, priority from crawl_state where ${located.condition}`,
    located.keys,
  )
  const admitted = new Set(known.map(({ domain }) => domain))
  const fresh = await admitDomains(db, best, admitted, max)
  for (const domain of fresh) admitted.add(domain)
  const since = toIso(now)
  await db.insert(
    'frontier',
    fresh.map(domain => ({ domain, why: best.get(domain), since })),
  )
  const there = new Set(files.map(({ kind, location }) => `${kind} ${location}`))
  const waiting = { streak: 0, failures: 0, due_at: since, requested: false, seq }
  const missing = [...admitted].sort().flatMap(location => {
    const priority = reasons[getOrThrow(best, location)]
    const kinds = CRAWLED_KINDS.filter(kind => !there.has(`${kind} ${location}`))
    return kinds.map(kind => ({ kind, location, priority, ...waiting }))
  })
  await db.insert('crawl_state', missing)
  await moveForward(db, files, best)
  const lookedUp = known.filter(({ why }) => why === 'demanded').map(({ domain }) => domain)
  await replaceReasons(db, lookedUp, best)
  return fresh
}

/** Adds files that derivations requested, so that they are fetched next. */
export async function addHops(
  db: Database,
  all: readonly Source[],
  { now, seq, takenDown = nothingTakenDown }: AddContext,
): Promise<void> {
  const sources = all.filter(({ location }) => !takenDown.covers(location))
  if (sources.length === 0) return
  await db.stage(
    'hops',
    'kind text, location text',
    sources.map(({ kind, location }) => [kind, location]),
  )
  await db.write(
    'insert into',
    'crawl_state',
    `(kind, location, priority, streak, due_at, requested, seq)
     select distinct kind, location, 1, 0, ms($now), false, $seq from hops h
     where not exists (select 1 from crawl_state s where s.location = h.location and s.kind = h.kind)`,
    { now: toIso(now), seq },
  )
  await db.write(
    'update',
    'crawl_state',
    `as s set priority = 1 from hops h
     where s.kind = h.kind and s.location = h.location and s.priority > 1
       and s.attempted_at is null`,
  )
}

/** Makes the files of domains due now. */
export async function makeDue(
  db: Database,
  domains: readonly string[],
  now: Instant,
): Promise<void> {
  await db.write(
    'update',
    'crawl_state',
    `set due_at = ms($now), priority = priority
     where location in (select value from json_each($domains))`,
    { now: toIso(now), domains: JSON.stringify(domains) },
  )
}

/** Picks the best reason of each domain that is named more than once. */
function chooseReasons(newcomers: readonly Newcomer[]): Map<string, Reason> {
  const best = new Map<string, Reason>()
  for (const { domain, why } of newcomers) {
    const other = best.get(domain)
    if (other === undefined || reasons[why] < reasons[other]) best.set(domain, why)
  }
  return best
}

/** Gives domains that were only looked up the reason for which they are added now. */
async function replaceReasons(
  db: Database,
  lookedUp: readonly string[],
  best: ReadonlyMap<string, Reason>,
): Promise<void> {
  const wanted = Map.groupBy(lookedUp, domain => getOrThrow(best, domain))
  wanted.delete('demanded')
  for (const [why, domains] of wanted) {
    const { condition, keys } = inList('domain', domains)
    await db.write('update', 'frontier', `set why = $why where ${condition}`, { ...keys, why })
  }
}

/** Admits new domains by priority, as many as there is room for. */
async function admitDomains(
  db: Database,
  best: ReadonlyMap<string, Reason>,
  known: ReadonlySet<string>,
  max: number,
): Promise<string[]> {
  const fresh = [...best.keys()].filter(domain => !known.has(domain)).sort()
  if (fresh.length === 0) return []
  const sorted = fresh.sort((a, b) => reasons[getOrThrow(best, a)] - reasons[getOrThrow(best, b)])
  // No row has a larger number than there were ever rows; counting them reads them all.
  const { n: most } = await db.oneOrThrow<{ n: number }>(
    'select coalesce(max(rowid), 0) as n from frontier',
  )
  if (most + sorted.length <= max) return sorted
  const { n } = await db.oneOrThrow<{ n: number }>('select count(*) as n from frontier')
  return sorted.slice(0, Math.max(0, max - n))
}

async function moveForward(
  db: Database,
  files: readonly Known[],
  best: ReadonlyMap<string, Reason>,
): Promise<void> {
  const getTurn = (location: string) => reasons[getOrThrow(best, location)]
  const behind = files.filter(({ location, priority }) => getTurn(location) < priority)
  for (const turn of new Set(behind.map(({ location }) => getTurn(location)))) {
    const locations = behind
      .filter(known => getTurn(known.location) === turn)
      .map(known => known.location)
    await db.write(
      'update',
      'crawl_state',
      `set priority = $turn
       where priority > $turn and location in (select value from json_each($locations))`,
      { turn, locations: JSON.stringify(locations) },
    )
  }
}
