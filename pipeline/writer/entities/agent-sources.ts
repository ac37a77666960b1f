import { toIso } from '../../core/clock.ts'
import { getRegistrableDomain } from '../../core/domain.ts'
import { toFreshnessKey } from '../../serving/keys.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'
import { type ProbeStartContext, planStarts } from './agent-starts.ts'

/** Sources that make an agent worth probing. */
const SOURCES = ['agents', 'agent_declarations', 'enrolled_agents']

/** Selects the agents that they name. */
export const namedAgents = SOURCES.map(table => `select agent_url from ${table}`).join(
  ' union all ',
)

/** Builds SQL that tells whether a source names an agent. */
export function isNamed(agent: string): string {
  const named = SOURCES.map(
    table => `exists (select 1 from ${table} n where n.agent_url = ${agent})`,
  )
  return `(${named.join(' or ')})`
}

/** Longer addresses are not probed: they are keys in stores that bound them. */
const ADDRESS_CHARS = 1_000

/** Extracts the last two labels of a host, which it shares with its site: so both are joined by a hash. */
const selectTail = (host: string) => `regexp_extract(${host}, '[^.]+\\.[^.]+$', 0)`
const HOST = `regexp_extract(location, '^https?://([^/?]+?)(?::\\d+)?(?:[/?]|$)', 1)`

const IS_NAMED = isNamed('t.agent_url')
const IS_PROBED = `exists (select 1 from crawl_state n where n.kind = 'agent' and n.location = t.agent_url)`

/** Selects named agents that were never probed. */
const NEWCOMERS = `
select agent_url, site, null from touched_agents t
where ${IS_NAMED} and not ${IS_PROBED} and length(agent_url) <= ${ADDRESS_CHARS}`

/**
 * Adds agents to probe, a bounded number per registrable domain, and more as more of them answer.
 * Without the bound a file could name any number of hosts below another domain and have all of them
 * probed.
 */
const ADD = `(kind, location, priority, streak, due_at, requested, seq)
select 'agent', agent_url, 2, 0, coalesce(starts_at, ms($now)), false, $seq from (
  select *, row_number() over (partition by site order by agent_url) as place from new_agents)
left join (
  select site, count(*) as probed, count(succeeded_at) as answered
  from (select distinct site, ${selectTail('site')} as tail from new_agents) sites
  join (
    select ${HOST} as host, succeeded_at from crawl_state where kind = 'agent' and due_at is not null
  ) probed on ${selectTail('host')} = tail and (host = site or ends_with(host, '.' || site))
  group by site
) known using (site)
where place <= $per_site + 2 * coalesce(answered, 0) - coalesce(probed, 0)`

/** Named agents of the sites whose agents have just answered, which had to wait for that. */
const WAITING = `select agent_url, site from (select distinct agent_url from (${namedAgents})) t
join answered_sites
  on ${selectTail("regexp_extract(agent_url, '^https?://([^/?]+?)(?::\\d+)?(?:[/?]|$)', 1)")} = tail
  and contains(agent_url, site)
where not ${IS_PROBED}`

const WAKE = `set due_at = ms($now), seq = $seq
where kind = 'agent' and due_at is null
  and location in (select agent_url from touched_agents t where ${IS_NAMED})`

/** Selects sources that were never probed: they go as if they had been added and removed within one batch. */
const UNTRIED = `
where kind = 'agent' and attempted_at is null
  and location in (select agent_url from touched_agents t where not ${IS_NAMED})`

const REST = `set due_at = null, seq = $seq
where kind = 'agent' and due_at is not null
  and location in (select agent_url from touched_agents t where not ${IS_NAMED})`

export interface ProbeContext extends ProbeStartContext {
  seq: number
  agentsPerSite: number
  takenDown: TakenDown
}

/**
 * Updates which of these agents are probed: named ones are, at once when they are new or back;
 * others are not. `answered` are agents that have just answered: they raise the bound of their
 * sites.
 */
export async function keepAgentSources(
  db: Database,
  all: readonly string[],
  answered: readonly string[],
  context: ProbeContext,
): Promise<void> {
  const { now, seq, agentsPerSite, takenDown } = context
  const agents = all.filter(agent => !takenDown.covers(agent))
  const sites = await listFullSites(db, answered, agentsPerSite)
  if (agents.length === 0 && sites.length === 0) return
  await db.stage(
    'touched_agents',
    'agent_url text, site text',
    [...new Set(agents)].map(agent => [agent, getSite(agent)]),
  )
  if (sites.length > 0) await addWaiting(db, sites)
  const newcomers = await db.stageQuery(
    'new_agents',
    'agent_url text, site text, starts_at integer',
    NEWCOMERS,
  )
  if (newcomers > 0) {
    await planStarts(db, context)
    await db.write('insert into', 'crawl_state', ADD, {
      now: toIso(now),
      seq,
      per_site: agentsPerSite,
    })
  }
  await db.write('update', 'crawl_state', WAKE, { now: toIso(now), seq })
  await forgetUntried(db, seq)
  await db.write('update', 'crawl_state', REST, { seq })
}

/** Forgets touched agents that are not named anymore and were never probed, with the freshness of those that were deferred. */
async function forgetUntried(db: Database, seq: number): Promise<void> {
  const forgotten = await db.all<{ location: string }>(
    `select location from crawl_state ${UNTRIED}`,
  )
  if (forgotten.length === 0) return
  await db.write('delete from', 'crawl_state', UNTRIED)
  db.notes?.forgetAttempts()
  await recordChanges(db, seq, {
    freshness_gone: forgotten.map(({ location }) => toFreshnessKey('agent', location)),
  })
}

/** Lists sites of these agents that have reached their maximum, so that other agents may have had to wait. */
async function listFullSites(
  db: Database,
  answered: readonly string[],
  agentsPerSite: number,
): Promise<string[]> {
  if (answered.length === 0) return []
  const row = await db.oneOrThrow<{ n: number }>(
    "select count(*) as n from crawl_state where kind = 'agent' and due_at is not null",
  )
  return row.n < agentsPerSite ? [] : [...new Set(answered.map(getSite))]
}

async function addWaiting(db: Database, sites: readonly string[]): Promise<void> {
  await db.stage(
    'answered_sites',
    'site text, tail text',
    sites.map(site => [site, site.split('.').slice(-2).join('.')]),
  )
  await db.write('insert into', 'touched_agents', WAITING)
}

function getSite(agent: string): string {
  const { hostname } = new URL(agent)
  return getRegistrableDomain(hostname) ?? hostname
}
