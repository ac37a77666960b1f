import { buildErrorPayload, TaskError } from './errors.ts'
import type { AgentState } from './state/store.ts'
import { readContext, runTask } from './task.ts'
import type { Tenant } from './tenants.ts'

/** Facts and services that all requests of one agent share. */
export interface AgentServices {
  protocolName: string
  /** Origin of this agent, without a trailing slash. */
  origin(): string
  now(): number
  state: AgentState
  /** Reports an error of our own. */
  onError(error: unknown): void
}

/** An answer to a caller, by whichever transport. */
export interface TaskAnswer {
  payload: Record<string, unknown>
  isError: boolean
}

/** Carries out a task of a tenant by its name. What cannot be done is an answer too. */
export async function callTask(
  tenant: Tenant,
  name: string,
  given: Record<string, unknown>,
  { protocolName, origin, state, now, onError }: AgentServices,
): Promise<TaskAnswer> {
  try {
    const task = tenant.tasks.find(one => one.name(protocolName) === name)
    if (!task) throw new TaskError('INVALID_REQUEST', `There is no task ${name} here`)
    const payload = await runTask(task, given, {
      protocolName,
      origin: origin(),
      tenant: tenant.name,
      protocols: tenant.protocols,
      specialisms: tenant.specialisms,
      taskNames: tenant.tasks.map(one => one.name(protocolName)),
      state,
      now: now(),
    })
    return { payload, isError: false }
  } catch (error) {
    if (!(error instanceof TaskError)) onError(error)
    const failure =
      error instanceof TaskError
        ? error
        : new TaskError('SERVICE_UNAVAILABLE', 'This agent failed; try again later')
    const payload = { ...buildErrorPayload(failure, protocolName), ...readContext(given) }
    return { payload, isError: true }
  }
}
