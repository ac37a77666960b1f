import type { KnownVerdicts } from '../accounts/agents/verdicts.ts'
import type { EntryDecision, Publications } from '../accounts/publications.ts'
import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { RisingIds } from '../core/uuid-v7.ts'
import type { RowStamp } from '../diff/stamp.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Observation } from '../model/observation.ts'
import type { Answer, Submission } from '../model/submission.ts'
import type { Enrolment } from './community/enrolments.ts'
import type { Saved } from './community/entry-states.ts'
import type { EditContext } from './community/saves.ts'
import type { BrakeContext, HeldBack } from './crawl/brake.ts'
import type { LookedUpContext } from './crawl/looked-up-names.ts'
import type { AdmissionContext } from './crawl/mentions.ts'
import type { Poison } from './crawl/quarantine.ts'
import type { RecrawlContext } from './crawl/recrawl-schedule.ts'
import type { UnfinishedContext } from './entities/publishers.ts'

/** Context in which a batch is applied. */
export interface ApplyContext
  extends RowStamp,
    RecrawlContext,
    BrakeContext,
    AdmissionContext,
    LookedUpContext,
    UnfinishedContext {
  ids: RisingIds
  /** Rows of publishers that one commit writes; no bound where undefined. */
  portionRows?: number | undefined
  /** Agents of one registrable domain that are probed before some of them have answered. */
  agentsPerSite: number
  agentsPerDocumentHour: number
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}

/** Answers to submissions that were told to their callers, and the time of their commit. */
export interface RecordedAnswers {
  at: Instant
  answers: ReadonlyMap<string, Answer>
}

export interface Batch {
  observations: readonly Observation[]
  submissions: readonly Submission[]
  /** Submissions that the accounts carried out for the first time. */
  fresh?: ReadonlySet<string>
  /** Public agents of the members that the submissions are about. */
  enrolments?: readonly Enrolment[]
  /** Public results of the agents that the submissions test, or whose visibility they change. */
  verdicts?: KnownVerdicts | undefined
  /** Decisions of the accounts that are shown from now on. */
  publications?: Publications
  /** Time at which the submissions were first carried out, where this is a replay. */
  submittedAt?: Instant
  /** Answers that the submissions have got on a host that is gone. */
  recorded?: RecordedAnswers
  /** Editing facts of the saves among the submissions, from the accounts. */
  editing?: EditContext
  /** Decisions about entries that waited for review. */
  decisions?: readonly EntryDecision[]
  /** Domains of entries whose properties have no record yet. */
  unrecorded?: readonly Domain[]
  /** Enriched brands that give way to those of the submissions. */
  evicted?: readonly string[]
  /** Domains that are taken down: all their data is deleted. */
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
  /** Publishers whose answer is applied in part, and turned files that are left; the next commits apply the rest. */
  unfinished: number
  /** True if the commit applied what time changes, and so continued unfinished answers of earlier commits. */
  hasAppliedTime: boolean
}
