import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { EnrolledUrl } from './accounts/member.ts'
import { EmailAddress } from './accounts/person.ts'

/** Kinds of things that can be watched. A brand is the brand.json of a domain; a domain is both of its files and what they say. */
export const watchKinds = ['domain', 'brand', 'agent'] as const
export type WatchKind = (typeof watchKinds)[number]

/** Paces of mails: one whenever something happens, or one a day. */
export const watchPaces = ['at_once', 'daily'] as const
export type WatchPace = (typeof watchPaces)[number]

/** A file of a domain that can break and return. */
const watchedFiles = ['adagents.json', 'brand.json'] as const
export type WatchedFile = (typeof watchedFiles)[number]

/** Claims and lookalikes of a watch that are remembered, so that none is reported twice. */
export const REMEMBERED_MAX = 500

/** Watches that one operation records at most. */
export const REPORTED_WATCHES_MAX = 1_000

/** Page that ends a watch by the link of a mail. */
export const WATCH_END_PATH = '/watch/end'

const remembered = z.array(z.string().max(2_048)).max(REMEMBERED_MAX)

/** Public facts that were reported to a person; what differs from them is a change. */
export const KnownFacts = z.object({
  files: z.partialRecord(z.enum(watchedFiles), z.enum(['none', 'valid', 'broken'])),
  /** Agents that say they sell what the domain owns, each by a hash of its address. */
  claimants: remembered,
  /** Saved domains whose names look like it. */
  lookalikes: remembered,
})
export type KnownFacts = z.infer<typeof KnownFacts>

export const unknownFacts: KnownFacts = { files: {}, claimants: [], lookalikes: [] }

const id = z.uuid()
const user_id = z.string().min(1).max(300)
const subject = z.union([Domain, EnrolledUrl])

/** Progress of a watch: what was reported to its person. */
const WatchProgress = z.object({
  watch_id: id,
  reported_seq: z.int().nonnegative(),
  known: KnownFacts,
})
export type WatchProgress = z.infer<typeof WatchProgress>

const reportedWatches = z.array(WatchProgress).min(1).max(REPORTED_WATCHES_MAX)

export const watchOperations = [
  /** Begins a watch; one that the person has already gets the new pace and address. */
  z.object({
    op: z.literal('watch.begin'),
    watch_id: id,
    user_id,
    email: EmailAddress,
    kind: z.enum(watchKinds),
    subject,
    pace: z.enum(watchPaces),
    /** Most watches that the person may have. */
    most: z.int().nonnegative(),
  }),
  z.object({ op: z.literal('watch.change'), watch_id: id, user_id, pace: z.enum(watchPaces) }),
  /** Ends a watch; without a person by a link that only its mails have. */
  z.object({ op: z.literal('watch.end'), watch_id: id, user_id: user_id.exactOptional() }),
  /** Ends all watches of a person whose changes come once a day, by the link of that mail. */
  z.object({ op: z.literal('watch.daily.end'), user_id }),
  /**
   * Records what is reported to a person, before the mail is sent: a crash in between loses a mail and sends none twice.
   * Refused when the person got as many mails as they may within a day.
   */
  z.object({
    op: z.literal('watch.report'),
    watches: reportedWatches,
    mail: z
      .object({ mail_id: id, user_id, pace: z.enum(watchPaces), most: z.int().nonnegative() })
      .exactOptional(),
  }),
  /** Takes back what was recorded: the mail server did not take the mail. */
  z.object({ op: z.literal('watch.retract'), watches: reportedWatches, mail_id: id }),
] as const

/** A watch as its person sees it. */
export interface Watch {
  watch_id: string
  kind: WatchKind
  subject: string
  pace: WatchPace
  email: string
  created_at: string
}

/** A watch with its progress. */
export interface StoredWatch extends Watch {
  user_id: string
  reported_seq: number
  /** Null until the first look. */
  known: KnownFacts | null
}
