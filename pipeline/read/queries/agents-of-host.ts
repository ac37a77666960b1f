import { parseUrl } from '../../core/url.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import { findAgent } from '../lookups/agents.ts'
import type { Reader } from '../reader.ts'

const AGENTS_NAMED_MAX = 5
const HOSTS_CACHED_MAX = 200

const agents = declareCache(() => new SnapshotCache<string[]>(HOSTS_CACHED_MAX))

/** Lists the agents that an address without a path may mean: none where it is an agent itself, or names a path. */
export async function findAgentsOfHost(reader: Reader, address: string): Promise<string[]> {
  const url = parseUrl(address)
  const { snapshot } = reader
  if (snapshot === undefined || url === undefined || url.pathname !== '/' || url.search !== '')
    return []
  if (findAgent(reader, url.origin).publisher_count > 0) return []
  const found = await agents(snapshot).get(url.origin, () =>
    snapshot.db
      .all<{ agent_url: string }>(
        `select agent_url from agents where starts_with(agent_url, $prefix)
       order by agent_url limit ${AGENTS_NAMED_MAX}`,
        { prefix: `${url.origin}/` },
      )
      .then(rows => rows.map(({ agent_url }) => agent_url)),
  )
  return found
}
