import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Accounts } from './accounts.ts'
import { namedAgents } from './agent-sources.ts'
import type { Database } from './duckdb.ts'
import { Database as Opened } from './duckdb.ts'
import type { Paths } from './paths.ts'
import { entriesOf } from './projection.ts'
import { scopeOfSlice } from './scope.ts'
import { documentSpaces, type ServingStore, type SpaceName, spaces } from './serving.ts'
import { holdSame } from './serving-value.ts'
import { readCheckpoint, sha256Of } from './snapshot.ts'

/** Rows of the index that are held in memory at a time. */
export const SLICE_ROWS = 20_000

export interface Stores {
  paths: Paths
  index: Database
  accounts: Accounts
  serving: ServingStore
}

/**
 * Checks every store against the others, sentence by sentence; nothing said means nothing wrong.
 * Nobody may commit meanwhile.
 */
export async function verify(stores: Stores): Promise<string[]> {
  return [
    ...(await wrongInIndex(stores.index)),
    ...(await wrongInAccounts(stores)),
    ...(await wrongInServing(stores)),
    ...(await wrongInEventFiles(stores)),
    ...(await wrongInSnapshot(stores)),
  ]
}

const RECORDS = `
select 'property' as kind, property_rid as rid, status from properties
union all select 'collection', collection_rid, status from collections`

/** Sentences about the index alone: each query counts the rows that break one. */
const sentences: Record<string, string> = {
  'files have a document that is not the one crawl_state names': `select count(*) as n from documents d join crawl_state s using (kind, location)
     where s.hash is distinct from d.hash`,
  'files have a hash and no document': `select count(*) as n from crawl_state anti join documents using (kind, location)
     where hash is not null`,
  'files stand twice in crawl_state':
    'select count(*) - count(distinct (kind, location)) as n from crawl_state',
  'files are held twice':
    'select count(*) - count(distinct (kind, location)) as n from held_documents',
  'held documents have none that stands in their place': `select count(*) as n from held_documents anti join documents using (kind, location)`,
  'files answered with a document that is held, and none is': `select count(*) as n from crawl_state anti join held_documents using (kind, location)
     where outcome = 'held'`,
  'domains stand twice in brands': 'select count(*) - count(distinct domain) as n from brands',
  'domains stand twice in publishers':
    'select count(*) - count(distinct domain) as n from publishers',
  'properties share a rid': 'select count(*) - count(distinct property_rid) as n from properties',
  'collections share a rid':
    'select count(*) - count(distinct collection_rid) as n from collections',
  'collections of a publisher share an id':
    'select count(*) - count(distinct (publisher_domain, collection_id)) as n from collections',
  'publishers count their active collections wrong': `select count(*) as n from publishers p left join (
       select publisher_domain, count(*) as active from collections where status = 'active' group by all
     ) c on c.publisher_domain = p.domain where p.collection_count != coalesce(c.active, 0)`,
  'claims share an id': 'select count(*) - count(distinct claim_id) as n from claims',
  'authorizations share an id': 'select count(*) - count(distinct id) as n from authorizations',
  'authorizations name a property that is not there': `select count(*) as n from (select unnest(property_rids) as property_rid from authorizations)
     anti join properties using (property_rid)`,
  'publishers count their active properties wrong': `select count(*) as n from publishers p left join (
       select publisher_domain, count(*) as active from properties where status = 'active' group by all
     ) c on c.publisher_domain = p.domain where p.property_count != coalesce(c.active, 0)`,
  'agents count their publishers wrong': `select count(*) as n from agents a full join (
       select agent_url, count(distinct publisher_domain) as publishers from authorizations where in_force group by all
     ) c using (agent_url) where a.publisher_count is distinct from c.publishers`,
  'agents count their properties wrong': `select count(*) as n from agents a left join (
       select agent_url, count(distinct property_rid) as properties
       from (select agent_url, unnest(property_rids) as property_rid from authorizations where in_force)
       join properties using (property_rid) where status = 'active' group by all
     ) c using (agent_url) where a.property_count != coalesce(c.properties, 0)`,
  'agents stand twice in agent_profiles':
    'select count(*) - count(distinct agent_url) as n from agent_profiles',
  'agents are probed that nobody names': `select count(*) as n from (
       select location as agent_url from crawl_state where kind = 'agent' and due_at is not null
     ) anti join (${namedAgents}) using (agent_url)`,
  'records stand twice in aliases': 'select count(*) - count(distinct alias_rid) as n from aliases',
  'aliases lead to another alias': `select count(*) as n from aliases a
     semi join aliases b on a.canonical_rid = b.alias_rid`,
  'aliases lead to no record of their kind': `select count(*) as n from aliases a
     anti join (${RECORDS}) r on a.kind = r.kind and a.canonical_rid = r.rid`,
  'aliases are of a record that is not removed': `select count(*) as n from aliases a
     anti join (${RECORDS}) r on a.kind = r.kind and a.alias_rid = r.rid and r.status = 'removed'`,
  'properties are removed and lead nowhere': `select count(*) as n from properties p
     anti join aliases a on a.alias_rid = p.property_rid where p.status = 'removed'`,
  'authorizations reach an alias': `select count(*) as n from (
       select unnest(property_rids) as rid from authorizations) g
     semi join aliases a on a.alias_rid = g.rid`,
  'crawl requests wait for a file that nobody fetches': `select count(*) as n from (
       select unnest(from_json(files, '[{"kind":"VARCHAR","location":"VARCHAR","attempts":"INTEGER","next_attempt_at":"VARCHAR"}]'), recursive := true)
       from crawl_requests where completed_at is null) f
     left join crawl_state s using (kind, location)
     where (f.attempts = 0 or f.next_attempt_at is not null) and s.due_at is null`,
  'publishers are held twice, or are none': `select count(*) - count(distinct p.domain) as n from held left join publishers p on p.domain = subject`,
  'events share an id': 'select count(*) - count(distinct event_id) as n from events',
  'events come after the last one issued':
    'select count(*) as n from events, meta where event_id > last_event_id or last_event_id is null',
  'events are out of the order of their commits': `select count(*) as n from (
       select seq < lag(seq) over (order by event_id) as back from events) where back`,
  'entries stand twice': 'select count(*) - count(distinct (entity, domain)) as n from entries',
  'entries are not what their last revision left': `select count(*) as n from entries e
     left join revisions r on r.entity = e.entity and r.domain = e.domain
       and r.revision_number = e.revision_number
     where r.state is null or r.created_at != e.updated_at or r.source != e.source
       or ((r.state->>'status') = 'live' and e.status != 'live')
       or (r.state->>'brand_name') is distinct from e.brand_name
       or (r.state->>'contact_id') is distinct from e.contact_id::varchar
       or (r.state->'document')::varchar is distinct from e.document::varchar`,
  'histories have a gap, or a number twice': `select count(*) as n from (
       select count(*) as revisions, count(distinct revision_number) as numbers,
         min(revision_number) as first, max(revision_number) as last
       from revisions where entity != 'policy' group by entity, domain)
     where revisions != numbers or first != 1 or last != numbers`,
  'histories go beyond their entry': `select count(*) as n from revisions r
     join entries e using (entity, domain) where r.revision_number > e.revision_number`,
  'brands are shown that nobody told of': `select count(*) as n from brands b
     anti join (select domain from entries where entity = 'brand' and status = 'live') e using (domain)
     where b.source != 'brand_json'`,
  'brands that people told of are not shown': `select count(*) as n from entries e
     anti join brands b using (domain) where e.entity = 'brand' and e.status = 'live'`,
  'rows belong to a commit that was not made': `select count(*) as n from (
       select seq from events union all select seq from brands union all select seq from publishers
       union all select seq from properties union all select seq from authorizations
       union all select seq from claims union all select seq from collections union all select seq from crawl_state
       union all select seq from aliases union all select seq from agents union all select seq from agent_profiles union all select seq from enrolled_agents
       union all select seq from held_documents union all select seq from crawl_requests union all select seq from policies
       union all select seq from entries union all select seq from revisions union all select seq from mirrors
       union all select seq from submissions) r, meta
     where r.seq > meta.seq`,
}

