import { z } from 'zod'
import { EnrolledUrl } from '../accounts/member.ts'
import { StepDiagnostic } from './step-diagnostic.ts'
import { tracks } from './storyboard.ts'

/** Kinds of runs that are stored; a comparison counts for nothing. */
export const recordKinds = ['run', 'compare'] as const

export const storyboardStatuses = ['passing', 'partial', 'failing', 'untested'] as const
export type StoryboardRunStatus = (typeof storyboardStatuses)[number]

const id = z.string().min(1).max(200)
const line = z.string().max(1_000)
const count = z.int().nonnegative()

/** Numbers of a run, and its first failed step. */
export const storyboardResult = {
  status: z.enum(storyboardStatuses),
  steps_passed: count,
  steps_total: count,
  failure_count: count,
  skipped_count: count,
  first_failed_step_id: line.nullable(),
  first_failed_step_title: line.nullable(),
  first_failed_step_task: line.nullable(),
  first_failure_message: line.nullable(),
}

/** True if a step was not run because the agent does not offer its task. */
export const has_coverage_gap = z.literal(true).exactOptional()

/** Operations that store a run, and its caller. */
export const storyboardOperations = [
  z.object({
    op: z.literal('storyboard.record'),
    run_id: z.uuid(),
    kind: z.enum(recordKinds),
    agent_url: EnrolledUrl,
    storyboard_id: id,
    org_id: z.string().min(1).max(300),
    requested_by: z.string().min(1).max(300),
    tested_at: z.iso.datetime(),
    duration_ms: z.number().nonnegative(),
    ...storyboardResult,
    /** Part of the protocol that the storyboard is about. */
    track: z.enum(tracks).exactOptional(),
    has_coverage_gap,
    /** Status of the reference agent, and steps that differ; of a comparison only. */
    reference_status: z.enum(storyboardStatuses).exactOptional(),
    differing_steps: z.array(id).max(200).exactOptional(),
    /** Its steps; of a run only. */
    diagnostics: z.array(StepDiagnostic).max(1_000).exactOptional(),
  }),
] as const

/** A run as readers see it: without its caller. */
export interface RecordedRun {
  run_id: string
  /** `run` if its organization asked for it, `scheduled` if it was a part of a scheduled run. */
  kind: 'run' | 'scheduled'
  storyboard_id: string
  tested_at: string
  duration_ms: number
  status: StoryboardRunStatus
  steps_passed: number
  steps_total: number
  failure_count: number
  skipped_count: number
  first_failed_step_id: string | null
  first_failed_step_title: string | null
  first_failed_step_task: string | null
  first_failure_message: string | null
}

/** The valid runs of an agent. */
export interface AgentRuns {
  agent_url: string
  /** Last run of each storyboard, and when it passed last. */
  storyboards: (RecordedRun & { last_passed_at: string | null })[]
  /** Last runs, newest first. */
  runs: RecordedRun[]
}
