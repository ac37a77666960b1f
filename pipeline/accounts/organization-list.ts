import type { Sqlite } from '../store/sqlite.ts'

/** An organization in the form that operators see. */
export interface ListedOrganization {
  org_id: string
  name: string
  /** Number of people who belong to it. */
  people: number
  /** Number of its active keys. */
  keys: number
  domains: string[]
}

/** Lists all organizations by name. */
export function listNamedOrganizations(db: Sqlite): ListedOrganization[] {
  return db.all(
    `select o.org_id, o.name,
       (select count(*) from memberships m where m.org_id = o.org_id and m.removed_at is null) as people,
       (select count(*) from api_keys k where k.org_id = o.org_id and k.revoked_at is null) as keys,
       (select json_group_array(d.domain order by d.domain)
        from verified_domains d where d.org_id = o.org_id) as "domains [json]"
     from organizations o order by o.name`,
  )
}
