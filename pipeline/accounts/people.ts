import { toIso } from '../core/clock.ts'
import { type Person, UNUSED_CLIENTS_MAX } from '../model/accounts/person.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'
import {
  countStrangerItems,
  findOldestOfLargest,
  recordStrangerItem,
  removeStrangerItem,
} from './stranger-items.ts'

/**
 * Finds the person of a provider's subject, or adds them. Their name and email are updated from the provider.
 */
export function addPerson(
  db: Sqlite,
  { op: _, ...given }: OperationOf<'person.enter'>,
  { now, seq }: AccountStamp,
): Answer {
  const { provider, subject, email, email_verified, name } = given
  const known = db.one<Person>(
    `select user_id, email, email_verified, name from people
     where provider = $provider and subject = $subject`,
    { provider, subject },
  )
  if (known === undefined) {
    db.insert('people', [{ ...given, created_at: toIso(now), seq }])
    return { done: { user_id: given.user_id } }
  }
  const { user_id } = known
  const isSame =
    known.email === email && known.email_verified === email_verified && known.name === name
  if (!isSame) {
    db.run(
      `update people set email = $email, email_verified = $email_verified, name = $name, seq = $seq
       where user_id = $user_id`,
      { user_id, email, email_verified, name, seq },
    )
  }
  return { done: { user_id } }
}

/**
 * Deletes the account of a person. What they did stays in the audit under their id, which no longer names anybody.
 * Whoever signs in with the same address later is a new person.
 */
function deletePerson(
  db: Sqlite,
  { user_id }: OperationOf<'person.delete'>,
  { now, seq }: AccountStamp,
): Answer {
  const known = db.one('select 1 from people where user_id = $user_id', { user_id })
  if (known === undefined) return { refused: 'there is no such account', error: 'not_found' }
  const joined = db.all<{ name: string }>(
    `select o.name from memberships m join organizations o using (org_id)
     where m.user_id = $user_id and m.removed_at is null order by o.name`,
    { user_id },
  )
  if (joined.length > 0) {
    const names = joined.map(({ name }) => name).join(', ')
    return { refused: `leave or delete these organizations first: ${names}`, error: 'conflict' }
  }
  for (const table of ['passkeys', 'watches', 'watch_mails', 'people']) {
    db.run(`delete from ${table} where user_id = $user_id`, { user_id })
  }
  db.run(
    `update roles set revoked_at = $at, seq = $seq
     where holder = 'user' and id = $user_id and revoked_at is null`,
    { user_id, at: toIso(now), seq },
  )
  return { done: { user_id } }
}

export function registerClient(
  db: Sqlite,
  { client_id, metadata, secret_hash, caller_hash = '' }: OperationOf<'client.register'>,
  stamp: AccountStamp,
): Answer {
  const { now, seq } = stamp
  const known = db.one('select 1 from oauth_clients where client_id = $client_id', {
    client_id,
  })
  if (known) return { refused: 'a client with this ID already exists', error: 'conflict' }
  const row = { client_id, metadata, secret_hash, registered_at: toIso(now), seq }
  db.insert('oauth_clients', [row])
  recordStrangerItem(db, { kind: 'client', key: client_id }, caller_hash, stamp)
  while (countStrangerItems(db, 'client') > UNUSED_CLIENTS_MAX) {
    const oldest = findOldestOfLargest(db, 'client')
    if (oldest !== undefined) removeClients(db, [oldest])
  }
  return { done: { client_id } }
}

/** Deletes the applications that were registered before this time, and that nobody has signed in with. */
export function removeUnusedClients(db: Sqlite, until: string): void {
  const unused = db.all<{ key: string }>(
    "select key from stranger_items where kind = 'client' and since < $until",
    { until },
  )
  removeClients(
    db,
    unused.map(({ key }) => key),
  )
}

function removeClients(db: Sqlite, ids: readonly string[]): void {
  db.run('delete from oauth_clients where client_id in (select value from json_each($ids))', {
    ids,
  })
  for (const key of ids) removeStrangerItem(db, { kind: 'client', key })
}

function keepClient(db: Sqlite, { client_id }: OperationOf<'client.use'>): Answer {
  removeStrangerItem(db, { kind: 'client', key: client_id })
  return { done: { client_id } }
}

export const personDefinitions: OperationDefinitions<
  'person.enter' | 'person.delete' | 'client.register' | 'client.use'
> = {
  'person.enter': {
    perform: addPerson,
    irreversible: 'it gives no rights: remove memberships and roles',
  },
  'person.delete': {
    perform: deletePerson,
    irreversible: 'what was known of the person was deleted: they sign in as a new one',
  },
  'client.register': {
    perform: registerClient,
    irreversible: 'a registration gives no rights: a person must consent first',
  },
  'client.use': {
    perform: keepClient,
    irreversible: 'an application that is used gives no rights: end the consents of its persons',
  },
}
