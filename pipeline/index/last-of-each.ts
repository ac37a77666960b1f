import { type Observation, sourceKey } from '../model/observation.ts'

/** The last observation of each file; of two that were made at once the one that came later. */
export function lastOfEach(observations: readonly Observation[]): readonly Observation[] {
  if (areOfDifferentFiles(observations)) return observations
  const last = new Map<string, Observation>()
  for (const seen of observations) {
    const key = sourceKey(seen)
    if ((last.get(key)?.observed_at ?? Number.NEGATIVE_INFINITY) <= seen.observed_at) {
      last.set(key, seen)
    }
  }
  return [...last.values()]
}

/** As good as always, and found out without a key for each. */
function areOfDifferentFiles(observations: readonly Observation[]): boolean {
  const kinds = new Map<string, Set<string>>()
  for (const { kind, location } of observations) {
    const locations = kinds.get(kind)
    if (locations === undefined) kinds.set(kind, new Set([location]))
    else locations.add(location)
  }
  return [...kinds.values()].reduce((files, { size }) => files + size, 0) === observations.length
}
