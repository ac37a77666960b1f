import { SECOND } from '../core/clock.ts'
import type { StoryboardStep } from '../model/storyboards/storyboard.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { AgentSession } from './agent-session.ts'
import type { TaskOutcome } from './judged.ts'

/** Begins a path in what a submitted task came to, in place of the answer that it was submitted. */
const COMPLETION = /^task_completion\./
const POLL_MS = SECOND
const POLLS_MAX = 20
/** Statuses of a task that is still going on. */
export const unfinished: ReadonlySet<unknown> = new Set(['submitted', 'working', 'input-required'])
/** Names under which agents answer how a task stands. */
const statusTasks = ['tasks_get', 'tasks/get', 'get_task'] as const

/** Removes what says that a path is one in the result of a submitted task. */
export function toCompletionPath(path: string): string {
  return path.replace(COMPLETION, '')
}

/**
 * Waits for what a submitted task comes to, where a step hands on a value of it. Undefined where the agent
 * was not asked for one, or the task did not end well in time: the value is then missing.
 */
export async function waitForCompletion(
  { context_outputs }: StoryboardStep,
  { payload }: TaskOutcome,
  session: AgentSession,
): Promise<JsonObject | undefined> {
  const isWanted = context_outputs.some(({ path = '' }) => COMPLETION.test(path))
  const { status, task_id } = payload
  if (!isWanted || !unfinished.has(status) || typeof task_id !== 'string') return undefined
  const task = statusTasks.find(name => session.tools.has(name)) ?? statusTasks[0]
  for (let polls = 0; polls < POLLS_MAX && !session.hasEnded; polls++) {
    if (polls > 0) await session.wait(POLL_MS)
    const answer = await session.call(task, { task_id, include_result: true })
    if (answer.kind === 'silent' || answer.outcome.error !== undefined) return undefined
    const { status, result } = answer.outcome.payload
    if (status === 'completed') return isObject(result) ? result : undefined
    if (!unfinished.has(status)) return undefined
  }
  return undefined
}
