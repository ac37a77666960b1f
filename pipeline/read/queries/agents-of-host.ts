import { parseUrl } from '../../core/url.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import { findAgent } from '../lookups/agents.ts'
import { getMembers } from '../lookups/members.ts'
import type { Reader } from '../reader.ts'

const AGENTS_NAMED_MAX = 5
/** Most addresses of agents: they need not be parsed. */
const HAS_PATH = /^https?:\/\/[^/]+\/./i
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
  return isAgent ? undefined : url.origin
}

/** Lists the agents that an address without a path may mean: none where it is an agent itself, or names a path. */
export async function findAgentsOfHost(reader: Reader, address: string): Promise<string[]> {
  const host = findHostOfAgents(reader, address)
  const { snapshot } = reader
  if (snapshot === undefined || host === undefined) return []
  const found = await agents(snapshot).get(host, () =>
    snapshot.db
      .all<{ agent_url: string }>(
        `select agent_url from agents where starts_with(agent_url, $prefix)
       order by agent_url limit ${AGENTS_NAMED_MAX}`,
        { prefix: `${host}/` },
      )
      .then(rows => rows.map(({ agent_url }) => agent_url)),
  )
  return found
}
