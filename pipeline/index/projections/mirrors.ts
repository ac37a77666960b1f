import { isoOf } from '../../core/clock.ts'
import type { StoredMirror } from '../../model/mirror.ts'
import { type KeptMirror, keptMirrors } from '../accounts/mirrors.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

/** Mirrors as they are served, with the contact, which no public store has. */
export async function mirrorEntries(
  accounts: Accounts,
  { mirrors, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await keptMirrors(accounts.db, mirrors, parameters)
  return rows.map(row => ({
    space: 'mirror',
    key: row.platform,
    value: row.removed ? undefined : Buffer.from(JSON.stringify(storedOf(row))),
  }))
}

function storedOf({ platform, digest, content, created_at, updated_at }: KeptMirror): StoredMirror {
  const { document, catalog_etag, superseded_by, publisher_domains } = content
  const adagents_json = { ...document, last_updated: isoOf(Date.parse(updated_at)) }
  const facts = { platform, catalog_etag, superseded_by, adagents_json, digest }
  return { ...facts, publisher_domains, created_at, updated_at }
}
