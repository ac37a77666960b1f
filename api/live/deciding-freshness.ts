import type { FreshnessBlock } from '../../pipeline/model/responses/index.ts'
import { type Deciding, findDecidingFreshness } from '../../pipeline/read/lookups/deciding-files.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { Demand } from './demand.ts'

/**
 * Finds the freshness of the least fresh file that decided an answer. What was never crawled is demanded: otherwise
 * whoever asks for verdicts only would get the same "unknown" forever.
 */
export function findDemandedFreshness(
  { demand, reader }: { demand: Demand; reader: Reader },
  deciding: Deciding,
  caller: () => string,
): FreshnessBlock {
  const freshness = findDecidingFreshness(reader, deciding)
  if (freshness.state === 'never_crawled')
    for (const { location } of deciding.flat()) demand.add(location, caller)
  return freshness
}
