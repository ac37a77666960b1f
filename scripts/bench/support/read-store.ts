import { existsSync, writeFileSync } from 'node:fs'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { rebuild } from '../../../pipeline/maintenance/rebuild.ts'
import { channels, propertyTypes } from '../../../pipeline/model/documents/index.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { listColumnarTables } from '../../../pipeline/store/columnar-log.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { openRecord } from '../../../pipeline/store/record.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { fillEvents } from './event-store.ts'

/** Numbers of rows of each kind; all follow from the number of agents. */
export interface Sizes {
  agents: number
  domains: number
  members: number
  events: number
}

export function computeSizes(agents: number): Sizes {
  return { agents, domains: 2 * agents, members: Math.ceil(agents / 100), events: 4 * agents }
}

export const markets = 'AT AU BE BR CA CH DE DK ES FI FR GB IE IN IT JP NL NO PL PT SE US'.split(
  ' ',
)
export const toTag = (number: number) => `tag${number}`
export const TAGS = 400

/** Finds one of the three agents that a domain authorizes. */
export function findAgentNear(domain: number, nth: number, { agents }: Sizes): string {
  return toAgent((domain * 3 + nth) % agents)
}

export function toAgent(number: number): string {
  return `https://a${String(number).padStart(6, '0')}.bench.example/mcp`
}

/** Builds SQL for the name of a domain, or the key of an agent, from the number in a column. */
const domain = (n: string) => `printf('d%07d.bench.example', (${n})::bigint)`
const agent = (n: string) => `printf('https://a%06d.bench.example/mcp', (${n})::bigint)`
/** Builds SQL that picks some members of a list, others for each row: about one in `one`. */
const pickSome = (values: readonly string[], count: number) =>
  `list_sort(list_filter([${values.map(value => `'${value}'`).join()}], x -> hash(x, n) % ${count} = 0))`
const rid = (n: string) => `printf('01990000-0000-7000-8000-%012x', (${n})::bigint)::uuid`

const at = 'now()::timestamptz'

/** A network; its file lists this many sites. */
export const network = 'network.bench.example'
const NETWORK_SITES = 7_000
const networkRid = (n: string) => rid(`1e12 + ${n}`)

function buildNetworkRows(): string[] {
  return [
    `insert into publishers by name select '${network}' as domain, true as valid,
       'direct' as discovery_method, domain as resolved_location, 1 as agent_count,
       ${NETWORK_SITES} as property_count, 0 as collection_count, 0 as placement_count,
       0 as format_count, 0 as signal_count, '{}'::json as fields,
       '{"formats":[],"placements":[]}'::json as catalog, ${at} as discovered_at,
       ${at} as changed_at, 1 as seq`,
    `insert into properties by name select ${networkRid('n')} as property_rid,
       '${network}' as publisher_domain, 'p' || n as property_id, 'website' as property_type,
       'Site ' || n as name,
       [{type: 'domain', value: 's' || n || '.${network}'}] as identifiers, ['all'] as tags,
       ['display'] as supported_channels, ['display'] as channels, 'property' as classification,
       'authoritative' as source, 'active' as status, ${at} as created_at, ${at} as changed_at,
       1 as seq from range(${NETWORK_SITES}) r(n)`,
    `insert into authorizations by name select uuid() as id, '${toAgent(0)}' as agent_url,
       '${network}' as publisher_domain, 0 as entry, 'property_tags' as authorization_type,
       'All' as authorized_for, ${networkRid('0')} as property_set, ${NETWORK_SITES} as property_count,
       true as publisher_wide, ['all'] as property_tags, true as in_force,
       'direct' as discovery_method, ${at} as granted_at, ${at} as changed_at, 1 as seq`,
    `insert into property_sets by name select ${networkRid('0')} as set_id,
       '${network}' as publisher_domain, list(${networkRid('n')}) as property_rids
     from range(${NETWORK_SITES}) r(n)`,
  ]
}

/** Names a member's domain. Each member has verified it and enrolled three of the agents. */
export const memberDomain = (number: number) => `m${String(number).padStart(5, '0')}.bench.example`

/** Builds the queries of private rows, by table. */
function buildMemberRows({ members, agents }: Sizes): Record<string, string> {
  const everyMember = `from range(${members}) r(n)`
  const org = `'org' || n as org_id`
  return {
    organizations: `select ${org}, 'Member ' || n as name,
       'company_standard' as membership_tier, false as is_personal, false as marketing_opt_in, ${at} as created_at, 1 as seq ${everyMember}`,
    members: `select ${org}, 'member-' || n as slug, 'Member ' || n as display_name,
       false as is_founding, true as is_public, ${at} as created_at, 1 as seq ${everyMember}`,
    verified_domains: `select ${org},
       printf('m%05d.bench.example', n::bigint) as domain, 'operator' as proof,
       ${at} as verified_at, 1 as seq ${everyMember}`,
    member_agents: `select ${org}, ${agent(`(n * 3 + k) % ${agents}`)} as agent_url,
       k + 1 as position, 'sales' as type, 'Agent ' || k as name, 'public' as visibility,
       ${at} as enrolled_at, 1 as seq ${everyMember}, range(3) s(k)`,
  }
}

