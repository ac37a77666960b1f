import type { Accounts } from '../../accounts/store.ts'
import { bisect } from '../../store/bisect.ts'
import type { Database } from '../../store/database.ts'
import type { Unprojected } from '../../store/unprojected.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './change-scope.ts'
import { projectEntries } from './index.ts'
import {
  cutPart,
  hasPart,
  listSubjects,
  namePart,
  narrowScope,
  type ScopePart,
  scopeParts,
  selectPart,
} from './scope-slices.ts'

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
      for (const slice of await cutPart(stores, scope, part)) await bisectPart(part, slice)
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
