import { propertyTypes } from '../../model/documents/index.ts'
import type { RegistryStats } from '../../model/responses/index.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import { getMembers, type Members } from '../lookups/members.ts'
import type { Reader, Snapshot } from '../reader.ts'
import { countPublishers } from './publishers.ts'

const STATS = `
select
  (select count(*) from brands) as total_brands,
  (select count(*) from publishers where valid) as total_publishers,
  (select count(*) from agents) as total_agents,
  (select count(*) from properties where status = 'active') as total_properties,
  0 as registered_agents,
  0 as registered_publishers,
  (select count(*) from agents) as discovered_agents,
  (select count(*) from publishers) as discovered_publishers,
  (select count(*) from properties where status != 'removed') as discovered_properties,
  (select count(*) from authorizations where in_force) as authorizations`

const BY_TYPE = `
select property_type, count(*) as properties from properties where status = 'active'
  and property_type in (${propertyTypes.map(type => `'${type}'`).join()})
group by property_type order by property_type`

const totals = declareCache(() => new SnapshotCache<RegistryStats>(1))
/** By the commit in which a member changed last. */
const registered = declareCache(() => new SnapshotCache<number>(1))

/** Loads the statistics of the registry; members are those of now. */
export async function loadStats(reader: Reader): Promise<RegistryStats> {
  const { snapshot } = reader
  const members = getMembers(reader)
  return {
    ...(snapshot ? await countAll(snapshot) : nothing),
    registered_agents: members.shownToAll.length,
    registered_publishers: snapshot ? await countRegistered(snapshot, members) : 0,
  }
}

/** Counts publishers that are verified domains of public members. */
function countRegistered(snapshot: Snapshot, members: Members): Promise<number> {
  return registered(snapshot).get(String(members.changed), () => {
    const shown = members.all.filter(member => member.is_public)
    return countPublishers(
      snapshot,
      shown.flatMap(({ domains }) => domains),
    )
  })
}

/** Counts the rows of a snapshot for the statistics, once. */
export function countAll(snapshot: Snapshot): Promise<RegistryStats> {
  return totals(snapshot).get('', () => count(snapshot))
}

async function count({ db, seq }: Snapshot): Promise<RegistryStats> {
  const totals = await db.oneOrThrow<RegistryStats>(STATS)
  const types = await db.all<{ property_type: string; properties: number }>(BY_TYPE)
  return {
    ...totals,
    seq,
    authorizations_by_source: { adagents_json: totals.authorizations, agent_claim: 0 },
    properties_by_type: Object.fromEntries(
      types.map(({ property_type, properties }) => [property_type, properties]),
    ),
  }
}

/** Statistics before the first snapshot. */
const nothing: RegistryStats = {
  seq: 0,
  total_brands: 0,
  total_publishers: 0,
  total_agents: 0,
  total_properties: 0,
  registered_agents: 0,
  registered_publishers: 0,
  discovered_agents: 0,
  discovered_publishers: 0,
  discovered_properties: 0,
  authorizations: 0,
  authorizations_by_source: { adagents_json: 0, agent_claim: 0 },
  properties_by_type: {},
}
