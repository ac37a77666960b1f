import { randomUUID } from 'node:crypto'
import type { Task } from '@a2a-js/sdk'
import { A2AError, type AgentExecutor, type TaskStore } from '@a2a-js/sdk/server'
import { DAY, toIso } from '../../pipeline/core/clock.ts'
import { type AgentCaller, type AgentServices, callTask, type TaskAnswer } from './call-task.ts'
import { buildErrorPayload, TaskError } from './errors.ts'
import { buildNamedFields } from './protocol-names.ts'
import { readMessage } from './read-calls.ts'
import { toOwner } from './state/idempotency.ts'
import type { Tenant } from './tenants.ts'

declare module './state/store.ts' {
  interface Records {
    /** Tasks that A2A messages started, with their outcome. */
    a2a_task: Task
  }
}

/** Builds the executor, which runs the task that a message names in its data part: `{skill, input}`. */
export function buildExecutor(
  tenant: Tenant,
  services: AgentServices,
  calledBy: AgentCaller,
): AgentExecutor {
  return {
    async execute({ userMessage, taskId, contextId }, events) {
      const call = readMessage(userMessage, services.protocolName)
      const answer =
        call instanceof TaskError
          ? { payload: buildErrorPayload(call, services.protocolName), isError: true }
          : await callTask(tenant, call.task, call.args, services, calledBy)
      events.publish(buildTask({ id: taskId, contextId }, answer, services))
      events.finished()
    },
    // A task is finished by the time it is answered.
    cancelTask: async id => {
      throw A2AError.taskNotCancelable(id)
    },
  }
}

/** Builds a store that keeps tasks for a day and is shared by all processes behind the address. */
export function buildTaskStore(
  { name }: Tenant,
  { state, now }: AgentServices,
  calledBy: AgentCaller,
): TaskStore {
  const owner = toOwner([name, calledBy.caller], calledBy.share)
  return {
    async save(task) {
      const at = now()
      await state.transactInGroup(at, () =>
        state.writeAs(owner, () =>
          state.put('a2a_task', name, task.id, task, { now: at, lifetimeMs: DAY }),
        ),
      )
    },
    async load(id) {
      state.refresh()
      return state.get('a2a_task', name, id)
    },
  }
}

function buildTask(
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
  { payload, isError }: TaskAnswer,
  { now, protocolName }: Pick<AgentServices, 'now' | 'protocolName'>,
): Task {
  const state = isError ? 'failed' : 'completed'
  // A submitted task continues after its call has completed: its id is in the metadata of the artifact.
  const isSubmitted = payload.status === 'submitted'
  return {
    kind: 'task',
    id,
    contextId,
    status: { state, timestamp: toIso(now()) },
    artifacts: [
      {
        artifactId: randomUUID(),
        name: isError ? 'error' : 'result',
        parts: [{ kind: 'data', data: payload }],
        ...(isSubmitted && {
          metadata: buildNamedFields(protocolName, name => ({
            [`${name}_task_id`]: payload.task_id,
          })),
        }),
      },
    ],
  }
}
