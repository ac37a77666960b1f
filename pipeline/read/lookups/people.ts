import type { OauthClient, Person } from '../../model/person.ts'
import { findRecord, type RecordReader } from './records.ts'

/** Finds a person who has signed in, by the subject of their tokens. */
export function findPerson(reader: RecordReader, userId: string): Person | undefined {
  return findRecord(reader, 'person', userId)
}

/** Finds an application that has registered. */
export function findClient(reader: RecordReader, clientId: string): OauthClient | undefined {
  return findRecord(reader, 'oauth_client', clientId)
}
