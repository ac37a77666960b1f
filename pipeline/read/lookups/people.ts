import type { Passkey } from '../../model/accounts/passkey.ts'
import type { OauthClient, Person } from '../../model/accounts/person.ts'
import type { Entity } from '../../store/entries.ts'
import type { PrivateReader } from './private-rows.ts'

/** Finds a person who has signed in, by the subject of their tokens. */
export function findPerson({ record }: PrivateReader, userId: string): Person | undefined {
  return record?.one(
    'select user_id, email, email_verified, name from people where user_id = $userId',
    { userId },
  )
}

/** A person to whom mails about what they watch go. */
export interface Watcher {
  user_id: string
  email: string
}

/**
 * Finds the person who created a key, as the audit tells: one who signed in here with a verified address, and who still
 * belongs to the organization of the key.
 */
export function findKeyCreator(
  { record }: PrivateReader,
  keyId: string,
  orgId: string,
): Watcher | undefined {
  return record?.one(
    `select p.user_id, p.email from submissions s join people p on p.user_id = s.by_id
       join memberships m on m.user_id = p.user_id and m.org_id = $orgId and m.removed_at is null
     where s.operation = 'key.create' and s.by_kind = 'user' and s.content ->> '$.key_id' = $keyId
       and s.answer -> '$.done' is not null and p.email is not null and p.email_verified`,
    { keyId, orgId },
  )
}

/**
 * Finds who saved which version of an entry for an organization, by the numbers of the versions: the addresses of people who
 * still belong to it. Others only learn the name of the organization.
 */
export function findAuthors(
  { record }: PrivateReader,
  entry: { entity: Entity; domain: string; org_id: string },
): Map<number, string> {
  const rows = record?.all<{ number: number; email: string }>(
    `select r.revision_number as number, p.email from revisions r
       join editors e on e.editor_id = r.editor_id and e.org_id = $org_id and e.kind = 'user'
       join people p on p.user_id = e.principal_id
       join memberships m on m.user_id = p.user_id and m.org_id = $org_id and m.removed_at is null
     where r.domain = $domain and r.entity = $entity and p.email is not null`,
    entry,
  )
  return new Map(rows?.map(({ number, email }) => [number, email]))
}

/** Finds an application that has registered. */
export function findClient({ record }: PrivateReader, clientId: string): OauthClient | undefined {
  return record?.one(
    'select client_id, metadata, secret_hash from oauth_clients where client_id = $clientId',
    { clientId },
  )
}

/** Tells whether nobody has signed in with an application yet. */
export function isUnusedClient({ record }: PrivateReader, clientId: string): boolean {
  const sql = "select 1 from stranger_items where kind = 'client' and key = $clientId"
  return record?.one(sql, { clientId }) !== undefined
}

/** Passkeys of a person; a removed one has no key. */
const PASSKEYS = `
select user_id, credential_id, public_key, counter, transports, label, created_at, used_at
from passkeys where user_id = $userId and public_key <> ''`

/** Finds a passkey of a person by the id that the authenticator gave it. */
export function findPasskey(
  { record }: PrivateReader,
  userId: string,
  credentialId: string,
): Passkey | undefined {
  return record?.one(`${PASSKEYS} and credential_id = $credentialId`, { userId, credentialId })
}

/** Lists the passkeys of a person. */
export function listPasskeys({ record }: PrivateReader, userId: string): Passkey[] {
  return record?.all(`${PASSKEYS} order by credential_id`, { userId }) ?? []
}
