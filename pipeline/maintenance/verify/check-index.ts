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
  from (select agent_url, unnest(s.property_rids) as property_rid
    from (select distinct agent_url, property_set from authorizations
      where in_force and hash(agent_url) % $count = $slice) g
    join property_sets s on s.set_id = g.property_set)
  join properties using (property_rid) where status = 'active' group by all
) c using (agent_url)
where hash(a.agent_url) % $count = $slice and a.property_count != coalesce(c.properties, 0)`

/** Faults of the index, as messages show them after a number, with the query that counts the rows. */
const faultQueries: Record<string, string> = {
  'files have a document other than the one in crawl_state': `select count(*) as n from documents d join crawl_state s using (kind, location)
     where s.hash is distinct from d.hash`,
  'files have a hash and no document': `select count(*) as n from crawl_state anti join documents using (kind, location)
     where hash is not null`,
  'files are listed twice in crawl_state':
    'select count(*) - count(distinct (kind, location)) as n from crawl_state',
  'files have two held versions':
    'select count(*) - count(distinct (kind, location)) as n from held_documents',
  'held documents have no accepted one in their place': `select count(*) as n from held_documents anti join documents using (kind, location)`,
  'files have the outcome of a held document without one': `select count(*) as n from crawl_state anti join held_documents using (kind, location)
     where outcome = 'held'`,
  'domains are listed twice in brands': 'select count(*) - count(distinct domain) as n from brands',
  'domains are listed twice in publishers':
    'select count(*) - count(distinct domain) as n from publishers',
  'properties share a rid': 'select count(*) - count(distinct property_rid) as n from properties',
  'collections share a rid':
    'select count(*) - count(distinct collection_rid) as n from collections',
  'collections of a publisher share an id':
    'select count(*) - count(distinct (publisher_domain, collection_id)) as n from collections',
  'publishers have a wrong count of their active collections': `select count(*) as n from publishers p left join (
       select publisher_domain, count(*) as active from collections where status = 'active' group by all
     ) c on c.publisher_domain = p.domain where p.collection_count != coalesce(c.active, 0)`,
  'claims share an id': 'select count(*) - count(distinct claim_id) as n from claims',
  'authorizations share an id': 'select count(*) - count(distinct id) as n from authorizations',
  'sets of properties share an id':
    'select count(*) - count(distinct set_id) as n from property_sets',
  'sets of properties contain a property that does not exist': `select count(*) as n from (select unnest(property_rids) as property_rid from property_sets)
     anti join properties using (property_rid)`,
  'sets of properties are reached by no grant of their publisher': `select count(*) as n from property_sets s
     anti join authorizations a on a.property_set = s.set_id and a.publisher_domain = s.publisher_domain`,
  'authorizations reach a set that does not exist, or has another size': `select count(*) as n from authorizations a
     left join (select set_id, json_array_length(property_rids) as size from property_sets) s on s.set_id = a.property_set
     where a.property_count != coalesce(s.size, 0)`,
  'saved properties have no record': `select count(*) as n from (
       select domain, unnest(from_json(document->'properties', '[{"property_rid":"UUID"}]'), recursive := true)
       from entries where entity = 'property' and status = 'live') t
     anti join (select domain from publishers where valid) using (domain)
     anti join (select publisher_domain as domain from authorizations) using (domain)
     left join properties p on p.property_rid = t.property_rid and p.publisher_domain = t.domain
     where p.property_rid is null or json_array_length(p.identifiers) = 0 and p.status != 'removed'
       or p.status = 'stale' and p.stale_reason is distinct from 'disputed'`,
  'publishers have a wrong count of the active properties of their file': `select count(*) as n from publishers p left join (
       select publisher_domain, count(*) as active from properties
       where status = 'active' and source = 'authoritative' group by all
     ) c on c.publisher_domain = p.domain where p.property_count != coalesce(c.active, 0)`,
  'agents have a wrong count of their publishers': `select count(*) as n from agents a full join (
       select agent_url, count(distinct publisher_domain) as publishers from (
         select agent_url, publisher_domain from authorizations where in_force
         union all select unnest(listed_agents), null from publishers) group by all
     ) c using (agent_url) where a.publisher_count is distinct from c.publishers`,
  'agents are listed twice in agent_profiles':
    'select count(*) - count(distinct agent_url) as n from agent_profiles',
  'agents are probed that no file or member names': `select count(*) as n from (
       select location as agent_url from crawl_state where kind = 'agent' and due_at is not null
     ) anti join (${namedAgents}) using (agent_url)`,
  'records are listed twice in aliases':
    'select count(*) - count(distinct alias_rid) as n from aliases',
  'aliases lead to another alias': `select count(*) as n from aliases a
     semi join aliases b on a.canonical_rid = b.alias_rid`,
  'aliases lead to a record of another kind, or none': `select count(*) as n from aliases a
     anti join (${RECORDS}) r on a.kind = r.kind and a.canonical_rid = r.rid`,
  'aliases have a record that is not removed': `select count(*) as n from aliases a
     anti join (${RECORDS}) r on a.kind = r.kind and a.alias_rid = r.rid and r.status = 'removed'`,
  'removed properties have no alias': `select count(*) as n from properties p
     anti join aliases a on a.alias_rid = p.property_rid where p.status = 'removed'`,
  'authorizations reach an alias': `select count(*) as n from (
       select unnest(property_rids) as rid from property_sets) g
     semi join aliases a on a.alias_rid = g.rid`,
  'crawl requests wait for a file that is never fetched': `select count(*) as n from (
       select unnest(from_json(files, '[{"kind":"VARCHAR","location":"VARCHAR","attempts":"INTEGER","next_attempt_at":"VARCHAR"}]'), recursive := true)
       from shown_crawl_requests where completed_at is null) f
     left join crawl_state s using (kind, location)
     where (f.attempts = 0 or f.next_attempt_at is not null) and s.due_at is null`,
  'publishers are held twice, or do not exist': `select count(*) - count(distinct p.domain) as n from held left join publishers p on p.domain = subject`,
  'events share an id': 'select count(*) - count(distinct event_id) as n from events',
  'events come after the last one issued':
    'select count(*) as n from events, meta where event_id > last_event_id or last_event_id is null',
  'events are not in the order of their commits': `select count(*) as n from (
       select seq < lag(seq) over (order by event_id) as back from events) where back`,
  'entries are listed twice':
    'select count(*) - count(distinct (entity, domain)) as n from entries',
  'entries differ from their last revision': `select count(*) as n from entries e
     left join revisions r on r.entity = e.entity and r.domain = e.domain
       and r.revision_number = e.revision_number
     where r.state is null or r.created_at != e.updated_at or r.source != e.source
       or ((r.state->>'status') = 'live' and e.status != 'live')
       or (r.state->>'brand_name') is distinct from e.brand_name
       or (r.state->>'contact_id') is distinct from e.contact_id
       or (r.state->'document') is distinct from e.document`,
  'histories have a gap, or a repeated number': `select count(*) as n from (
       select count(*) as revisions, count(distinct revision_number) as numbers,
         min(revision_number) as first, max(revision_number) as last
       from revisions where entity != 'policy' group by entity, domain)
     where revisions != numbers or first != 1 or last != numbers`,
  'histories are ahead of their entry': `select count(*) as n from revisions r
     join entries e using (entity, domain) where r.revision_number > e.revision_number`,
  'brands are shown without a file or a save': `select count(*) as n from brands b
     anti join (select domain from entries where entity = 'brand' and status = 'live') e using (domain)
     where b.source != 'brand_json'`,
  'saved brands are not shown': `select count(*) as n from entries e
     anti join brands b using (domain) where e.entity = 'brand' and e.status = 'live'`,
  'rows belong to a commit that does not exist': `select count(*) as n from (
       select seq from events union all select seq from brands union all select seq from publishers
       union all select seq from properties union all select seq from authorizations
       union all select seq from claims union all select seq from collections union all select seq from crawl_state
       union all select seq from aliases union all select seq from agents union all select seq from agent_profiles union all select seq from enrolled_agents
       union all select seq from agent_standings
       union all select seq from held_documents union all select seq from shown_crawl_requests union all select seq from shown_policies
       union all select seq from entries union all select seq from revisions union all select seq from shown_mirrors
       union all select seq from submissions) r, meta
     where r.seq > meta.seq`,
}

/** Checks the index by itself; returns a message for each fault. */
export async function checkIndex(index: Database): Promise<string[]> {
  const faults: string[] = []
  for (const [fault, query] of Object.entries(faultQueries)) {
    const row = await index.one<{ n: number }>(query)
    if (row && row.n > 0) faults.push(`index: ${row.n} ${fault}`)
  }
  const miscounted = await countMiscountedAgents(index)
  if (miscounted > 0)
    faults.push(`index: ${miscounted} agents have a wrong count of their properties`)
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
