import type { Instant } from '../../core/clock.ts'
import { getLast, getOrThrow } from '../../core/present.ts'
import type { Database } from '../../store/database.ts'
import { publisherRows } from '../../store/entries.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { Scope } from './change-scope.ts'
import { buildSubjectCondition, type RowProjection } from './projection.ts'
import { rowProjections } from './row-projections.ts'

type KeyPart = 'keyed' | 'brands' | 'publishers' | 'policies'
/** Parts of a scope that can be narrowed to some of their subjects. */
export type ScopePart = KeyPart | 'revisions' | RowProjection

/** The parts, in this order: removed keys come before everything that is put. */
export const scopeParts: readonly ScopePart[] = [
  'keyed',
  'brands',
  'publishers',
  'policies',
  ...rowProjections,
  'revisions',
] as const

interface Stores {
  index: Database
  accounts: Sqlite
}

/** Names a part: by itself, or by its table. */
export function namePart(part: ScopePart): string {
  if (typeof part === 'string') return part
  const [table = ''] = part.tables
  return table.replace(/ .*/, '')
}

export function hasPart(scope: Scope, part: ScopePart): boolean {
  return typeof part === 'string' ? scope[part] !== '' : scope.rows.has(part)
}

const toList = (parameter: string) => `select value from json_each(${parameter})`
const SUBJECTS = toList('$subjects')

/** Builds a scope that selects nothing. */
function buildEmptyScope({ parameters, changedAt }: Scope): Scope {
  const keys = { brands: '', publishers: '', hosts: '', policies: '', keyed: '', gone: '' }
  const rows = { events: '', revisions: '', rows: new Map() }
  return { ...keys, ...rows, parameters, changedAt }
}

/** Builds a scope with a single part of another one; its events and its removed keys count as parts too. */
export function selectPart(scope: Scope, part: ScopePart | 'events' | 'gone'): Scope {
  const empty = buildEmptyScope(scope)
  if (typeof part !== 'string')
    return { ...empty, rows: new Map([[part, getOrThrow(scope.rows, part)]]) }
  return { ...empty, [part]: scope[part] }
}

/** Narrows a scope to some subjects of one of its parts. */
export function narrowScope(scope: Scope, part: ScopePart, subjects: readonly string[]): Scope {
  const list = `(select value as key from json_each($subjects))`
  const parameters = { ...scope.parameters, subjects: JSON.stringify(subjects) }
  const empty = { ...buildEmptyScope(scope), parameters }
  const none = { brands: [], publishers: [], hosts: [] }
  if (typeof part !== 'string') {
    const where = `(${getOrThrow(scope.rows, part)}) and ${buildSubjectCondition(part, '$subjects')}`
    return { ...empty, rows: new Map([[part, where]]) }
  }
  switch (part) {
    case 'brands':
      return { ...empty, brands: list, known: { ...none, brands: subjects } }
    case 'publishers': {
      const touched = new Set(scope.known?.hosts ?? (scope.hosts === '' ? [] : subjects))
      const hosts = subjects.filter(domain => touched.has(domain))
      const known = { ...none, publishers: subjects, hosts }
      return { ...empty, publishers: list, hosts: hosts.length > 0 ? list : '', known }
    }
    case 'policies':
      return { ...empty, policies: list }
    case 'keyed':
      return { ...empty, keyed: `select * from (${scope.keyed}) where ${KEYED} in (${SUBJECTS})` }
    case 'revisions':
      return { ...empty, revisions: `(${scope.revisions}) and domain in (${SUBJECTS})` }
  }
}

/** Builds a scope that selects subjects of several parts. */
export function buildScopeOfSubjects(
  subjects: readonly { part: string; subject: string }[],
  changedAt: Instant,
): Scope {
  const listSubjects = (part: ScopePart) =>
    subjects.filter(subject => subject.part === namePart(part)).map(subject => subject.subject)
  const parameters = Object.fromEntries(
    scopeParts.map(part => [namePart(part), JSON.stringify(listSubjects(part))]),
  )
  const ifAny = (part: ScopePart, sql: (list: string) => string) =>
    listSubjects(part).length > 0 ? sql(toList(`$${namePart(part)}`)) : ''
  const keys = (list: string) => `(select value as key from (${list}))`
  const rows = rowProjections.flatMap((part): [RowProjection, string][] => {
    const where = ifAny(part, () => buildSubjectCondition(part, `$${namePart(part)}`))
    return where === '' ? [] : [[part, where]]
  })
  const [brands, publishers] = [listSubjects('brands'), listSubjects('publishers')]
  return {
    brands: ifAny('brands', keys),
    publishers: ifAny('publishers', keys),
    hosts: ifAny('publishers', keys),
    known: { brands, publishers, hosts: publishers },
    policies: ifAny('policies', keys),
    keyed: ifAny(
      'keyed',
      list => `select split_part(subject, ' ', 1) as space,
      substr(subject, instr(subject, ' ') + 1) as key from (select value as subject from (${list}))`,
    ),
    gone: '',
    events: '',
    revisions: ifAny('revisions', list => `domain in (${list})`),
    rows: new Map(rows),
    parameters,
    changedAt,
  }
}

