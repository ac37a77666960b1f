import type { HostedKind, StoredOrigin } from '../../model/hosted.ts'
import { HEAD_LENGTH, readEtag, readModifiedAt } from '../../serving/document-value.ts'
import { toHostedKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'
import { findRecord } from './records.ts'
import type { StoredAnswer } from './stored.ts'

/** Finds the file that the registry serves for a domain, ready to be sent. */
export function findHosted(
  { serving }: Reader,
  kind: HostedKind,
  domain: string,
): StoredAnswer | undefined {
  const value = serving?.get('hosted', toHostedKey(kind, domain))
  if (value === undefined) return undefined
  return {
    etag: readEtag(value),
    modifiedAt: readModifiedAt(value),
    body: value.subarray(HEAD_LENGTH),
  }
}

/**
 * Finds the state of a domain and its hosted file; undefined where it was neither claimed nor
 * checked.
 */
export function findOrigin(reader: Reader, domain: string): StoredOrigin | undefined {
  return findRecord(reader, 'origin', domain)
}
