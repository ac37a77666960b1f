import type { FastifyRequest } from 'fastify'
import type { SigningProfile } from '../../pipeline/signing/profile.ts'
import { hashCaller, toCaller } from '../limits/caller.ts'
import { TaskError } from './errors.ts'
import type { AgentMetrics } from './metrics.ts'
import { findSpokenName, listTaskNames, toTaskName } from './protocol-names.ts'
import { describeVersion } from './protocol-version.ts'
import type { AgentState } from './state/store.ts'
import { readContext, runTask, type Task } from './task.ts'
import type { TaskContext } from './task-context.ts'
import type { Tenant } from './tenants.ts'

/** Facts and services that all requests of one agent share. */
export interface AgentServices {
  protocolName: string
  /** Returns the origin of this agent, without a trailing slash. */
  origin(): string
  /** Returns the public address at which a tenant speaks MCP. */
  toAddress(tenant: string): string
  now(): number
  state: AgentState
  /** Tasks whose requests must be signed. */
  signedTasks: readonly string[]
  /** Profile of signed requests. */
  requestProfile: SigningProfile
  metrics: AgentMetrics
  /** Reports an unexpected error. */
  onError(error: unknown): void
}

/** An answer to a caller, over either transport. */
export interface TaskAnswer {
  payload: Record<string, unknown>
  isError: boolean
}

/** All callers with the public credential. */
export const PUBLIC_CALLER = 'public'

/** The caller of a request, by the credential, and the share of its records that the caller has. */
export type AgentCaller = Pick<TaskContext, 'caller' | 'share'>

/** Tells callers with the public credential apart by their addresses, so that none fills the room of all. */
export function toAgentCaller({
  signedBy,
  ip,
}: Pick<FastifyRequest, 'signedBy' | 'ip'>): AgentCaller {
  return signedBy === undefined
    ? { caller: PUBLIC_CALLER, share: hashCaller(toCaller(ip)) }
    : { caller: signedBy, share: '' }
}

/** Runs a task of a tenant by its name. A failure is an answer too. */
export async function callTask(
  tenant: Tenant,
  spelledName: string,
  args: Record<string, unknown>,
  services: AgentServices,
  calledBy: AgentCaller,
): Promise<TaskAnswer> {
  const { metrics, onError } = services
  const begun = performance.now()
  const name = toTaskName(spelledName, services.protocolName)
  const task = tenant.tasks.find(candidate => candidate.name(services.protocolName) === name)
  const protocolName = findSpokenName({ task: spelledName, args }, services.protocolName)
  const measure = (code?: string) => {
    const tookMs = performance.now() - begun
    metrics.count({ tenant: tenant.name, task: task && name, code, tookMs })
  }
  try {
    if (!task) throw new TaskError('INVALID_REQUEST', `There is no task ${name} here`)
    if (calledBy.caller === PUBLIC_CALLER && services.signedTasks.includes(name)) {
      throw new TaskError('UNAUTHORIZED', `A request of ${name} must be signed`)
    }
    const payload = await runTask(task, args, {
      ...buildContext(tenant, services),
      ...calledBy,
      protocolName,
    })
    measure()
    return { payload, isError: false }
  } catch (error) {
    if (!(error instanceof TaskError)) onError(error)
    const failure =
      error instanceof TaskError
        ? error
        : new TaskError('SERVICE_UNAVAILABLE', 'This agent failed; try again later')
    measure(failure.code)
    const payload = {
      ...failure.toPayload(protocolName),
      ...describeVersion(protocolName),
      ...readContext(args),
    }
    return { payload, isError: true }
  }
}

function buildContext(
  { name, protocols, specialisms, tasks }: Tenant,
  { protocolName, origin, toAddress, signedTasks, requestProfile, state, now }: AgentServices,
): Omit<TaskContext, keyof AgentCaller | 'protocolName'> {
  const isSigned = (candidate: Task) => signedTasks.includes(candidate.name(protocolName))
  const listNames = (some: readonly Task[]) =>
    some.flatMap(task => listTaskNames(task, protocolName))
  return {
    origin: origin(),
    toAddress,
    signedTasks: listNames(tasks.filter(isSigned)),
    requestProfile,
    tenant: name,
    protocols,
    specialisms,
    taskNames: listNames(tasks),
    state,
    now: now(),
  }
}