/** A space and a key, as one name. */
const KEYED = `space || ' ' || key`

/** Lists the subjects that a part of a scope selects. */
export async function listSubjects(
  { index, accounts }: Stores,
  scope: Scope,
  part: ScopePart,
): Promise<readonly string[]> {
  if (!hasPart(scope, part)) return []
  const known = part === 'brands' || part === 'publishers' ? scope.known?.[part] : undefined
  if (known) return known
  const store = typeof part !== 'string' && part.store === 'accounts' ? accounts : index
  const query = `select distinct ${selectSubjects(scope, part)}`
  const rows = await store.all<{ key: string }>(query, scope.parameters)
  return rows.map(({ key }) => key)
}

function selectSubjects(scope: Scope, part: ScopePart): string {
  if (typeof part !== 'string') {
    return `cast(${part.slicedBy} as text) as key from ${part.from} where ${getOrThrow(scope.rows, part)}`
  }
  if (part === 'revisions') return `domain as key from revisions where ${scope.revisions}`
  return part === 'keyed'
    ? `${KEYED} as key from (${scope.keyed})`
    : `key from (select * from ${scope[part]})`
}

/** Rows of publishers that are in memory at a time; all rows of one publisher are always in the same slice. */
const SLICE_ROWS = 20_000
/** Ids in a set of properties that take as much memory as a row. */
const RIDS_PER_ROW = 20
/** Subjects of other parts in one slice. */
const SLICE_SUBJECTS = 5_000

/**
 * Tells whether all publishers of a scope fit into one slice. Most domains of a scope only have a brand, and
 * the projection has to read the publisher rows anyway, so these are counted first.
 */
export async function isSingleSlice(index: Database, scope: Scope): Promise<boolean> {
  const { known } = scope
  if (scope.publishers === '') return true
  if (known && (await publisherRows.read(index, known.publishers)).size < 2) return true
  const weights = await weighPublishers(index, scope)
  return [...weights.values()].reduce((sum, rows) => sum + rows, 0) <= SLICE_ROWS
}

/**
 * Cuts the subjects of a part into slices that fit into memory; a publisher that is too large for one gets a
 * slice alone.
 */
export async function cutPart(
  stores: Stores,
  scope: Scope,
  part: ScopePart,
): Promise<readonly (readonly string[])[]> {
  const subjects = await listSubjects(stores, scope, part)
  if (part !== 'publishers') return cut(subjects, () => SLICE_ROWS / SLICE_SUBJECTS)
  const weights = await weighPublishers(stores.index, scope)
  return cut(subjects, domain => weights.get(domain) ?? 1)
}

function cut(subjects: readonly string[], weigh: (subject: string) => number): string[][] {
  const slices: string[][] = []
  let left = 0
  for (const subject of subjects) {
    const weight = weigh(subject)
    if (slices.length === 0 || weight > left) {
      slices.push([])
      left = SLICE_ROWS
    }
    getLast(slices).push(subject)
    left -= weight
  }
  return slices
}

/** Counts what is read of each publisher of a scope. */
async function weighPublishers(
  index: Database,
  { publishers, parameters }: Scope,
): Promise<Map<string, number>> {
  const theirs = `where publisher_domain in ${publishers} group by publisher_domain`
  const rows = await index.all<{ domain: string; weight: number }>(
    `select domain, sum(weight) as weight from (
       select publisher_domain as domain, count(*) as weight from properties ${theirs}
       union all select publisher_domain, count(*) from authorizations ${theirs}
       union all select publisher_domain, sum(json_array_length(property_rids)) / ${RIDS_PER_ROW}.0
         from property_sets ${theirs}) group by domain`,
    parameters,
  )
  return new Map(rows.map(({ domain, weight }) => [domain, weight]))
}
