import { randomUUID } from 'node:crypto'
import type { Message, Task } from '@a2a-js/sdk'
import { A2AError, type AgentExecutor, type TaskStore } from '@a2a-js/sdk/server'
import { DAY } from '../../pipeline/core/clock.ts'
import { type AgentServices, callTask, type TaskAnswer } from './call-task.ts'
import { buildErrorPayload, TaskError } from './errors.ts'
import type { Tenant } from './tenants.ts'

declare module './state/store.ts' {
  interface Records {
    /** Tasks that A2A messages started, with their outcome. */
    a2a_task: Task
  }
}

/** A task that a message asks for. */
interface Asked {
  skill: string
  args: Record<string, unknown>
}

/** Builds the executor, which runs the task that a message names in its data part: `{skill, input}`. */
export function buildExecutor(tenant: Tenant, services: AgentServices): AgentExecutor {
  return {
    async execute({ userMessage, taskId, contextId }, events) {
      const asked = readMessage(userMessage)
      const answer =
        asked instanceof TaskError
          ? { payload: buildErrorPayload(asked, services.protocolName), isError: true }
          : await callTask(tenant, asked.skill, asked.args, services)
      events.publish(buildTask({ id: taskId, contextId }, answer, services.now()))
      events.finished()
    },
    // Each task is finished when it is answered.
    cancelTask: async id => {
      throw A2AError.taskNotCancelable(id)
    },
  }
}

/** Builds a store that keeps tasks for a day, where every process behind the address finds them. */
export function buildTaskStore({ name }: Tenant, { state, now }: AgentServices): TaskStore {
  return {
    async save(task) {
      const at = now()
      await state.transactTogether(at, () => {
        state.put('a2a_task', name, task.id, task, { now: at, lifetimeMs: DAY })
      })
    },
    async load(id) {
      state.refresh()
      return state.get('a2a_task', name, id)
    },
  }
}

/** Reads which task a message asks for. The public client sends `parameters` instead of `input`. */
function readMessage({ parts }: Message): Asked | TaskError {
  const data = parts.flatMap(part => (part.kind === 'data' ? [part.data] : []))
  const [only] = data
  if (data.length !== 1 || typeof only?.skill !== 'string') {
    const message = 'parts: send one data part, {"skill": …, "input": {…}}'
    return new TaskError('INVALID_REQUEST', message, { field: 'parts' })
  }
  const args = only.input ?? only.parameters ?? {}
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    const message = 'parts: input must be an object'
    return new TaskError('INVALID_REQUEST', message, { field: 'parts' })
  }
  return { skill: only.skill, args: args as Record<string, unknown> }
}

function buildTask(
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
  { payload, isError }: TaskAnswer,
  now: number,
): Task {
  const state = isError ? 'failed' : 'completed'
  return {
    kind: 'task',
    id,
    contextId,
    status: { state, timestamp: new Date(now).toISOString() },
    artifacts: [
      {
        artifactId: randomUUID(),
        name: isError ? 'error' : 'result',
        parts: [{ kind: 'data', data: payload }],
      },
    ],
  }
}
