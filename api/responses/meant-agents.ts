import { SNAPSHOT_KEY } from '../../pipeline/core/surrogate-keys.ts'
import { findMeantAgents, mayMeanAgents } from '../../pipeline/read/queries/agents-of-host.ts'
import type { Reader } from '../../pipeline/read/reader.ts'

/** Finds the agents that were probably meant by the address of none, as a member of the answer about it. */
export async function findMeant(
  reader: Reader,
  agentUrl: string,
): Promise<{ did_you_mean?: string[] }> {
  const meant = await findMeantAgents(reader, agentUrl)
  return meant.length === 0 ? {} : { did_you_mean: meant }
}

/** Lists what the agents depend on that may have been meant. */
export function listMeantKeys(reader: Reader, agentUrl: string): string[] {
  return mayMeanAgents(reader, agentUrl) ? [SNAPSHOT_KEY] : []
}
