import type { Passkey } from '../../model/accounts/passkey.ts'
import type { OauthClient, Person } from '../../model/accounts/person.ts'
import { findRecord, listRecords, type RecordReader } from './records.ts'

/** Finds a person who has signed in, by the subject of their tokens. */
export function findPerson(reader: RecordReader, userId: string): Person | undefined {
  return findRecord(reader, 'person', userId)
}

/** Finds an application that has registered. */
export function findClient(reader: RecordReader, clientId: string): OauthClient | undefined {
  return findRecord(reader, 'oauth_client', clientId)
}

/** Finds a passkey of a person by the id that the authenticator gave it. */
export function findPasskey(
  reader: RecordReader,
  userId: string,
  credentialId: string,
): Passkey | undefined {
  return findRecord(reader, 'passkey', `${userId} ${credentialId}`)
}

/** Lists the passkeys of a person. */
export function listPasskeys(reader: RecordReader, userId: string): Passkey[] {
  return listRecords(reader, 'passkey', userId)
}