function buildRows({ agents, domains }: Sizes): string[] {
  const everyDomain = `from range(${domains}) r(n)`
  const everyAgent = `from range(${agents}) r(n)`
  const tags = Array.from({ length: TAGS }, (_, number) => toTag(number))
  return [
    `insert into brands by name select ${domain('n')} as domain, domain as canonical_id,
       domain as canonical_domain, 'Brand ' || hash(n)::varchar as brand_name,
       'brand_json' as source, '{"description":"of the bench"}'::json as manifest, 1 as seq
     ${everyDomain}`,
    `insert into publishers by name select ${domain('n')} as domain, true as valid,
       'direct' as discovery_method, domain as resolved_location, 3 as agent_count,
       2 as property_count, 0 as collection_count, 0 as placement_count, 0 as format_count,
       0 as signal_count, '{}'::json as fields, '{"formats":[],"placements":[]}'::json as catalog,
       ${at} as discovered_at, ${at} as changed_at, 1 as seq ${everyDomain}`,
    `insert into properties by name select ${rid('n * 2 + k')} as property_rid,
       ${domain('n')} as publisher_domain, 'p' || k as property_id, 'website' as property_type,
       'Site ' || k || ' of ' || n as name,
       [{type: 'domain', value: 'www' || k || '.' || ${domain('n')}}] as identifiers,
       ['all', 'news'] as tags, ['display'] as supported_channels, ['display'] as channels,
       'property' as classification, 'authoritative' as source, 'active' as status,
       ${at} as created_at, ${at} as changed_at, 1 as seq ${everyDomain}, range(2) s(k)`,
    `insert into authorizations by name select uuid() as id,
       ${agent(`(n * 3 + k) % ${agents}`)} as agent_url, ${domain('n')} as publisher_domain,
       k as entry, 'property_ids' as authorization_type, 'All' as authorized_for,
       ${rid('n * 2')} as property_set, 2 as property_count, true as publisher_wide,
       ['p0', 'p1'] as property_ids, true as in_force, 'direct' as discovery_method,
       ${at} as granted_at, ${at} as changed_at, 1 as seq ${everyDomain}, range(3) s(k)`,
    `insert into property_sets by name select ${rid('n * 2')} as set_id, ${domain('n')} as publisher_domain,
       [${rid('n * 2')}, ${rid('n * 2 + 1')}] as property_rids ${everyDomain}`,
    `insert into agents by name select ${agent('n')} as agent_url, 1 + hash(n) % 50 as publisher_count,
       1 + hash(n, 1) % 2000 as property_count, ${pickSome(propertyTypes, 4)} as property_types,
       ${pickSome(channels, 6)} as channels, ${pickSome(tags, 40)} as tags, ${pickSome(markets, 4)} as markets,
       ${at} as discovered_at, ${at} as changed_at, 1 as seq ${everyAgent}`,
    `insert into agent_profiles by name select ${agent('n')} as agent_url, 'Agent ' || n as name,
       'sales' as type, ['mcp'] as protocols, 9 as tools_count, []::varchar[] as channels,
       []::varchar[] as markets, hash(n, 2) % 5 = 0 as has_tmp, false as needs_auth,
       ${at} as changed_at, 1 as seq ${everyAgent}`,
    `insert into crawl_state by name select unnest(['brand.json', 'adagents.json']) as kind,
       ${domain('n')} as location, 2 as priority, 'ok' as outcome, 'success' as effect,
       200 as status, 0 as streak, ${at} as attempted_at, ${at} as succeeded_at, false as requested,
       1 as seq ${everyDomain}`,
  ]
}

/**
 * Fills `folder` once: the index by SQL, the serving store and snapshot through the shipped code,
 * and events beside them.
 */
export async function fillReads(folder: string, sizes: Sizes): Promise<void> {
  const marker = `${folder}/reads-${sizes.agents}`
  if (existsSync(marker)) return
  const paths = resolvePaths(folder)
  makeFolders(paths)
  const index = await Database.open(`${folder}/filling.duckdb`, { memoryLimit: '2GB' })
  await createTables(index)
  for (const filling of [...buildRows(sizes), ...buildNetworkRows()]) await index.run(filling)
  const record = openRecord(paths.record)
  for (const { name, storedAs } of listColumnarTables()) {
    for await (const rows of index.stream<object>(`select * from ${name}`)) {
      record.insert(storedAs, rows)
    }
  }
  record.run('update meta set seq = 1, committed_at = $now', { now: systemClock.now() })
  for (const [table, query] of Object.entries(buildMemberRows(sizes))) {
    record.insert(table, await index.all(query))
  }
  record.close()
  index.close()
  if (!(await rebuild(folder))) throw new Error(`another process is writing to ${folder}`)
  await fillEvents(folder, sizes.events)
  await publish(folder)
  writeFileSync(marker, '')
}

async function publish(folder: string): Promise<void> {
  const config = readConfig({ DATA_DIR: folder })
  const writer = await Sequencer.open({ config, clock: systemClock, log: silentLog })
  if (writer === undefined) throw new Error(`another process is writing to ${folder}`)
  await writer.publish()
  await writer.searchable()
  await writer.close()
}
