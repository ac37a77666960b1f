import { toIso } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'
import type { KeyPermission } from '../core/roles.ts'
import type { Tier } from '../core/tiers.ts'
import type { Answer, OperationOf, Refusal } from '../model/submission.ts'
import { KEY_CREATORS, KEY_PREFIXES } from '../store/private-rows/key-creators.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { getRowBefore, type OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

export interface Organization {
  org_id: string
  name: string
  membership_tier: Tier | null
}

/** Reason why a founding cannot be inverted. */
export const STAYS = 'it may have been used since: revoke its keys, or delete it'

export function createOrganization(
  db: Sqlite,
  { org_id, name }: OperationOf<'organization.create'>,
  { now, seq }: AccountStamp,
): Answer {
  const taken = findOrganization(db, name)
  if (taken) return { refused: `an organization named ${name} already exists`, error: 'conflict' }
  insertOrganization(db, { org_id, name }, { now, seq })
  return { done: { org_id, name } }
}

/** Fields of a new organization. */
export interface NewOrganization {
  org_id: string
  name: string
  is_personal?: boolean
  company_type?: string
  revenue_tier?: string
  marketing_opt_in?: boolean
}

export function insertOrganization(
  db: Sqlite,
  { is_personal = false, marketing_opt_in = false, ...said }: NewOrganization,
  { now, seq }: AccountStamp,
): void {
  const row = { ...said, is_personal, marketing_opt_in, created_at: toIso(now), seq }
  return db.insert('organizations', [row])
}

/** Renames an organization, and its profile where that had the same name. */
export function renameOrganization(
  db: Sqlite,
  { org_id, name }: OperationOf<'organization.rename'>,
  { seq }: AccountStamp,
): Answer {
  const known = findOrganization(db, org_id)
  if (known?.org_id !== org_id) return refuseUnknownOrganization(org_id)
  const other = findOrganization(db, name)
  if (other && other.org_id !== org_id) {
    return { refused: `an organization named ${name} already exists`, error: 'conflict' }
  }
  db.run('update organizations set name = $name, seq = $seq where org_id = $org_id', {
    org_id,
    name,
    seq,
  })
  db.run(
    `update members set display_name = iif(display_name = $before, $name, display_name), seq = $seq
     where org_id = $org_id`,
    { org_id, before: known.name, name, seq },
  )
  return { done: { org_id, name } }
}

export function createKey(
  db: Sqlite,
  { key_id, org, label, hash, permissions = [] }: OperationOf<'key.create'>,
  { now, seq }: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id } = owner
  db.insert('api_keys', [
    { key_id, org_id, label, permissions, hash, created_at: toIso(now), revoked_at: null, seq },
  ])
  return { done: { key_id, org_id, created_at: toIso(now) } }
}

export function revokeKey(
  db: Sqlite,
  { key_id, org_id }: OperationOf<'key.revoke'>,
  { now, seq }: AccountStamp,
): Answer {
  const revoked = db.run(
    `update api_keys set revoked_at = coalesce(revoked_at, $now), seq = $seq
     where key_id = $key_id and org_id = coalesce($org_id, org_id)`,
    { key_id, org_id: org_id ?? null, now: toIso(now), seq },
  )
  return revoked > 0 ? { done: { key_id } } : { refused: `no key ${key_id}`, error: 'not_found' }
}

/** A key in the form that operators see. */
export interface ListedKey {
  key_id: string
  org_name: string
  /** First characters of its secret; null where they were not stored. */
  prefix: string | null
  label: string
  permissions: KeyPermission[]
  created_at: string
  /** Creator of the key; null if the command line created it. */
  created_by: string | null
}

/** Active keys to list: those of an organization, by its name or id, and the one whose secret has this hash. */
export interface KeysWanted {
  org?: string | undefined
  hash?: string | undefined
}

/** Lists active keys, oldest first; null if no organization has the name or id that is wanted. */
export function listActiveKeys(db: Sqlite, { org, hash }: KeysWanted): ListedKey[] | null {
  const owner = org === undefined ? undefined : findOrganization(db, org)
  if (org !== undefined && owner === undefined) return null
  return db.all<ListedKey>(
    `select k.key_id, o.name as org_name, p.prefix, k.label, k.permissions, k.created_at, c.creator as created_by
     from api_keys k join organizations o on o.org_id = k.org_id
       left join (${KEY_CREATORS}) c on c.key_id = k.key_id and c.org_id = k.org_id
       left join (${KEY_PREFIXES}) p on p.key_id = k.key_id and p.org_id = k.org_id
     where k.revoked_at is null and k.org_id = coalesce($org_id, k.org_id) and k.hash = coalesce($hash, k.hash)
     order by k.created_at, k.key_id`,
    { org_id: owner?.org_id ?? null, hash: hash ?? null },
  )
}

export function findOrganization(db: Sqlite, nameOrId: string): Organization | undefined {
  return db.one(
    `select org_id, name, membership_tier from organizations
     where name = $name or org_id = $name`,
    { name: nameOrId },
  )
}

export function refuseUnknownOrganization(org: string): Refusal {
  return { refused: `there is no organization called ${org}`, error: 'not_found' }
}

const keys = { table: 'api_keys', where: 'key_id = $key_id' }
const named = { table: 'organizations', where: 'org_id = $org_id' }

export const organizationDefinitions: OperationDefinitions<
  'organization.create' | 'organization.rename' | 'key.create' | 'key.revoke'
> = {
  'organization.create': {
    perform: createOrganization,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: STAYS,
  },
  'organization.rename': {
    perform: renameOrganization,
    watches: [named],
    requires: { membershipIn: ({ org_id }) => org_id, right: () => 'name' },
    changesEnrolments: true,
    invert: ({ org_id }, known) => ({
      op: 'organization.rename',
      org_id,
      name: requireValue(getRowBefore(known, 'organizations'), 'row before').name,
    }),
  },
  'key.create': {
    perform: createKey,
    watches: [keys],
    requires: { membershipIn: ({ org }) => org, right: () => 'keys' },
    invert: ({ key_id }) => ({ op: 'key.revoke', key_id }),
  },
  'key.revoke': {
    perform: revokeKey,
    watches: [keys],
    requires: { membershipIn: ({ org_id }) => org_id, right: () => 'keys' },
    irreversible: 'a revoked key stays revoked: create another one',
  },
}
