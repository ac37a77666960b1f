import { isoOf } from '../../core/clock.ts'
import type { Issuer } from '../../model/identity.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Database, Parameters } from '../duckdb.ts'
import type { Stamp } from './stamp.ts'

/** What an identity provider says takes the place of what it said before: a key it dropped is void. */
export async function setIssuer(
  db: Database,
  { issuer, keys, server }: OperationOf<'issuer.set'>,
  { now, seq }: Stamp,
): Promise<Answer> {
  await db.run('delete from issuers where issuer = $issuer', { issuer })
  await db.insert('issuers', [{ issuer, keys, server, read_at: isoOf(now), seq }])
  return { done: { issuer, keys: keys.length } }
}

/** Identity providers for which `where` holds. */
export function issuers(db: Database, where: string, parameters: Parameters): Promise<Issuer[]> {
  return db.all(`select issuer, keys, server from issuers where ${where} order by all`, parameters)
}
