import { z } from 'zod'
import { type Instant, MINUTE, SECOND, toIso } from '../../../pipeline/core/clock.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import type { TaskContext } from '../task-context.ts'
import { queueCompletion } from '../webhooks/outbox.ts'
import type { WebhookTarget } from './media-buy.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Tasks that are completed later, by tenant and task id. */
    submitted_task: SubmittedTask
    /** Requests of tests that the next purchase of an account be completed later, by tenant and account. */
    forced_submission: ForcedSubmission
  }
}

/** A task that is completed later, at a time that is known when it is submitted. */
export interface SubmittedTask {
  task_id: string
  task_type: string
  protocol: string
  message?: string
  createdAt: Instant
  completesAt: Instant
  hasWebhook: boolean
  /** The answer of the task once it is completed. */
  result: Record<string, unknown>
}

export const ForcedSubmission = z.looseObject({
  arm: z.literal('submitted'),
  task_id: z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be letters, digits, _ . : and -'),
  message: z.string().max(2000).optional(),
})
export type ForcedSubmission = z.infer<typeof ForcedSubmission>

/** Time after which a submitted task is completed, long enough for a test to see it before and after. */
const COMPLETION_MS = 10 * SECOND

/** Time for which the request of a test waits for a purchase. */
const FORCED_LIFETIME_MS = 10 * MINUTE

/** Makes the next purchase of an account one that is completed later. */
export function forceSubmission(
  forced: ForcedSubmission,
  accountId: string,
  { state, tenant, now }: TaskContext,
): void {
  const options = { now, lifetimeMs: FORCED_LIFETIME_MS }
  state.put('forced_submission', tenant, accountId, forced, options)
}

interface Submission {
  task_type: string
  target: WebhookTarget | undefined
  /** Runs the task as of the time of the context and returns its answer. */
  run(context: TaskContext): Record<string, unknown>
}

/**
 * Runs a task now, or as of a later time if a test requested that for the account. In the second case its
 * writes carry the later time, and the caller gets the id of a submitted task, which can be read, or is
 * reported by a webhook, once it is completed.
 */
export function runOrSubmit(
  { task_type, target, run }: Submission,
  accountId: string,
  context: TaskContext,
): Record<string, unknown> {
  const { state, tenant, now, protocols } = context
  const forced = state.get('forced_submission', tenant, accountId)
  if (!forced) return run(context)
  state.remove('forced_submission', tenant, accountId)
  const { task_id, message } = forced
  const later = { ...context, now: now + COMPLETION_MS }
  const task: SubmittedTask = {
    task_id,
    task_type,
    protocol: getFirst(protocols).replace('_', '-'),
    ...(message !== undefined && { message }),
    createdAt: now,
    completesAt: later.now,
    hasWebhook: target !== undefined,
    result: { ...run(later) },
  }
  state.put('submitted_task', tenant, task_id, task, { now: later.now })
  if (target) queueCompletion({ task: task_type, result: task.result, task_id }, target, later)
  return { status: 'submitted', task_id, ...(message !== undefined && { message }), sandbox: true }
}

/** Describes a submitted task as of a time: its answer is there once it is completed. */
export function describeSubmittedTask(
  { task_id, task_type, protocol, message, createdAt, completesAt, ...task }: SubmittedTask,
  now: Instant,
): Record<string, unknown> {
  const isCompleted = now >= completesAt
  return {
    task_id,
    task_type,
    protocol,
    status: isCompleted ? 'completed' : 'submitted',
    created_at: toIso(createdAt),
    updated_at: toIso(isCompleted ? completesAt : createdAt),
    has_webhook: task.hasWebhook,
    ...(isCompleted
      ? { completed_at: toIso(completesAt), result: task.result }
      : message !== undefined && { message }),
  }
}
