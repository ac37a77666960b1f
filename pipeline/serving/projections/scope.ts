import type { Instant } from '../../core/clock.ts'
import { getOrThrow } from '../../core/present.ts'
import type { Database, Parameters } from '../../store/database.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { buildSubjectCondition, type RowProjection } from './projection.ts'
import { rowProjections } from './row-projections.ts'

/** A key of a space, or of a name under which keys are passed on. */
export interface ScopedKey {
  space: string
  key: string
}

/** Keys, and conditions on rows, that a projection selects; an empty part is not queried. */
export interface Scope {
  /** Domains whose brand is projected, and those whose inventory is: it shows the brand of its domain. */
  brands: readonly string[]
  publishers: readonly string[]
  /** Domains among `publishers` of which more than the brand has changed. */
  hosts: readonly string[]
  /** Ids of policies. */
  policies: readonly string[]
  /**
   * Agents, claimed domains and brand.json files that are projected, and keys of the spaces `reach`,
   * `identifier` and `freshness` that went away.
   */
  keyed: readonly ScopedKey[]
  /** Removed keys of other spaces. */
  gone: readonly ScopedKey[]
  /** Condition on rows of `events`, and one on rows of `revisions`. */
  events: string
  revisions: string
  /** Conditions on the rows of the other projections; one that is left out selects nothing. */
  rows: ReadonlyMap<RowProjection, string>
  /** Parameters of the conditions. */
  parameters: Parameters
  /** Time of change of the projected records. */
  changedAt: Instant
}

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
]

/** Names a part: by itself, or by its table. */
export function namePart(part: ScopePart): string {
  if (typeof part === 'string') return part
  const [table = ''] = part.tables
  return table.replace(/ .*/, '')
}

export function hasPart(scope: Scope, part: ScopePart): boolean {
  return typeof part === 'string' ? scope[part].length > 0 : scope.rows.has(part)
}

/** Builds a scope that selects nothing. */
function buildEmptyScope(changedAt: Instant, parameters: Parameters = {}): Scope {
  const keys = { brands: [], publishers: [], hosts: [], policies: [], keyed: [], gone: [] }
  return { ...keys, events: '', revisions: '', rows: new Map(), parameters, changedAt }
}

/** Builds a scope with a single part of another one; its removed keys count as a part too. */
export function selectPart(scope: Scope, part: ScopePart | 'gone'): Scope {
  const empty = buildEmptyScope(scope.changedAt, scope.parameters)
  if (typeof part !== 'string')
    return { ...empty, rows: new Map([[part, getOrThrow(scope.rows, part)]]) }
  return { ...empty, [part]: scope[part] }
}

/** Narrows a scope to some subjects of one of its parts. */
export function narrowScope(scope: Scope, part: ScopePart, subjects: readonly string[]): Scope {
  const parameters = { ...scope.parameters, subjects: JSON.stringify(subjects) }
  const empty = buildEmptyScope(scope.changedAt, parameters)
  if (typeof part !== 'string') {
    const where = `(${getOrThrow(scope.rows, part)}) and ${buildSubjectCondition(part, '$subjects')}`
    return { ...empty, rows: new Map([[part, where]]) }
  }
  switch (part) {
    case 'publishers': {
      const hosts = new Set(scope.hosts)
      return { ...empty, publishers: subjects, hosts: subjects.filter(key => hosts.has(key)) }
    }
    case 'keyed':
      return { ...empty, keyed: subjects.map(parseKeyed) }
    case 'revisions':
      return { ...empty, revisions: `(${scope.revisions}) and ${isRevisionOf('$subjects')}` }
    default:
      return { ...empty, [part]: subjects }
  }
}

const isRevisionOf = (parameter: string) => `domain in (select value from json_each(${parameter}))`

/** Builds a scope that selects subjects of several parts. */
export function buildScopeOfSubjects(
  subjects: readonly { part: string; subject: string }[],
  changedAt: Instant,
): Scope {
  const lists = new Map(
    scopeParts.map(part => {
      const own = subjects.filter(subject => subject.part === namePart(part))
      return [part, own.map(({ subject }) => subject)]
    }),
  )
  const getList = (part: ScopePart) => getOrThrow(lists, part)
  const parameters = [...lists].map(([part, own]) => [namePart(part), JSON.stringify(own)])
  const rows = rowProjections.filter(part => getList(part).length > 0)
  return {
    ...buildEmptyScope(changedAt, Object.fromEntries(parameters)),
    brands: getList('brands'),
    publishers: getList('publishers'),
    hosts: getList('publishers'),
    policies: getList('policies'),
    keyed: getList('keyed').map(parseKeyed),
    revisions: getList('revisions').length > 0 ? isRevisionOf('$revisions') : '',
    rows: new Map(rows.map(part => [part, buildSubjectCondition(part, `$${namePart(part)}`)])),
  }
}

const nameKeyed = ({ space, key }: ScopedKey) => `${space} ${key}`

function parseKeyed(name: string): ScopedKey {
  const end = name.indexOf(' ')
  return { space: name.slice(0, end), key: name.slice(end + 1) }
}

/** Lists the subjects that a part of a scope selects. */
export async function listSubjects(
  { index, accounts }: { index: Database; accounts: Sqlite },
  scope: Scope,
  part: ScopePart,
): Promise<readonly string[]> {
  if (!hasPart(scope, part)) return []
  if (part === 'keyed') return scope.keyed.map(nameKeyed)
  if (typeof part === 'string' && part !== 'revisions') return scope[part]
  const store = part !== 'revisions' && part.store === 'accounts' ? accounts : index
  const rows = await store.all<{ key: string }>(
    part === 'revisions'
      ? `select distinct domain as key from revisions where ${scope.revisions}`
      : `select distinct cast(${part.slicedBy} as text) as key from ${part.from}
         where ${getOrThrow(scope.rows, part)}`,
    scope.parameters,
  )
  return rows.map(({ key }) => key)
}
