import type { Limits } from '../../../pipeline/core/limits.ts'

const MINUTE_MS = 60_000

/** Limits that only tests about them reach: a busy machine may stand still for seconds. */
export const generousTimeouts = {
  connectMs: MINUTE_MS,
  nameMs: MINUTE_MS,
  fetchMs: MINUTE_MS,
  documentMs: MINUTE_MS,
  probeMs: MINUTE_MS,
  agentCardMs: MINUTE_MS,
  agentAskMs: MINUTE_MS,
  validateMs: MINUTE_MS,
  validateAgentMs: MINUTE_MS,
  liveBrandMs: MINUTE_MS,
  enrichMs: MINUTE_MS,
  ownershipMs: MINUTE_MS,
  issuerMs: MINUTE_MS,
  lookupMs: MINUTE_MS,
  answerMs: MINUTE_MS,
  redisAnswerMs: MINUTE_MS,
  redisConnectMs: MINUTE_MS,
} satisfies Partial<Limits>

/** Rates that only tests about them reach. */
export const generousRates = {
  siteRequestsPerMinute: 1e7,
  addressRequestsPerMinute: 1e7,
  callerRequestsPerMinute: 1e7,
  callersRequestsPerMinute: 1e7,
} satisfies Partial<Limits>

/** Builds the setting LIMITS with these limits. */
export function buildGenerousLimits(more: Record<string, number> = {}): { LIMITS: string } {
  return { LIMITS: JSON.stringify({ ...generousTimeouts, ...more }) }
}
