import { toIso } from '../core/clock.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

/** Replaces the published keys of an identity provider; a key that it no longer publishes is void. */
export function setIssuer(
  db: Sqlite,
  { issuer, keys, server }: OperationOf<'issuer.set'>,
  { now, seq }: AccountStamp,
): Answer {
  db.run('delete from issuers where issuer = $issuer', { issuer })
  db.insert('issuers', [{ issuer, keys, server, read_at: toIso(now), seq }])
  return { done: { issuer, keys: keys.length } }
}

export const issuerDefinitions: OperationDefinitions<'issuer.set'> = {
  'issuer.set': {
    perform: setIssuer,
    irreversible: 'the keys follow the identity provider: change them there',
  },
}
