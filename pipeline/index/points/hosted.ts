import type { HostedKind, StoredOrigin } from '../../model/hosted.ts'
import type { Reader } from '../reader.ts'
import { hostedKey } from '../serving-keys.ts'
import { etagOf, HEAD_LENGTH, modifiedAt } from '../serving-value.ts'
import type { StoredAnswer } from './stored.ts'

/** The file that the registry serves for a domain, ready to be sent. */
export function findHosted(
  { serving }: Reader,
  kind: HostedKind,
  domain: string,
): StoredAnswer | undefined {
  const value = serving?.get('hosted', hostedKey(kind, domain))
  if (value === undefined) return undefined
  return { etag: etagOf(value), modifiedAt: modifiedAt(value), body: value.subarray(HEAD_LENGTH) }
}

/** How a domain stands to its hosted file; undefined where nobody claimed it or looked. */
export function findOrigin({ serving }: Reader, domain: string): StoredOrigin | undefined {
  const value = serving?.get('origin', domain)
  return value === undefined ? undefined : (JSON.parse(value.toString()) as StoredOrigin)
}
