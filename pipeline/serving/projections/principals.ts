import { loadIssuers } from '../../accounts/issuers.ts'
import { loadMemberships } from '../../accounts/memberships.ts'
import { loadPrincipals } from '../../accounts/organizations.ts'
import { loadPasskeys } from '../../accounts/passkeys.ts'
import { loadClients, loadPeople } from '../../accounts/people.ts'
import { loadStoredRoles } from '../../accounts/roles.ts'
import type { Sqlite, SqliteParameters } from '../../store/sqlite.ts'
import { toJsonValue } from '../document-value.ts'
import { toRoleKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/** Each key under the hash of its secret, by which callers are known, and under its organization. */
export const keyProjection: RowProjection = {
  store: 'accounts',
  tables: ['api_keys', 'organizations'],
  changed: '(k.seq > $seq or k.org_id in (select org_id from organizations where seq > $seq))',
  slicedBy: 'hash',
  from: 'api_keys k join organizations o using (org_id)',
  project({ accounts }, where, parameters) {
    const rows = loadPrincipals(accounts.db, where, parameters)
    return rows.flatMap(({ hash, revoked, ...principal }): Entry[] => {
      const { org_id, key_id } = principal
      const value = revoked ? undefined : toJsonValue(principal)
      return [
        { space: 'principal', key: hash, value },
        { space: 'org_key', key: `${org_id} ${key_id}`, value },
      ]
    })
  },
}

/** Persons with the organizations they belong to; a person who belongs to none any more is forgotten. */
export const userProjection: RowProjection = {
  store: 'accounts',
  tables: ['memberships', 'organizations'],
  changed: `user_id in (select user_id from memberships
    where seq > $seq or org_id in (select org_id from organizations where seq > $seq))`,
  slicedBy: 'user_id',
  from: 'memberships',
  project({ accounts }, where, parameters) {
    const found = loadMemberships(accounts.db, where, parameters)
    return [...found].map(([user_id, memberships]) => ({
      space: 'user',
      key: user_id,
      value: memberships.length > 0 ? toJsonValue({ memberships }) : undefined,
    }))
  },
}

/** The identity provider, by whose keys each process verifies tokens. */
export const issuerProjection = projectTable('issuer', 'issuers', 'issuer', loadIssuers)

/** Persons who have signed in here, by the subject of their tokens. */
export const personProjection = projectTable('person', 'people', 'user_id', loadPeople)

/** Applications that have registered here, by their id. */
export const clientProjection = projectTable(
  'oauth_client',
  'oauth_clients',
  'client_id',
  loadClients,
)

/** Passkeys of persons, by their id below their person's; a removed one is forgotten. */
export const passkeyProjection: RowProjection = {
  store: 'accounts',
  tables: ['passkeys'],
  changed: 'seq > $seq',
  slicedBy: 'user_id',
  from: 'passkeys',
  project({ accounts }, where, parameters) {
    const rows = loadPasskeys(accounts.db, where, parameters)
    return rows.map(row => ({
      space: 'passkey',
      key: `${row.user_id} ${row.credential_id}`,
      value: row.public_key === '' ? undefined : toJsonValue(row),
    }))
  },
}

/** Roles of a key or a person; one who holds none any more is forgotten. */
export const roleProjection: RowProjection = {
  store: 'accounts',
  tables: ['roles'],
  changed: 'seq > $seq',
  slicedBy: 'id',
  from: 'roles',
  project({ accounts }, where, parameters) {
    const rows = loadStoredRoles(accounts.db, where, parameters)
    return rows.map(row => ({
      space: 'role',
      key: toRoleKey(row.holder, row.id),
      value: row.roles.length === 0 ? undefined : toJsonValue(row),
    }))
  },
}

/** Projects a table of the accounts row by row: the row as JSON, under the value of a column. */
function projectTable<Column extends string>(
  space: Entry['space'],
  table: string,
  column: Column,
  load: (
    db: Sqlite,
    where: string,
    parameters: SqliteParameters,
  ) => readonly Record<Column, string>[],
): RowProjection {
  return {
    store: 'accounts',
    tables: [table],
    changed: 'seq > $seq',
    slicedBy: column,
    from: table,
    project({ accounts }, where, parameters) {
      const rows = load(accounts.db, where, parameters)
      return rows.map(row => ({ space, key: row[column], value: toJsonValue(row) }))
    },
  }
}
