import type { Limits } from '../../pipeline/core/limits.ts'

const MINUTE_MS = 60_000

/**
 * Limits that no test runs into but one that is about them: a machine that has much to do may stand
 * still for seconds, and that is nobody's fault.
 */
export const patient = {
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

/** Requests that no test makes but one that is about them. */
export const roomy = {
  siteRequestsPerMinute: 1e7,
  addressRequestsPerMinute: 1e7,
  callerRequestsPerMinute: 1e7,
  callersRequestsPerMinute: 1e7,
} satisfies Partial<Limits>

/** As a setting. */
export function buildPatientLimits(more: Record<string, number> = {}): { LIMITS: string } {
  return { LIMITS: JSON.stringify({ ...patient, ...more }) }
}
