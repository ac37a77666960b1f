import { hashCanonicalJson } from '../core/canonical-json.ts'
import { toIso } from '../core/clock.ts'
import type { StoredLogo } from '../model/logo.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import { loadStoredLogos } from '../store/private-rows/logo-rows.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { hasProof } from './proofs.ts'
import { type Review, submitReview } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

/** Logos that one brand can have. */
const LOGOS_PER_BRAND_MAX = 100

/**
 * Saves a logo. Logos of a proven owner of the domain, or of a moderator, are shown at once; others
 * wait for review. The same picture for the same brand is one logo.
 */
export function saveLogo(
  db: Sqlite,
  operation: OperationOf<'logo.save'>,
  stamp: AccountStamp,
): Answer {
  const { editor, bytes, moderates, logo_id, note = null } = operation
  const { domain, content_type, sha256: hash, tags } = operation
  const others = loadLogos(db, domain)
  const same = others.find(other => other.hash === hash && other.status !== 'rejected')
  if (same?.status === 'approved') {
    return { done: { logo_id: same.logo_id, domain, hash, status: 'approved' } }
  }
  if (same === undefined && others.length >= LOGOS_PER_BRAND_MAX) {
    return { refused: `${domain} already has ${LOGOS_PER_BRAND_MAX} logos`, error: 'conflict' }
  }
  const { org_id } = editor
  const isOwner = org_id !== null && hasProof(db, org_id, domain, stamp.now)
  const isShown = moderates || isOwner
  const payload = { domain, hash, content_type, tags, note }
  const review = { kind: 'logo', subject: `${domain} ${hash}`, submitted_by: editor.id } as const
  const id = isShown
    ? logo_id
    : submitReview(
        db,
        { ...review, review_id: logo_id, org_id, digest: hashCanonicalJson(payload), payload },
        stamp,
      )
  db.run('delete from logos where logo_id = $id', { id })
  const row = {
    ...payload,
    logo_id: id,
    bytes: Buffer.byteLength(bytes, 'base64'),
    source: isOwner ? 'brand_owner' : 'community',
    status: isShown ? 'approved' : 'pending',
    org_id,
    uploaded_by: editor.id,
    uploaded_at: toIso(stamp.now),
    seq: stamp.seq,
  }
  db.insert('logos', [row])
  return { done: { logo_id: id, domain, hash, status: row.status } }
}

export function approveLogo(db: Sqlite, review: Review, stamp: AccountStamp): Answer {
  return { done: decide(db, review, 'approved', stamp) }
}

/** Rejects a logo; its picture is deleted too (`listUnusedPictures`). */
export function rejectLogo(db: Sqlite, review: Review, stamp: AccountStamp): Answer {
  return { done: decide(db, review, 'rejected', stamp) }
}

/** Lists pictures that no logo has used since this commit. */
export function listUnusedPictures(db: Sqlite, seq: number): string[] {
  const rows = db.all<{ hash: string }>(
    `select distinct hash from logos where status = 'rejected' and seq = $seq
       and hash not in (select hash from logos where status != 'rejected')`,
    { seq },
  )
  return rows.map(({ hash }) => hash)
}

function decide(
  db: Sqlite,
  { review_id, payload }: Review,
  status: 'approved' | 'rejected',
  { seq }: AccountStamp,
) {
  db.run('update logos set status = $status, seq = $seq where logo_id = $review_id', {
    status,
    seq,
    review_id,
  })
  const { domain, hash } = payload as { domain: string; hash: string }
  return { logo_id: review_id, domain, hash }
}

function loadLogos(db: Sqlite, domain: string): StoredLogo[] {
  return loadStoredLogos(db, 'domain = $domain', { domain })
}

export const logoDefinitions: OperationDefinitions<'logo.save'> = {
  'logo.save': {
    perform: saveLogo,
    requires: {
      membershipIn: ({ editor }) => editor.org_id,
      moderator: ({ moderates }) => moderates,
    },
    irreversible:
      'it is published or waiting for review: decide its review, or take the domain down',
  },
}