/** What is wrong in the index, whatever the other stores say. */
export async function wrongInIndex(index: Database): Promise<string[]> {
  const wrong: string[] = []
  for (const [sentence, query] of Object.entries(sentences)) {
    const row = await index.one<{ n: number }>(query)
    if (row && row.n > 0) wrong.push(`index: ${row.n} ${sentence}`)
  }
  return wrong
}

async function wrongInAccounts({ index, accounts }: Stores): Promise<string[]> {
  const ids = async (db: Database) =>
    new Set(
      (await db.all<{ id: string }>('select submission_id as id from submissions')).map(
        row => row.id,
      ),
    )
  const [inIndex, inAccounts] = [await ids(index), await ids(accounts.db)]
  const missing = [...inIndex].filter(id => !inAccounts.has(id))
  return [
    ...missing.map(id => `accounts: the index has submission ${id}, accounts have not`),
    ...(await wrongEnrolments(index, accounts)),
  ]
}

/** What members keep to themselves must not stand in the index. */
async function wrongEnrolments(index: Database, accounts: Accounts): Promise<string[]> {
  const pairs = async (db: Database, from: string) =>
    (await db.all<{ pair: string }>(`select org_id || ' ' || agent_url as pair from ${from}`)).map(
      ({ pair }) => pair,
    )
  const shown = new Set(await pairs(accounts.db, `member_agents where visibility = 'public'`))
  const enrolled = await pairs(index, 'enrolled_agents')
  const wrong = enrolled.filter(pair => !shown.has(pair)).length
  return wrong === 0 ? [] : [`index: ${wrong} agents are enrolled that no member shows`]
}

/** When a document was put there is not in the index. */
function isSame(space: SpaceName, stored: Buffer, made: Buffer): boolean {
  return documentSpaces.has(space) ? holdSame(stored, made) : stored.equals(made)
}

