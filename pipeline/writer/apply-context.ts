import type { KnownVerdicts } from '../accounts/agents/verdicts.ts'
import type { EntryDecision, Publications } from '../accounts/publications.ts'
import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { RisingIds } from '../core/uuid-v7.ts'
import type { Stamp } from '../diff/stamp.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Observation } from '../model/observation.ts'
import type { Submission } from '../model/submission.ts'
import type { Enrolment } from './community/enrolments.ts'
import type { Saved } from './community/entry-states.ts'
import type { Editing } from './community/saves.ts'
import type { Braking, HeldBack } from './crawl/brake.ts'
import type { Admitting } from './crawl/mentions.ts'
import type { Poison } from './crawl/quarantine.ts'
import type { Recrawling } from './crawl/recrawl-schedule.ts'
import type { TakenDown } from './takedown/takedown-list.ts'

/** Context in which a batch is applied. */
export interface Applying extends Stamp, Recrawling, Braking, Admitting {
  ids: RisingIds
  /** Rows of publishers that one commit writes; no bound where undefined. */
  portionRows?: number | undefined
  frontierMax: number
  /** Agents of one registrable domain that are probed before some of them have answered. */
  agentsPerSite: number
  agentsPerDocumentHour: number
  /** Domains of which nothing is applied. */
  takenDown: TakenDown
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}

export interface Batch {
  observations: readonly Observation[]
  submissions: readonly Submission[]
  /** Submissions that come for the first time, by the accounts. */
  fresh?: ReadonlySet<string>
  /** Public agents of the members that the submissions are about. */
  enrolments?: readonly Enrolment[]
  /** Public results of the agents that the submissions test, or show to others than before. */
  verdicts?: KnownVerdicts | undefined
  /** Decisions of the accounts that are shown from now on. */
  publications?: Publications
  /** Time at which the submissions were first carried out, where this is a replay. */
  submittedAt?: Instant
  /** Editing facts of the saves among the submissions, from the accounts. */
  editing?: Editing
  /** Decisions about entries that waited for review. */
  decisions?: readonly EntryDecision[]
  /** Domains of entries whose properties have no record yet. */
  unrecorded?: readonly Domain[]
  /** Domains of which nothing may be left. */
  takedowns?: readonly Domain[]
  /** Observations that cannot be applied; they are set aside with their reason. */
  poison?: readonly Poison[]
  /** Actor of the events. */
  actor?: string
}

/** Result of a batch. */
export interface Applied {
  events: FeedEvent[]
  /** Results of its saves, by revision. */
  saved: Map<string, Saved>
  /** Losses that the brake held back, if any. */
  held: HeldBack
  /** Publishers of which more is to be taken on by the next commits. */
  unfinished: number
  /** True where the commit went on with unfinished answers of commits before. */
  isWatching: boolean
}
