import type { ReviewKind } from '../model/review.ts'
import type { Answer } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { approveBrand, rejectBrand } from './brand-submissions.ts'
import { rejectDispute, upholdDispute } from './contributions.ts'
import { decideEntry } from './entry-reviews.ts'
import { approveLogo, rejectLogo } from './logos.ts'
import { approveMirror, rejectMirror } from './mirrors.ts'
import { approvePolicy, rejectPolicy } from './policies.ts'
import type { Review } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

type Decide = (db: Sqlite, review: Review, stamp: AccountStamp) => Answer

interface Entry {
  /** Applies a proposal, or refuses it where it conflicts with the current state. */
  approve: Decide
  /** Undoes the submission. */
  reject: Decide
}

/** Decisions by kind of review. */
const kinds: Record<ReviewKind, Entry> = {
  brand: { approve: approveBrand, reject: rejectBrand },
  dispute: { approve: upholdDispute, reject: rejectDispute },
  logo: { approve: approveLogo, reject: rejectLogo },
  mirror: { approve: approveMirror, reject: rejectMirror },
  policy: { approve: approvePolicy, reject: rejectPolicy },
  entry: { approve: decideEntry, reject: decideEntry },
}

export function getReviewKind(kind: ReviewKind): Entry {
  return kinds[kind]
}
