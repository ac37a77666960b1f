import { type Instant, toIso } from '../../core/clock.ts'
import { isListedInFull, toAuthorizationPayload } from '../../diff/authorization-events.ts'
import { LIST_ITEMS_MAX } from '../../diff/truncate-lists.ts'
import type { AuthorizationItem } from '../../model/responses/authorizations.ts'
import type { AuthorizationRow } from '../../model/rows.ts'
import type { StoredGrantRow } from '../../store/grant-rows.ts'
import { toStale } from '../lookups/grant-facts.ts'
import type { Snapshot } from '../reader.ts'
import { countOnce } from './counts.ts'
import { selectStates } from './past-states.ts'

/** A place in the order of an agent's grants: by publisher, then by property, then by id. */
export interface GrantPlace {
  publisher_domain: string
  property_id_slug: string | null
  id: string
}

/** A grant as JSON text: reading that costs a third of reading as many columns. */
interface Grant {
  facts: string
  /** Number of stale properties that it reaches. */
  stale: number
  property_id_slug: string | null
}

type GrantFacts = StoredGrantRow & {
  /** The first of the properties it reaches. */
  shown: string[] | null
  granted_ms: number
  changed_ms: number
}

/** Tables that grants are read from: those of now, or states of the past. */
interface Source {
  grants: string
  sets: string
  properties: string
}

const current: Source = {
  grants: 'authorizations',
  sets: 'property_sets',
  properties: 'properties',
}

/** States at `$at` of what concerns an agent. */
const past: Source = {
  grants: `(select *, valid_from as changed_at
    from ${selectStates('authorization_versions', 'id', 'agent_url = $agent')})`,
  sets: 'property_set_versions',
  properties: selectStates(
    'property_versions',
    'property_rid',
    `publisher_domain in (
      select publisher_domain from authorization_versions where agent_url = $agent)`,
  ),
}

/**
 * Selects grants in force with the number of stale properties that each reaches. Those that no file lists anymore
 * are stale too, but no grant reaches them.
 */
const selectGrants = ({ grants, sets, properties }: Source, condition = 'true') => `
with unsold as materialized (select property_rid, publisher_domain from ${properties}
  where stale_reason in ('validation_failed', 'disputed')),
stale as (select set_id, count(*)::double as count
  from (select set_id, publisher_domain, unnest(property_rids) as property_rid from ${sets}
    where publisher_domain in (select publisher_domain from unsold)
      and set_id in (select property_set from ${grants} where ${condition}))
  join unsold using (publisher_domain, property_rid) group by set_id)
select g.publisher_domain, g.id, p.property_id as property_id_slug, to_json(g)::varchar as facts,
  coalesce(stale.count, 0) as stale
from (select a.*, s.shown, case when property_count = 1 then s.shown[1] end as property_rid,
    epoch_ms(granted_at)::double as granted_ms, epoch_ms(changed_at)::double as changed_ms
  from ${grants} a left join (select set_id, property_rids[:${LIST_ITEMS_MAX}] as shown
    from ${sets}) s on s.set_id = a.property_set
  where in_force and ${condition}) g
left join ${properties} p on p.property_rid = g.property_rid
left join stale on stale.set_id = g.property_set`

const selectOfAgent = (source: Source) => `
select * from (${selectGrants(source, 'agent_url = $agent')})
where $publisher is null or (publisher_domain, property_id_slug is null,
  coalesce(property_id_slug, ''), id::varchar) > ($publisher, $slug is null, coalesce($slug, ''), $id)
order by publisher_domain, property_id_slug nulls last, id::varchar limit $limit`

const countOfAgent = ({ grants }: Source) =>
  `select count(*) as total from ${grants} where in_force and agent_url = $agent`

/** A page of an agent's grants; `at` is a moment in the past. */
interface GrantsQuery {
  agent: string
  after: GrantPlace | undefined
  limit: number
  at?: Instant | undefined
}

/** Finds the agent at an address: the exact one, else one that differs only in case. */
export async function findAgent({ db }: Snapshot, key: string): Promise<string> {
  const row = await db.one<{ agent_url: string }>(
    `select agent_url from agents where lower(agent_url) = lower($key)
     order by agent_url != $key, agent_url limit 1`,
    { key },
  )
  return row?.agent_url ?? key
}

/** Lists an agent's grants after a place, with their total: those of now, or of a moment in the past. */
export async function listGrants(
  snapshot: Snapshot,
  { agent, after, limit, at }: GrantsQuery,
): Promise<{ items: AuthorizationItem[]; total: number }> {
  const source = at === undefined ? current : past
  const moment = at === undefined ? {} : { at: toIso(at) }
  const [rows, total] = await Promise.all([
    snapshot.db.all<Grant>(selectOfAgent(source), {
      agent,
      ...moment,
      publisher: after?.publisher_domain ?? null,
      slug: after?.property_id_slug ?? null,
      id: after?.id ?? null,
      limit,
    }),
    countOnce(snapshot, countOfAgent(source), { agent, ...moment }),
  ])
  return { items: await makeItems(snapshot, rows, source), total }
}

/** Streams every grant in force, in batches. */
export async function* streamGrants(
  snapshot: Pick<Snapshot, 'db'>,
): AsyncGenerator<AuthorizationItem[]> {
  for await (const rows of snapshot.db.stream<Grant>(selectGrants(current))) {
    for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
      yield await makeItems(snapshot, rows.slice(at, at + ROWS_PER_TURN))
    }
  }
}

/** Rows that are made ready at a time: each may list thousands of properties. */
const ROWS_PER_TURN = 200

async function makeItems(
  snapshot: Pick<Snapshot, 'db'>,
  rows: readonly Grant[],
  source = current,
): Promise<AuthorizationItem[]> {
  const items: AuthorizationItem[] = []
  for (const { facts, property_id_slug, stale } of rows) {
    const grant = JSON.parse(facts) as GrantFacts
    const item = toItem(grant, property_id_slug, await listReached(snapshot, grant, source))
    items.push({ ...item, ...toStale(stale) })
  }
  return items
}

/** Lists the properties that a grant reaches: all of them only if nothing else tells which these are. */
async function listReached(
  { db }: Pick<Snapshot, 'db'>,
  grant: GrantFacts,
  { sets }: Source,
): Promise<readonly string[]> {
  const shown = grant.shown ?? []
  if (grant.property_count <= LIST_ITEMS_MAX || !isListedInFull(grant)) return shown
  const set = await db.one<Pick<AuthorizationRow, 'property_rids'>>(
    `select property_rids from ${sets} where set_id = $set::uuid`,
    { set: grant.property_set },
  )
  return set?.property_rids ?? shown
}

function toItem(
  grant: GrantFacts,
  property_id_slug: string | null,
  property_rids: readonly string[],
): AuthorizationItem {
  const { granted_ms, changed_ms, ...row } = grant
  const times = { granted_at: toIso(granted_ms), changed_at: toIso(changed_ms) }
  return {
    authorized_for: null,
    signing_keys: null,
    expires_at: null,
    ...toAuthorizationPayload({ ...row, ...times }, row.property_count, property_rids),
    property_rid: row.property_count === 1 ? property_rids[0] : null,
    property_id_slug,
    created_by: null,
    override_applied: false,
    override_reason: null,
  } as AuthorizationItem
}
