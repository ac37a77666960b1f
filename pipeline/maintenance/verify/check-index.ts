import { formatCount } from '../../core/counts.ts'
import type { Database } from '../../store/database.ts'
import { namedAgents } from '../../writer/entities/agent-sources.ts'

const RECORDS = `
select 'property' as kind, property_rid as rid, status from properties
union all select 'collection', collection_rid, status from collections`

/** Pairs of agents and properties that are examined at a time. */
const SLICE_PAIRS = 2_000_000

/**
 * Query for the agents of one slice whose number of properties differs from what their grants reach: all
 * pairs of all agents are too many for one query.
 */
const AGENTS_COUNT_WRONG = `
select count(*) as n from agents a left join (
  select agent_url, count(distinct property_rid) as properties
  from (select agent_url, r.value as rid
    from (select distinct agent_url, property_set from authorizations
      where in_force and crc32(agent_url) % $count = $slice) g
    join property_sets s on s.set_id = g.property_set, json_each(s.property_rids) r)
  join properties on property_rid = rid where status = 'active' group by agent_url
) c using (agent_url)
where crc32(a.agent_url) % $count = $slice and a.property_count != coalesce(c.properties, 0)`

/** Builds the condition that no row of `others` matches. */
const none = (others: string, matches: string) =>
  `not exists (select 1 from ${others} where ${matches})`

/** Builds the query that counts rows whose columns occur before. */
const countTwice = (table: string, columns: string) =>
  `select (select count(*) from ${table}) - (select count(*) from (select distinct ${columns} from ${table})) as n`

/** Tables whose rows bear the number of a commit. */
const STAMPED = [
  'events',
  'brands',
  'publishers',
  'properties',
  'authorizations',
  'claims',
  'collections',
  'crawl_state',
  'aliases',
  'agents',
  'agent_profiles',
  'enrolled_agents',
  'agent_standings',
  'held_documents',
  'shown_crawl_requests',
  'shown_policies',
  'entries',
  'revisions',
  'shown_mirrors',
  'submissions',
]

