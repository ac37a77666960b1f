import { type Instant, toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { SourceKind } from '../model/documents/index.ts'
import type { Invalidated } from '../model/invalidated.ts'
import { isUrl } from '../model/observation.ts'
import type { Database } from '../store/database.ts'
import type { Derived } from './derivation-runner.ts'

/** The rules, each answering for domains. */
export type Rule = 'brand' | 'publisher'
export type Subjects = Record<Rule, Domain[]>

/** Rule that reads a source at a well-known place. */
const rulesByKind: Record<SourceKind, Rule | undefined> = {
  'brand.json': 'brand',
  'adagents.json': 'publisher',
  'ads.txt': 'publisher',
  agent: undefined,
}

/**
 * Finds whose answers must be derived again: the domains of invalidated files, their dependents, and
 * those that time has changed by `now`.
 */
export async function findSubjects(
  db: Database,
  invalidated: readonly Invalidated[],
  now: Instant | undefined,
): Promise<Subjects> {
  const subjects: Record<Rule, Set<Domain>> = { brand: new Set(), publisher: new Set() }
  for (const { kind, location, is_own } of invalidated) {
    const rule = rulesByKind[kind]
    if (is_own && rule && !isUrl(location)) subjects[rule].add(location as Domain)
  }
  const others = [
    ...(invalidated.length > 0 ? await findDependents(db, invalidated) : []),
    ...(now === undefined ? [] : await listWoken(db, now)),
  ]
  for (const { rule, subject } of others.sort(compareSources)) subjects[rule].add(subject)
  return { brand: [...subjects.brand], publisher: [...subjects.publisher] }
}

interface Dependent {
  rule: Rule
  subject: Domain
}

/** Compares sources by domain, which is ASCII. */
function compareSources(a: Dependent, b: Dependent): number {
  return a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0
}

async function findDependents(
  db: Database,
  invalidated: readonly Invalidated[],
): Promise<Dependent[]> {
  await db.stage(
    'invalidated',
    'kind text, location text',
    invalidated.map(({ kind, location }) => [kind, location]),
  )
  return db.all(
    `select distinct d.rule, d.subject from invalidated i
     cross join depends_on d on d.location = i.location and d.kind = i.kind`,
  )
}

function listWoken(db: Database, now: Instant): Promise<Dependent[]> {
  // The signs keep SQLite from reading all wakes by the index of their subjects.
  return db.all(
    'select distinct +rule as rule, +subject as subject from wakes where wakes_at <= ms($now)',
    { now: toIso(now) },
  )
}

/** Tells whether time alone has changed the state of a file, or an answer. */
export async function hasTimeChanged(db: Database, now: Instant): Promise<boolean> {
  const row = await db.one(
    `select 1 where exists (select 1 from crawl_state where turns_at <= ms($now))
       or exists (select 1 from wakes where wakes_at <= ms($now))`,
    { now: toIso(now) },
  )
  return row !== undefined
}

/** Records the files from which answers were derived, and the times at which they change by themselves. */
export async function recordDependencies(
  db: Database,
  rule: Rule,
  derived: readonly Derived<string, unknown>[],
): Promise<void> {
  if (derived.length === 0) return
  await db.stage(
    'derived',
    'subject text',
    derived.map(({ subject }) => [subject]),
  )
  for (const table of ['depends_on', 'wakes']) {
    await db.write(
      'delete from',
      table,
      'where rule = $rule and subject in (select subject from derived)',
      { rule },
    )
  }
  await db.append('depends_on', toDependencyRows(rule, derived))
  await db.insert(
    'wakes',
    derived.flatMap(({ subject, wakesAt }) =>
      wakesAt === undefined ? [] : [{ rule, subject, wakes_at: toIso(wakesAt) }],
    ),
  )
}

/** Schedules subjects so that the next commit derives their answers and records their dependencies. */
export async function wakeNow(
  db: Database,
  rule: Rule,
  subjects: readonly string[],
  now: Instant,
): Promise<void> {
  if (subjects.length === 0) return
  await db.write(
    'delete from',
    'wakes',
    `where rule = $rule and subject in (select value from json_each($subjects))`,
    { rule, subjects: JSON.stringify(subjects) },
  )
  await db.insert(
    'wakes',
    subjects.map(subject => ({ rule, subject, wakes_at: toIso(now) })),
  )
}

/** Converts dependencies to rows; a subject's own file needs none. */
function* toDependencyRows(rule: Rule, derived: readonly Derived<string, unknown>[]) {
  for (const { subject, asked } of derived) {
    const others = new Map(
      asked.map(({ kind, location }) => [`${kind} ${location}`, [kind, location]]),
    )
    for (const [kind, location] of others.values()) {
      if (location !== subject || rulesByKind[kind as SourceKind] !== rule) {
        yield [rule, subject, kind, location]
      }
    }
  }
}
