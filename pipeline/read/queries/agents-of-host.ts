import { toAgentUrlKey } from '../../core/agent-url.ts'
import { parseUrl } from '../../core/url.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import { findAgent } from '../lookups/agents.ts'
import { getMembers } from '../lookups/members.ts'
import { isPublicAgent } from '../lookups/public-agents.ts'
import type { Reader } from '../reader.ts'

const AGENTS_NAMED_MAX = 5
/** Most addresses of agents: they need not be parsed. */
const HAS_PATH = /^https?:\/\/[^/]+\/./i
const IS_INSECURE = /^\s*http:/i
const HOSTS_CACHED_MAX = 200

const agents = declareCache(() => new SnapshotCache<string[]>(HOSTS_CACHED_MAX))

/** Finds the host of an address that may mean another one: it has no path, and is not the address of an agent. */
export function findHostOfAgents(reader: Reader, address: string): string | undefined {
  if (HAS_PATH.test(address)) return undefined
  const url = parseUrl(address)
  if (url === undefined || url.pathname !== '/' || url.search !== '') return undefined
  const isAgent =
    findAgent(reader, url.origin).publisher_count > 0 ||
    getMembers(reader).findPublicEnroller(url.origin) !== undefined
  return isAgent ? undefined : url.host
}

/** Converts the address of no agent that begins with http to the same one with https. */
function toSecureAddress(reader: Reader, address: string): string | undefined {
  if (!IS_INSECURE.test(address)) return undefined
  const key = toAgentUrlKey(address)
  return key === undefined || isPublicAgent(reader, key) ? undefined : `https${key.slice(4)}`
}

/** Tells whether an address may mean another one, so that its answer depends on which agents are known. */
export function mayMeanAgents(reader: Reader, address: string): boolean {
  return (
    findHostOfAgents(reader, address) !== undefined ||
    toSecureAddress(reader, address) !== undefined
  )
}

/**
 * Lists the agents that an address may mean: the one at its https address, or those of a host without a path. None where
 * it is an agent itself.
 */
export async function findMeantAgents(reader: Reader, address: string): Promise<string[]> {
  const secure = toSecureAddress(reader, address)
  if (secure !== undefined) {
    const { agent_url } = findAgent(reader, secure)
    if (isPublicAgent(reader, agent_url)) return [agent_url]
  }
  const host = findHostOfAgents(reader, address)
  const { snapshot } = reader
  if (snapshot === undefined || host === undefined) return []
  return agents(snapshot).get(host, () =>
    snapshot.db
      .all<{ agent_url: string }>(
        `select agent_url from agents where starts_with(agent_url, $secure) or starts_with(agent_url, $plain)
       order by agent_url limit ${AGENTS_NAMED_MAX}`,
        { secure: `https://${host}/`, plain: `http://${host}/` },
      )
      .then(rows => rows.map(({ agent_url }) => agent_url)),
  )
}