/** Faults of the index, as messages show them before a number, with the query that counts the rows. */
const faultQueries: Record<string, string> = {
  'files have a document other than the one in crawl_state': `select count(*) as n from documents d
     join crawl_state s on s.location = d.location and s.kind = d.kind where s.hash is distinct from d.hash`,
  'files have a hash and no document': `select count(*) as n from crawl_state s
     where hash is not null and ${none('documents d', 'd.location = s.location and d.kind = s.kind')}`,
  'files are listed twice in crawl_state': countTwice('crawl_state', 'kind, location'),
  'files have two held versions': countTwice('held_documents', 'kind, location'),
  'held documents have no accepted one in their place': `select count(*) as n from held_documents h
     where ${none('documents d', 'd.location = h.location and d.kind = h.kind')}`,
  'files have the outcome of a held document without one': `select count(*) as n from crawl_state s
     where outcome = 'held' and ${none('held_documents h', 'h.location = s.location and h.kind = s.kind')}`,
  'domains are listed twice in brands': countTwice('brands', 'domain'),
  'domains are listed twice in publishers': countTwice('publishers', 'domain'),
  'properties share a rid': countTwice('properties', 'property_rid'),
  'collections share a rid': countTwice('collections', 'collection_rid'),
  'collections of a publisher share an id': countTwice(
    'collections',
    'publisher_domain, collection_id',
  ),
  'publishers have a wrong count of their active collections': `select count(*) as n from publishers p
     where collection_count != (select count(*) from collections c
       where c.publisher_domain = p.domain and c.status = 'active')`,
  'claims share an id': countTwice('claims', 'claim_id'),
  'authorizations share an id': countTwice('authorizations', 'id'),
  'sets of properties share an id': countTwice('property_sets', 'set_id'),
  'sets of properties contain a property that does not exist': `select count(*) as n
     from property_sets, json_each(property_rids) r where ${none('properties p', 'p.property_rid = r.value')}`,
  'sets of properties are reached by no grant of their publisher': `select count(*) as n from property_sets s
     where ${none('authorizations a', 'a.property_set = s.set_id and a.publisher_domain = s.publisher_domain')}`,
  'authorizations reach a set that does not exist, or has another size': `select count(*) as n from authorizations a
     left join property_sets s on s.set_id = a.property_set
     where a.property_count != coalesce(json_array_length(s.property_rids), 0)`,
  'saved properties have no record': `select count(*) as n from (
       select domain, value ->> '$.property_rid' as property_rid
       from entries, json_each(document, '$.properties') where entity = 'property' and status = 'live') t
     left join properties p on p.property_rid = t.property_rid and p.publisher_domain = t.domain
     where ${none('publishers u', 'u.domain = t.domain and u.valid')}
       and ${none('authorizations a', 'a.publisher_domain = t.domain')}
       and (p.property_rid is null or json_array_length(p.identifiers) = 0 and p.status != 'removed'
         or p.status = 'stale' and p.stale_reason is distinct from 'disputed')`,
  'publishers have a wrong count of the active properties of their file': `select count(*) as n from publishers p
     where property_count != (select count(*) from properties r
       where r.publisher_domain = p.domain and r.status = 'active' and r.source = 'authoritative')`,
  'agents have a wrong count of their publishers': `select count(*) as n from (
       select agent_url from (
         select agent_url, publisher_count as kept, null as found from agents
         union all select agent_url, null, count(distinct publisher_domain) from (
           select agent_url, publisher_domain from authorizations where in_force
           union all select value, null from publishers, json_each(listed_agents)) group by agent_url)
       group by agent_url having max(kept) is distinct from max(found))`,
  'agents are listed twice in agent_profiles': countTwice('agent_profiles', 'agent_url'),
  'agents are probed that no file or member names': `select count(*) as n from crawl_state
     where kind = 'agent' and due_at is not null and location not in (${namedAgents})`,
  'records are listed twice in aliases': countTwice('aliases', 'alias_rid'),
  'aliases lead to another alias':
    'select count(*) as n from aliases where canonical_rid in (select alias_rid from aliases)',
  'aliases lead to a record of another kind, or none': `select count(*) as n from aliases a
     where (kind, canonical_rid) not in (select kind, rid from (${RECORDS}))`,
  'aliases have a record that is not removed': `select count(*) as n from aliases a
     where (kind, alias_rid) not in (select kind, rid from (${RECORDS}) where status = 'removed')`,
  'removed properties have no alias': `select count(*) as n from properties
     where status = 'removed' and property_rid not in (select alias_rid from aliases)`,
  'authorizations reach an alias': `select count(*) as n from property_sets, json_each(property_rids) r
     where r.value in (select alias_rid from aliases)`,
  'crawl requests wait for a file that is never fetched': `select count(*) as n
     from shown_crawl_requests r, json_each(r.files) f
     left join crawl_state s on s.kind = f.value ->> '$.kind' and s.location = f.value ->> '$.location'
     where r.completed_at is null and s.due_at is null
       and (f.value ->> '$.attempts' = 0 or f.value ->> '$.next_attempt_at' is not null)`,
  'publishers are held twice, or do not exist': `select count(*) - count(distinct p.domain) as n
     from held left join publishers p on p.domain = subject`,
  'events share an id': countTwice('events', 'event_id'),
  'events come after the last one issued':
    'select count(*) as n from events, meta where event_id > last_event_id or last_event_id is null',
  'events are not in the order of their commits': `select count(*) as n from (
       select seq < lag(seq) over (order by event_id) as back from events) where back`,
  'entries are listed twice': countTwice('entries', 'entity, domain'),
  'entries differ from their last revision': `select count(*) as n from entries e
     left join revisions r on r.entity = e.entity and r.domain = e.domain
       and r.revision_number = e.revision_number
     where r.state is null or r.created_at != e.updated_at or r.source != e.source
       or ((r.state ->> '$.status') = 'live' and e.status != 'live')
       or (r.state ->> '$.brand_name') is distinct from e.brand_name
       or (r.state ->> '$.contact_id') is distinct from e.contact_id
       or json(r.state -> '$.document') is distinct from json(e.document)`,
  'histories have a gap, or a repeated number': `select count(*) as n from (
       select count(*) as revisions, count(distinct revision_number) as numbers,
         min(revision_number) as first, max(revision_number) as last
       from revisions where entity != 'policy' group by entity, domain)
     where revisions != numbers or first != 1 or last != numbers`,
  'histories are ahead of their entry': `select count(*) as n from revisions r
     join entries e using (entity, domain) where r.revision_number > e.revision_number`,
  'brands are shown without a file or a save': `select count(*) as n from brands b where b.source != 'brand_json'
     and ${none('entries e', "e.domain = b.domain and e.entity = 'brand' and e.status = 'live'")}`,
  'saved brands are not shown': `select count(*) as n from entries e
     where e.entity = 'brand' and e.status = 'live' and ${none('brands b', 'b.domain = e.domain')}`,
  'rows belong to a commit that does not exist': `select count(*) as n from (
       ${STAMPED.map(table => `select seq from ${table}`).join(' union all ')}) r, meta
     where r.seq > meta.seq`,
}

/** Checks the index by itself; returns a message for each fault. */
export async function checkIndex(index: Database): Promise<string[]> {
  const faults: string[] = []
  for (const [fault, query] of Object.entries(faultQueries)) {
    const row = await index.one<{ n: number }>(query)
    if (row && row.n > 0) faults.push(`index: ${fault}: ${formatCount(row.n)}`)
  }
  const miscounted = await countMiscountedAgents(index)
  if (miscounted > 0)
    faults.push(`index: agents have a wrong count of their properties: ${formatCount(miscounted)}`)
  return faults
}

/** Counts the agents whose number of properties is wrong, slice by slice. */
async function countMiscountedAgents(index: Database): Promise<number> {
  const pairs = await index.one<{ n: number }>(
    'select coalesce(sum(property_count), 0) as n from authorizations where in_force',
  )
  const count = Math.max(1, Math.ceil((pairs?.n ?? 0) / SLICE_PAIRS))
  let faults = 0
  for (let slice = 0; slice < count; slice++) {
    faults += (await index.oneOrThrow<{ n: number }>(AGENTS_COUNT_WRONG, { count, slice })).n
  }
  return faults
}
