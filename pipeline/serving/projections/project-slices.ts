import type { Accounts } from '../../accounts/store.ts'
import { getLast } from '../../core/present.ts'
import { bisect } from '../../store/bisect.ts'
import type { Database } from '../../store/database.ts'
import { inList } from '../../store/in-list.ts'
import type { Unprojected } from '../../store/unprojected.ts'
import type { Entry } from '../lmdb.ts'
import { projectEntries } from './index.ts'
import {
  hasPart,
  listSubjects,
  namePart,
  narrowScope,
  type Scope,
  type ScopePart,
  scopeParts,
  selectPart,
} from './scope.ts'

/** Result of projecting in slices. */
export interface Sliced {
  unprojected: Unprojected[]
  /** Tells whether a subject was projected; known only of parts that are cut into slices. */
  isProjected: (row: Unprojected) => boolean
}

/** Parts with so many subjects that they are always projected in slices. */
const slicedParts: readonly ScopePart[] = ['keyed', 'brands', 'publishers', 'policies']

/**
 * Projects a scope in slices that fit into memory and passes the entries of each to `take`. A slice that cannot
 * be projected or taken is bisected down to the subjects at fault, which are left out. Events are projected
 * separately (`projectReadableEvents`).
 */
export async function projectInSlices(
  { index, accounts }: { index: Database; accounts: Accounts },
  scope: Scope,
  take: (entries: Entry[]) => void,
): Promise<Sliced> {
  const stores = { index, accounts: accounts.db }
  const project = async (some: Scope) => take((await projectEntries(index, accounts, some)).entries)
  const unprojected: Unprojected[] = []
  const projected = new Map<string, Set<string>>()
  const bisectPart = (scopePart: ScopePart, subjects: readonly string[]) => {
    const part = namePart(scopePart)
    return bisect(
      subjects,
      async some => {
        await project(narrowScope(scope, scopePart, some))
        const known = projected.get(part) ?? new Set()
        projected.set(part, known)
        for (const subject of some) known.add(subject)
      },
      (subject, { message }) => unprojected.push({ part, subject, reason: message.slice(0, 500) }),
    )
  }
  await project(selectPart(scope, 'gone'))
  for (const part of scopeParts) {
    if (!hasPart(scope, part)) continue
    if (slicedParts.includes(part)) {
      for (const slice of await cutPart(index, await listSubjects(stores, scope, part), part)) {
        await bisectPart(part, slice)
      }
      continue
    }
    // The whole part usually succeeds, so its subjects are listed only if it fails.
    await bisect(
      [part],
      () => project(selectPart(scope, part)),
      async () => bisectPart(part, await listSubjects(stores, scope, part)),
    )
  }
  return {
    unprojected,
    isProjected: ({ part, subject }) => projected.get(part)?.has(subject) ?? false,
  }
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
export async function isSingleSlice(index: Database, { publishers }: Scope): Promise<boolean> {
  if (publishers.length === 0) return true
  const { condition, keys } = inList('domain', publishers)
  const sql = `select 1 from publishers where ${condition} limit 2`
  if ((await index.values(sql, keys)).length < 2) return true
  const weights = await weighPublishers(index, publishers)
  return [...weights.values()].reduce((sum, rows) => sum + rows, 0) <= SLICE_ROWS
}

/**
 * Cuts the subjects of a part into slices that fit into memory; a publisher that is too large for one gets a
 * slice alone.
 */
async function cutPart(
  index: Database,
  subjects: readonly string[],
  part: ScopePart,
): Promise<readonly (readonly string[])[]> {
  if (part !== 'publishers') return cut(subjects, () => SLICE_ROWS / SLICE_SUBJECTS)
  const weights = await weighPublishers(index, subjects)
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

/** Counts what is read of each publisher. */
async function weighPublishers(
  index: Database,
  publishers: readonly string[],
): Promise<Map<string, number>> {
  const { condition, keys } = inList('publisher_domain', publishers)
  const theirs = `where ${condition} group by publisher_domain`
  const rows = await index.all<{ domain: string; weight: number }>(
    `select domain, sum(weight) as weight from (
       select publisher_domain as domain, count(*) as weight from properties ${theirs}
       union all select publisher_domain, count(*) from authorizations ${theirs}
       union all select publisher_domain, sum(json_array_length(property_rids)) / ${RIDS_PER_ROW}.0
         from property_sets ${theirs}) group by domain`,
    keys,
  )
  return new Map(rows.map(({ domain, weight }) => [domain, weight]))
}
