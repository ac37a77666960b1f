import type { StoredMirror } from '../../model/mirror.ts'
import type { Policy } from '../../model/responses/policies.ts'
import type { AgentRuns } from '../../model/storyboards/storyboard-record.ts'
import { hashAgent } from '../../serving/keys.ts'
import type { ServingStore, SpaceName } from '../../serving/lmdb.ts'

/** Spaces whose values are JSON alone. */
type RecordSpace = Extract<
  SpaceName,
  | 'principal'
  | 'org_key'
  | 'org_member'
  | 'org_audit'
  | 'invitation'
  | 'user'
  | 'person'
  | 'oauth_client'
  | 'passkey'
  | 'ownership'
  | 'role'
  | 'review'
  | 'policy'
  | 'mirror'
  | 'origin'
  | 'logo'
  | 'crawl_request'
  | 'agent_run'
  | 'subscription'
>

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

/** Lists the records whose keys begin with a prefix and a space, by key. */
export function listRecords<Value>(
  { serving }: RecordReader,
  space: RecordSpace,
  prefix: string,
): Value[] {
  const entries = serving?.range(space, prefix) ?? []
  return Array.from(entries, ({ value }) => JSON.parse(value.toString()) as Value)
}

export function findMirror(reader: RecordReader, platform: string): StoredMirror | undefined {
  return findRecord(reader, 'mirror', platform)
}

/** Finds a policy, approved or not. */
export function findPolicy(reader: RecordReader, policyId: string): Policy | undefined {
  return findRecord(reader, 'policy', policyId)
}

/** Finds the runs of storyboards against an agent; undefined if it was never tested. */
export function findAgentRuns(reader: RecordReader, agentUrl: string): AgentRuns | undefined {
  return findRecord(reader, 'agent_run', hashAgent(agentUrl))
}
