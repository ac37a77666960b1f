import { loadMirrors, type MirrorRow } from '../../accounts/mirrors.ts'
import { toIso } from '../../core/clock.ts'
import type { StoredMirror } from '../../model/mirror.ts'
import { toJsonValue } from '../document-value.ts'
import type { RowProjection } from './projection.ts'

/** Projects mirrors as they are served, with their contact, which no public store contains. */
export const mirrorProjection: RowProjection = {
  store: 'accounts',
  tables: ['mirrors'],
  changed: 'seq > $seq',
  slicedBy: 'platform',
  from: 'mirrors',
  project({ accounts }, where, parameters) {
    const rows = loadMirrors(accounts.db, where, parameters)
    return rows.map(row => ({
      space: 'mirror',
      key: row.platform,
      value: row.removed ? undefined : toJsonValue(toStoredMirror(row)),
    }))
  },
}

function toStoredMirror({
  platform,
  digest,
  content,
  created_at,
  updated_at,
}: MirrorRow): StoredMirror {
  const { document, catalog_etag, superseded_by, publisher_domains } = content
  const adagents_json = { ...document, last_updated: toIso(Date.parse(updated_at)) }
  const facts = { platform, catalog_etag, superseded_by, adagents_json, digest }
  return { ...facts, publisher_domains, created_at, updated_at }
}
