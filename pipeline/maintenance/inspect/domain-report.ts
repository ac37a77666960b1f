import { findTakenDown } from '../../accounts/taken-down.ts'
import type { Domain } from '../../core/domain.ts'
import type { Outcome } from '../../core/outcomes.ts'
import type { Database } from '../../store/database.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { HeldRow } from '../../writer/crawl/held-publishers.ts'
import type { Reason } from '../../writer/crawl/newcomer.ts'
import { type Attempted, explainWait } from '../../writer/crawl/recrawl-schedule.ts'
import { findNearestDomain } from './nearest-domain.ts'

/** Crawl state of a domain: its files, and the domains that depend on them. Times are ISO 8601. */
export interface DomainReport {
  domain: Domain
  /** The domain itself, or the nearest one above it, that is taken down. */
  taken_down: Domain | null
  /** Why the registry crawls the domain; null where it does not. */
  frontier: { why: Reason; since: string } | null
  /** Crawled domain that was probably meant, where the registry knows nothing about this one. */
  nearest: Domain | null
  /** Files and agents of the domain, and files elsewhere that its answers are read from. */
  files: FileReport[]
  /** Held-back removals. */
  held: Pick<HeldRow, 'reason' | 'grants' | 'properties' | 'since'> | null
  /** Other domains whose answers depend on files of this one, by the rule that reads them. */
  dependants: { rule: string; domains: number; first: Domain[] }[]
}

export interface FileReport {
  kind: string
  location: string
  outcome: Outcome | null
  status: number | null
  attempted_at: string | null
  succeeded_at: string | null
  /** Consecutive answers with the same effect, and the time of the first. */
  streak: number
  streak_since: string | null
  /** Attempts without an answer since the last one. */
  failures: number
  is_requested: boolean
  due_at: string | null
  /** Rule that decided when the file is due; null before the first attempt. */
  due_because: string | null
  /** Time until which its grants are in force; null where the file was never there. */
  ended_at: string | null
  document: {
    variant: string
    bytes: number | null
    faults: number
    changed_at: string
    resolved_url: string | null
  } | null
  /** Why its last observation was set aside, if it was. */
  quarantined: string | null
}

const DEPENDANTS_SHOWN_MAX = 10

/** Files of the domain itself, agents on its host, and files that its answers depend on. */
const WANTED = `
select kind, location from crawl_state where location = $domain
union select kind, location from crawl_state
  where kind = 'agent' and regexp_extract(location, '^https?://([^/:?]+)', 1) = $domain
union select kind, location from depends_on where subject = $domain`

const FILES = `
with wanted as (${WANTED})
select s.kind, s.location, s.outcome, s.status as status, s.attempted_at, s.succeeded_at,
  s.streak as streak, s.streak_since, s.failures as failures,
  s.requested as is_requested, s.due_at, s.ended_at,
  s.effect, s.priority,
  d.variant, d.bytes as bytes, d.fault_count as faults, d.changed_at, d.resolved_url,
  (select q.reason from quarantine q
    where q.kind = s.kind and q.location = s.location order by q.observed_at desc limit 1) as quarantined
from crawl_state s left join documents d using (kind, location)
where (s.kind, s.location) in (select kind, location from wanted)
order by s.location != $domain, s.kind, s.location`

type FileRow = Omit<FileReport, 'document' | 'due_because'> &
  Partial<NonNullable<FileReport['document']>> &
  Pick<Attempted, 'kind' | 'effect' | 'priority'>

const DEPENDANTS = `
select rule, count(distinct subject) as domains,
  json_group_array(distinct subject order by subject) as "first [json]"
from depends_on d
where subject != $domain and (location = $domain
  or regexp_extract(location, '^https?://([^/:?]+)', 1) = $domain)
group by rule order by rule`

/** Reports how the files of a domain were crawled, when they are next, and who depends on them. */
export async function reportDomain(
  { index, accounts }: { index: Database; accounts: Sqlite },
  domain: Domain,
): Promise<DomainReport> {
  const parameters = { domain }
  const [frontier, files, held, dependants] = await Promise.all([
    index.one<NonNullable<DomainReport['frontier']>>(
      'select why, since from frontier where domain = $domain order by since limit 1',
      parameters,
    ),
    index.all<FileRow>(FILES, parameters),
    index.one<NonNullable<DomainReport['held']>>(
      'select reason, grants, properties, since from held where subject = $domain',
      parameters,
    ),
    index.all<DomainReport['dependants'][number]>(DEPENDANTS, parameters),
  ])
  const takenDown = findTakenDown(accounts, domain)
  const isKnown = frontier !== undefined || takenDown !== undefined || files.length > 0
  return {
    domain,
    taken_down: takenDown ?? null,
    frontier: frontier ?? null,
    nearest: isKnown ? null : ((await findNearestDomain(index, domain)) ?? null),
    files: files.map(toFileReport),
    held: held ?? null,
    dependants: dependants.map(row => ({
      ...row,
      first: row.first.slice(0, DEPENDANTS_SHOWN_MAX),
    })),
  }
}

function toFileReport({
  variant,
  bytes,
  faults,
  changed_at,
  resolved_url,
  effect,
  priority,
  quarantined,
  ...file
}: FileRow): FileReport {
  const hasDocument = typeof variant === 'string' && typeof changed_at === 'string'
  const document = hasDocument
    ? {
        variant,
        bytes: bytes ?? null,
        faults: faults ?? 0,
        changed_at,
        resolved_url: resolved_url ?? null,
      }
    : null
  // Every file gets such a time at its first attempt; only one that was read has anything in force.
  const ended_at = file.succeeded_at === null ? null : file.ended_at
  const due_because = explainDue({ ...file, effect, priority })
  return { ...file, ended_at, due_because, quarantined, document }
}

function explainDue(
  file: Pick<FileRow, 'attempted_at' | 'succeeded_at' | 'due_at'> &
    Omit<Attempted, 'attempted_at' | 'succeeded_at'>,
): string | null {
  if (file.attempted_at === null || file.due_at === null) return null
  return explainWait({
    ...file,
    effect: file.failures > 0 ? 'unreachable' : file.effect,
    attempted_at: Date.parse(file.attempted_at),
    succeeded_at: file.succeeded_at === null ? null : Date.parse(file.succeeded_at),
  })
}
