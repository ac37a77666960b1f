import type { StoredMirror } from '../../model/mirror.ts'
import type { Policy } from '../../model/responses/policies.ts'
import type { ServingStore, SpaceName } from '../../serving/lmdb.ts'

/** Spaces whose values are JSON alone. */
type RecordSpace = Extract<SpaceName, 'policy' | 'mirror' | 'origin' | 'crawl_request'>

/** Holds the serving store, which does not exist before the first commit. */
export interface RecordReader {
  serving: ServingStore | undefined
}

/** Finds the record under a key. */
export function findRecord<Value>(
  { serving }: RecordReader,
  space: RecordSpace,
  key: string,
): Value | undefined {
  const text = serving?.text(space, key)
  return text === undefined ? undefined : (JSON.parse(text) as Value)
}

/** Tells whether there is any record in a space. */
export function hasRecords({ serving }: RecordReader, space: RecordSpace): boolean {
  return serving?.hasAny(space) ?? false
}

export function findMirror(reader: RecordReader, platform: string): StoredMirror | undefined {
  return findRecord(reader, 'mirror', platform)
}

/** Finds a policy, approved or not. */
export function findPolicy(reader: RecordReader, policyId: string): Policy | undefined {
  return findRecord(reader, 'policy', policyId)
}
