import type { Instant } from '../../pipeline/core/clock.ts'
import type { SigningProfile } from '../../pipeline/signing/profile.ts'
import type { AgentState } from './state/store.ts'

/** Everything that a task knows besides its arguments. */
export interface TaskContext {
  /** Name of the protocol that the caller says. */
  protocolName: string
  /** Returns the origin of this agent, without a trailing slash. */
  origin: string
  /** Returns the public address of a tenant of this agent, such as `https://agent.example/creative/mcp`. */
  toAddress(tenant: string): string
  /** Tasks of the tenant whose requests must be signed. */
  signedTasks: readonly string[]
  /** Profile of signed requests. */
  requestProfile: SigningProfile
  /** The caller: the key that signed the request, or everybody with the public credential. */
  caller: string
  /** The caller among all with the public credential; empty for one who signs. */
  share: string
  /** Name of the tenant that was called, such as `sales`. */
  tenant: string
  /** Protocols of that tenant, such as `media_buy`. */
  protocols: readonly string[]
  /** Kinds of agents that the tenant claims to be, such as `signal-owned`. */
  specialisms: readonly string[]
  /** Names of the tasks of that tenant. */
  taskNames: readonly string[]
  state: AgentState
  now: Instant
}
