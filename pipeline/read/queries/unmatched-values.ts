import { findNearestWord } from '../../core/nearest-word.ts'
import type { AgentIndex, Dimension } from './agent-index.ts'

/** A requested value that no agent has. */
export interface UnmatchedValue {
  parameter: Dimension
  value: string
  did_you_mean?: string
}

const UNMATCHED_SHOWN_MAX = 10
/** Values that are compared with a misspelled one; of more, as of tags, none is suggested. */
const VALUES_COMPARED_MAX = 2_000

/** Lists the requested values that no agent has, each with the value that was probably meant. */
export function listUnmatchedValues(
  { postings }: Pick<AgentIndex, 'postings'>,
  filters: ReadonlyMap<Dimension, readonly string[]>,
): UnmatchedValue[] {
  const unmatched = [...filters].flatMap(([parameter, values]) =>
    [...new Set(values)]
      .filter(value => !postings.has(parameter, value))
      .map(value => ({ parameter, value })),
  )
  return unmatched.slice(0, UNMATCHED_SHOWN_MAX).map(found => {
    const known = postings.listValues(found.parameter)
    const did_you_mean =
      known.length > VALUES_COMPARED_MAX ? undefined : findNearestWord(found.value, known)
    return { ...found, ...(did_you_mean !== undefined && { did_you_mean }) }
  })
}
