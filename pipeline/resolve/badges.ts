import { HOUR, type Instant, toIso } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'
import {
  BADGE_VERSION,
  type Badge,
  type BadgeLoss,
  type BadgeRole,
  specialisms,
} from '../model/badge.ts'
import type { ComplianceState, CountedResult } from '../model/compliance.ts'

/** Time for which a badge outlasts runs that do not pass. */
export const DEGRADED_MS = 48 * HOUR
/** Intervals after the last full run for which a badge stays valid. */
const EXPIRY_INTERVALS = 3

export type SpecialismStatus = 'passing' | 'failing' | 'untested'

/** Facts by which badges are earned and lost. */
export interface BadgeFacts {
  state: Pick<ComplianceState, 'specialisms' | 'storyboards' | 'supports_version'>
  /** True if the agent answered the run; otherwise no role is verified. */
  isTested: boolean
  /** True if the agent is shown to everybody by an organization with API access. */
  isEligible: boolean
  isOptedOut: boolean
  needsRequalification: boolean
  /** All storyboards that apply were run: only then a badge is issued or prolonged. */
  isFullRun: boolean
  interval_hours: number
  now: Instant
}

/** Judges each stable specialism that an agent claims; one of a run that failed as a whole fails. */
export function judgeSpecialisms({
  specialisms: claimed,
  storyboards,
}: Pick<ComplianceState, 'specialisms' | 'storyboards'>): Record<string, SpecialismStatus> {
  const results = new Map(storyboards.map(result => [result.storyboard_id, result.status]))
  const stable = claimed.filter(name => Object.hasOwn(specialisms, name))
  return Object.fromEntries(
    stable.map(name => [name, judgeSpecialism(requireValue(specialisms[name], name), results)]),
  )
}

function judgeSpecialism(
  { storyboard, scenarios }: (typeof specialisms)[string],
  results: ReadonlyMap<string, CountedResult['status']>,
): SpecialismStatus {
  const find = (id: string) => results.get(id) ?? 'untested'
  const statuses = [storyboard, ...scenarios].map(find)
  if (statuses.some(status => status === 'failing' || status === 'partial')) return 'failing'
  return find(storyboard) === 'passing' ? 'passing' : 'untested'
}

interface RoleVerdict {
  isVerified: boolean
  specialisms: string[]
}

/**
 * Updates the badges of an agent. A role is verified where every stable specialism that the agent
 * claims for it passes. One that is not verified any more degrades, and is revoked after 48 hours.
 */
export function updateBadges(known: readonly Badge[], facts: BadgeFacts): Badge[] {
  const roles = judgeRoles(facts)
  const badges = new Map(known.map(badge => [badge.role, badge]))
  for (const badge of known) {
    if (badge.state !== 'revoked') badges.set(badge.role, keepBadge(badge, roles, facts))
  }
  if (!mayEarn(facts)) return [...badges.values()]
  for (const [role, { isVerified, specialisms }] of roles) {
    const holds = (badges.get(role)?.state ?? 'revoked') !== 'revoked'
    if (isVerified && !holds) badges.set(role, issueBadge(role, specialisms, facts))
  }
  return [...badges.values()]
}

function judgeRoles({ state, isTested }: BadgeFacts): Map<BadgeRole, RoleVerdict> {
  const claimed = Object.entries(judgeSpecialisms(state))
  const roles = Map.groupBy(claimed, ([name]) => requireValue(specialisms[name], name).role)
  return new Map(
    [...roles].map(([role, members]) => [
      role,
      {
        isVerified: isTested && members.every(([, status]) => status === 'passing'),
        specialisms: members.map(([name]) => name).sort(),
      },
    ]),
  )
}

function mayEarn(facts: BadgeFacts): boolean {
  const { isFullRun, isEligible, isOptedOut, needsRequalification, state } = facts
  return isFullRun && isEligible && !isOptedOut && !needsRequalification && state.supports_version
}

function keepBadge(
  badge: Badge,
  roles: ReadonlyMap<BadgeRole, RoleVerdict>,
  facts: BadgeFacts,
): Badge {
  const verdict = roles.get(badge.role)
  const loss = findLoss(facts, verdict !== undefined)
  if (loss) return revoke(badge, loss)
  if (hasExpired(badge, facts.now) && !facts.isFullRun) return revoke(badge, 'expired')
  if (!verdict?.isVerified) return demote(badge, facts.now)
  const active = { ...badge, state: 'active' as const, degraded_at: null }
  if (!facts.isFullRun) return active
  return { ...active, verified_specialisms: verdict.specialisms, expires_at: findExpiry(facts) }
}

function issueBadge(role: BadgeRole, verified_specialisms: string[], facts: BadgeFacts): Badge {
  return {
    role,
    adcp_version: BADGE_VERSION,
    state: 'active',
    verified_specialisms,
    verified_at: toIso(facts.now),
    degraded_at: null,
    expires_at: findExpiry(facts),
    revoked_for: null,
  }
}

function findExpiry({ now, interval_hours }: BadgeFacts): string {
  return toIso(now + EXPIRY_INTERVALS * interval_hours * HOUR)
}

/** Ends badges by time alone: those that expired, and those that were degraded for too long. */
export function expireBadges(known: readonly Badge[], now: Instant): Badge[] {
  return known.map(badge => {
    if (badge.state === 'revoked') return badge
    if (hasExpired(badge, now)) return revoke(badge, 'expired')
    return badge.state === 'degraded' ? demote(badge, now) : badge
  })
}

/** Revokes every badge for one reason. */
export function revokeBadges(known: readonly Badge[], reason: BadgeLoss): Badge[] {
  return known.map(badge => (badge.state === 'revoked' ? badge : revoke(badge, reason)))
}

function findLoss(
  { isEligible, isOptedOut, state }: BadgeFacts,
  isDeclared: boolean,
): BadgeLoss | undefined {
  if (isOptedOut) return 'opted_out'
  if (!isEligible) return 'not_public'
  if (!isDeclared) return 'role_not_declared'
  return state.supports_version ? undefined : 'version_not_advertised'
}

function demote(badge: Badge, now: Instant): Badge {
  const degraded_at = badge.degraded_at ?? toIso(now)
  return now - Date.parse(degraded_at) >= DEGRADED_MS
    ? revoke({ ...badge, degraded_at }, 'not_passing')
    : { ...badge, state: 'degraded', degraded_at }
}

function revoke(badge: Badge, revoked_for: BadgeLoss): Badge {
  return { ...badge, state: 'revoked', revoked_for }
}

function hasExpired({ state, expires_at }: Badge, now: Instant): boolean {
  return state !== 'revoked' && now >= Date.parse(expires_at)
}