async function wrongInServing({ index, accounts, serving }: Stores): Promise<string[]> {
  const meta = await index.one<{ seq: number }>('select seq from meta')
  if (serving.seq !== meta?.seq) {
    return [`serving: shows commit ${serving.seq}, the index is at ${meta?.seq}`]
  }
  const wrong: string[] = []
  const counted = new Map<SpaceName, number>(spaces.map(name => [name, 0]))
  const count = await sliceCount(index)
  for (let slice = 0; slice < count; slice++) {
    const { entries } = await entriesOf(index, accounts, scopeOfSlice(slice, count, 0))
    for (const { space, key, value } of entries) {
      if (value === undefined) continue
      counted.set(space, counted.get(space)! + 1)
      const stored = serving.get(space, key)
      if (stored === undefined) wrong.push(`serving: ${space} ${keyText(key)} is missing`)
      else if (!isSame(space, stored, value)) {
        wrong.push(`serving: ${space} ${keyText(key)} differs`)
      }
    }
  }
  for (const [space, expected] of counted) {
    const there = serving.count(space)
    if (space !== 'meta' && there !== expected) {
      wrong.push(`serving: ${space} holds ${there} entries, the index makes ${expected}`)
    }
  }
  return wrong
}

/** Into how many slices the index is cut, so that one fits into memory. */
export async function sliceCount(index: Database): Promise<number> {
  const row = await index.one<{ n: number }>(
    `select greatest((select count(*) from crawl_state), (select count(*) from events),
       (select count(*) from properties), (select count(*) from authorizations)) as n`,
  )
  return Math.max(1, Math.ceil((row?.n ?? 0) / SLICE_ROWS))
}

function keyText(key: string | Buffer): string {
  return typeof key === 'string' ? key : key.toString('hex')
}

const DAY_OF_EVENT = `strftime(uuid_extract_timestamp(event_id), '%Y-%m-%d')`

async function wrongInEventFiles({ index, paths }: Stores): Promise<string[]> {
  const days = await index.all<{ day: string }>(
    `select distinct ${DAY_OF_EVENT} as day from events order by day`,
  )
  const wrong: string[] = []
  const files = existsSync(paths.events) ? readdirSync(paths.events) : []
  const strays = files.filter(name => !days.some(({ day }) => name === `${day}.ndjson`))
  wrong.push(...strays.map(name => `events: ${name} holds events that the index has not`))
  for (const { day } of days) {
    const expected = await index.all<{ id: string }>(
      `select event_id as id from events where ${DAY_OF_EVENT} = $day order by event_id`,
      { day },
    )
    const found = existsSync(paths.eventsOf(day)) ? await idsInFile(paths.eventsOf(day)) : []
    const at = Array.from({ length: Math.max(expected.length, found.length) }, (_, i) => i).find(
      i => expected[i]?.id !== found[i],
    )
    if (at !== undefined) {
      wrong.push(
        `events: line ${at + 1} of ${day}.ndjson is ${found[at] ?? 'missing'}, should be ${expected[at]?.id ?? 'absent'}`,
      )
    }
  }
  return [...wrong, ...(await wrongInRewritten(index, paths))]
}

async function wrongInRewritten(index: Database, paths: Paths): Promise<string[]> {
  const rows = await index.all<{ day: string; sha256: string }>(
    'select day::varchar as day, sha256 from event_files order by day',
  )
  const wrong: string[] = []
  for (const { day, sha256 } of rows) {
    const file = paths.eventsOf(day)
    if (existsSync(file) && (await sha256Of(file)) !== sha256) {
      wrong.push(`events: ${day}.ndjson was changed after events were taken out of it`)
    }
  }
  return wrong
}

async function idsInFile(path: string): Promise<string[]> {
  const ids: string[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    ids.push((JSON.parse(line) as { event_id: string }).event_id)
  }
  return ids
}

async function wrongInSnapshot({ index, paths }: Stores): Promise<string[]> {
  const checkpoint = readCheckpoint(paths)
  if (checkpoint === undefined) return []
  const file = `${paths.snapshots}/${checkpoint.snapshot}`
  if (!existsSync(file)) return [`snapshot: ${checkpoint.snapshot} is missing`]
  const wrong: string[] = []
  if ((await sha256Of(file)) !== checkpoint.sha256) {
    wrong.push(`snapshot: ${checkpoint.snapshot} was changed after it was made`)
  }
  if (!existsSync(paths.registry) || statSync(paths.registry).ino !== statSync(file).ino) {
    wrong.push('snapshot: registry.duckdb is not the current snapshot')
  }
  const snapshot = await Opened.open(file, { readOnly: true, memoryLimit: '128MB', threads: 1 })
  const [in_snapshot, in_index] = [await metaOf(snapshot), await metaOf(index)]
  snapshot.close()
  if (in_snapshot.seq !== checkpoint.seq) {
    wrong.push(`snapshot: holds commit ${in_snapshot.seq}, the checkpoint says ${checkpoint.seq}`)
  }
  if (in_snapshot.seq > in_index.seq) wrong.push('snapshot: is ahead of the index')
  return wrong
}

async function metaOf(db: Database): Promise<{ seq: number }> {
  return (await db.one<{ seq: number }>('select seq from meta'))!
}
