import type { MemberAgent, StoredMember } from '../../model/accounts/member.ts'
import type { Sqlite, SqliteParameters } from '../sqlite.ts'

/** Loads the members for which `where` holds (m is members), each with its agents and domains. */
export function loadStoredMembers(
  db: Sqlite,
  where = 'true',
  parameters: SqliteParameters = {},
): StoredMember[] {
  const profiles = db.all<Omit<StoredMember, 'agents' | 'domains'>>(
    `select m.org_id, o.name as org_name, m.slug, m.display_name, m.is_founding, m.is_public,
       o.membership_tier
     from members m join organizations o using (org_id) where ${where} order by m.org_id`,
    parameters,
  )
  if (profiles.length === 0) return []
  const ids = { ids: JSON.stringify(profiles.map(({ org_id }) => org_id)) }
  const theirs = `org_id in (select value from json_each($ids))`
  const agents = db.all<MemberAgent & { org_id: string }>(
    `select org_id, agent_url as url, type, name, visibility, health_check_url, enrolled_at
     from member_agents where ${theirs} order by org_id, position`,
    ids,
  )
  const domains = db.all<{ org_id: string; domain: string }>(
    `select org_id, domain from verified_domains where ${theirs} order by org_id, domain`,
    ids,
  )
  const agentsByOrganization = Map.groupBy(agents, row => row.org_id)
  const domainsByOrganization = Map.groupBy(domains, row => row.org_id)
  return profiles.map(profile => ({
    ...profile,
    agents: (agentsByOrganization.get(profile.org_id) ?? []).map(
      ({ org_id: _, ...agent }) => agent,
    ),
    domains: (domainsByOrganization.get(profile.org_id) ?? []).map(({ domain }) => domain),
  }))
}

/** Lists the members, of those for which `where` holds, whose organization was deleted. */
export function listDeletedMembers(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): string[] {
  const rows = db.all<{ org_id: string }>(
    `select m.org_id from members m left join organizations o using (org_id)
     where o.org_id is null and (${where})`,
    parameters,
  )
  return rows.map(({ org_id }) => org_id)
}

/** Finds the commit in which any member changed last; 0 while there is none. */
export function findLastMemberChange(db: Sqlite): number {
  const row = db.oneOrThrow<{ seq: number }>('select coalesce(max(seq), 0) as seq from members')
  return Number(row.seq)
}
