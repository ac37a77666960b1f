import { loadStoredLogos } from '../../accounts/logos.ts'
import { loadMirrors, type MirrorRow } from '../../accounts/mirrors.ts'
import { loadStoredReviews } from '../../accounts/reviews.ts'
import { toIso } from '../../core/clock.ts'
import type { StoredMirror } from '../../model/mirror.ts'
import { toJsonValue } from '../document-value.ts'
import { toLogoKey, toPayloadKey, toReviewKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/**
 * Projects reviews, and the submissions under review as separate records, since lists of reviews do not need
 * these.
 */
export const reviewProjection: RowProjection = {
  store: 'accounts',
  tables: ['reviews'],
  changed: 'r.seq > $seq',
  slicedBy: 'review_id',
  from: 'reviews r',
  project({ accounts }, where, parameters) {
    const rows = loadStoredReviews(accounts.db, where, parameters)
    return rows.flatMap(({ payload, ...review }): Entry[] => [
      { space: 'review', key: toReviewKey(review.review_id), value: toJsonValue(review) },
      { space: 'review', key: toPayloadKey(review.review_id), value: toJsonValue(payload) },
    ])
  },
}

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

/** Projects logos with the organization that submitted them, from which readers derive who may see them. */
export const logoProjection: RowProjection = {
  store: 'accounts',
  tables: ['logos'],
  changed: 'seq > $seq',
  slicedBy: 'domain',
  from: 'logos',
  project({ accounts }, where, parameters) {
    const rows = loadStoredLogos(accounts.db, where, parameters)
    return rows.map(logo => ({
      space: 'logo',
      key: toLogoKey(logo.domain, logo.logo_id),
      value: toJsonValue(logo),
    }))
  },
}
