import { hashCanonicalJson } from '../core/canonical-json.ts'
import { toIso } from '../core/clock.ts'
import type { MirrorContent, MirrorProposal } from '../model/mirror.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite, SqliteParameters } from '../store/sqlite.ts'
import {
  getRowBefore,
  type Inverse,
  type KnownChange,
  type OperationDefinitions,
} from './operation-definition.ts'
import { type Review, submitReview } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

/** Represents a stored mirror. */
export interface MirrorRow {
  platform: string
  digest: string
  content: MirrorContent
  removed: boolean
  created_at: string
  updated_at: string
}

export function publishMirror(
  db: Sqlite,
  { platform, content, editor }: OperationOf<'mirror.publish'>,
  stamp: AccountStamp,
): Answer {
  return { done: keep(db, platform, { content, published_by: editor.id }, stamp) }
}

/** Proposes a mirror for review by a moderator. The mirror that it is based on is part of its digest. */
export function proposeMirror(
  db: Sqlite,
  { platform, content, editor, review_id }: OperationOf<'mirror.propose'>,
  stamp: AccountStamp,
): Answer {
  const base_digest = findMirror(db, platform)?.digest ?? null
  const digest = hashCanonicalJson({ base_digest, document: content.document })
  const payload: MirrorProposal = { ...content, base_digest }
  const { id: submitted_by, org_id } = editor
  const review = { kind: 'mirror', subject: platform, submitted_by, org_id } as const
  const proposal_id = submitReview(
    db,
    { ...review, review_id, digest, payload: { ...payload } },
    stamp,
  )
  const submitted_at = toIso(stamp.now)
  return { done: { proposal_id, proposal_digest: digest, platform, submitted_at } }
}

/** Approves a mirror, if the mirror that it was proposed for is still the current one. */
export function approveMirror(
  db: Sqlite,
  { subject: platform, payload, submitted_by }: Review,
  stamp: AccountStamp,
): Answer {
  const { base_digest, ...content } = payload as unknown as MirrorProposal
  const current = findMirror(db, platform)?.digest ?? null
  if (current !== base_digest) {
    const refused = `the mirror of ${platform} changed since this was proposed`
    return { refused, error: 'conflict' }
  }
  return { done: keep(db, platform, { content, published_by: submitted_by }, stamp) }
}

export function rejectMirror(_db: Sqlite, { subject }: Review): Answer {
  return { done: { platform: subject } }
}

/** Removes a mirror; refuses if nothing supersedes it, so that it is not removed by mistake. */
export function removeMirror(
  db: Sqlite,
  { platform, force }: OperationOf<'mirror.remove'>,
  { now, seq }: AccountStamp,
): Answer {
  const current = findMirror(db, platform)
  if (current === undefined) {
    return { refused: `there is no mirror of "${platform}"`, error: 'not_found' }
  }
  if (current.content.superseded_by === null && !force) {
    const refused = `nothing supersedes the mirror of ${platform}: force=true removes it anyway`
    return { refused, error: 'conflict' }
  }
  db.run(
    `update mirrors set removed = true, updated_at = $now, seq = $seq
     where platform = $platform`,
    { platform, now: toIso(now), seq },
  )
  return { done: { platform } }
}

/** Loads the mirrors for which `where` holds, including removed ones. */
export function loadMirrors(db: Sqlite, where: string, parameters: SqliteParameters): MirrorRow[] {
  return db.all(
    `select platform, digest, content, removed, created_at, updated_at from mirrors where ${where} order by platform`,
    parameters,
  )
}

function keep(
  db: Sqlite,
  platform: string,
  { content, published_by }: { content: MirrorContent; published_by: string },
  { now, seq }: AccountStamp,
) {
  const updated_at = toIso(now)
  const current = findMirror(db, platform)
  const row = { platform, content, published_by, digest: hashCanonicalJson(content.document) }
  const created_at = current?.created_at ?? updated_at
  db.run('delete from mirrors where platform = $platform', { platform })
  db.insert('mirrors', [{ ...row, removed: false, created_at, updated_at, seq }])
  const { catalog_etag, superseded_by, publisher_domains } = content
  return { platform, catalog_etag, superseded_by, publisher_domains, updated_at }
}

function findMirror(db: Sqlite, platform: string): MirrorRow | undefined {
  return db.one('select * from mirrors where platform = $platform and not removed', { platform })
}

const mirror = { table: 'mirrors', where: 'platform = $platform' }

/** Inverts a change of a mirror: restores the earlier one, or removes one that is new. */
export function invertMirrorChange(
  { platform }: { platform: string },
  known: KnownChange,
): Inverse {
  const row = getRowBefore(known, 'mirrors')
  const { editor } = known
  return row && !row.removed
    ? { op: 'mirror.publish', platform, content: row.content, editor }
    : { op: 'mirror.remove', platform, force: true }
}

export const mirrorDefinitions: OperationDefinitions<
  'mirror.publish' | 'mirror.propose' | 'mirror.remove'
> = {
  'mirror.publish': {
    perform: publishMirror,
    watches: [mirror],
    requires: { membershipIn: ({ editor }) => editor.org_id, moderator: () => true },
    invert: invertMirrorChange,
  },
  'mirror.propose': {
    perform: proposeMirror,
    requires: { membershipIn: ({ editor }) => editor.org_id },
    irreversible: 'decide its review',
  },
  'mirror.remove': {
    perform: removeMirror,
    watches: [mirror],
    requires: { moderator: () => true },
    invert: invertMirrorChange,
  },
}
