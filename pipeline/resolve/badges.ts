import { HOUR, type Instant, toIso } from '../core/clock.ts'
import {
  BADGE_VERSION,
  type Badge,
  type BadgeLoss,
  type BadgeRole,
  specialisms,
} from '../model/badge.ts'
import type { ComplianceState, CountedResult } from '../model/compliance.ts'
import { compareVersions, findTarget } from '../model/storyboards/storyboard-target.ts'

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

/**
 * Judges each stable specialism that an agent claims; one of a run that failed as a whole fails. One that is tested
 * for several versions fails where it fails for any.
 */
export function judgeSpecialisms(state: TestedClaims): Record<string, SpecialismStatus> {
  const judged = listTestedVersions(state).flatMap(version => [...judgeVersion(state, version)])
  const byName = Map.groupBy(judged, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, members]) => {
      const statuses = members.map(([, { status }]) => status)
      const status = statuses.find(status => status === 'failing')
      return [name, status ?? (statuses.includes('passing') ? 'passing' : 'untested')]
    }),
  )
}

type TestedClaims = Pick<ComplianceState, 'specialisms' | 'storyboards'>

/** Lists the versions by which an agent was tested, the newest first; without results that of the package. */
export function listTestedVersions({ storyboards }: Pick<TestedClaims, 'storyboards'>): string[] {
  const versions = new Set(storyboards.map(({ storyboard_id }) => findTarget(storyboard_id)))
  return versions.size === 0 ? [BADGE_VERSION] : [...versions].sort(compareVersions)
}

interface JudgedSpecialism {
  role: BadgeRole
  status: SpecialismStatus
}

/** Judges the stable specialisms that an agent claims by the storyboards of one version. */
function judgeVersion(
  { specialisms: claimed, storyboards }: TestedClaims,
  version: string,
): Map<string, JudgedSpecialism> {
  const own = storyboards.filter(({ storyboard_id }) => findTarget(storyboard_id) === version)
  const results = new Map(own.map(result => [result.storyboard_id, result.status]))
  const required = listRequirements(own)
  return new Map(
    claimed.flatMap(name => {
      const needed = required.get(name)
      if (needed === undefined) return []
      const judged = { role: needed.role, status: judgeSpecialism(needed, results) }
      return [[name, judged] as const]
    }),
  )
}

/** Storyboard that has to pass for a specialism, and those that must not fail where they can be run. */
interface Requirement {
  role: BadgeRole
  storyboard?: string
  scenarios: string[]
}

/** Lists what each specialism requires, as the bundle has it that the results are of. */
function listRequirements(own: readonly CountedResult[]): Map<string, Requirement> {
  // A storyboard that no run had a result for is missing: its specialism is untested.
  const required = new Map<string, Requirement>(
    Object.entries(specialisms).map(([name, role]) => [name, { role, scenarios: [] }]),
  )
  for (const { storyboard_id, shows = [] } of own) {
    for (const { specialism, role, as } of shows) {
      const requirement = required.get(specialism) ?? { role, scenarios: [] }
      required.set(specialism, requirement)
      if (as === 'storyboard') requirement.storyboard = storyboard_id
      else requirement.scenarios.push(storyboard_id)
    }
  }
  return required
}

function judgeSpecialism(
  { storyboard, scenarios }: Requirement,
  results: ReadonlyMap<string, CountedResult['status']>,
): SpecialismStatus {
  const own = results.get(storyboard ?? '') ?? 'untested'
  const statuses = [own, ...scenarios.map(id => results.get(id))]
  if (statuses.some(status => status === 'failing' || status === 'partial')) return 'failing'
  return own === 'passing' ? 'passing' : 'untested'
}

interface RoleVerdict {
  role: BadgeRole
  adcp_version: string
  isVerified: boolean
  specialisms: string[]
}

/**
 * Updates the badges of an agent. A role is verified for a version where every stable specialism that the agent
 * claims for it passes. One that is not verified anymore degrades, and is revoked after 48 hours.
 */
export function updateBadges(known: readonly Badge[], facts: BadgeFacts): Badge[] {
  const roles = judgeRoles(facts)
  const badges = new Map(known.map(badge => [toBadgeKey(badge), badge]))
  for (const badge of known) {
    if (badge.state !== 'revoked') badges.set(toBadgeKey(badge), keepBadge(badge, roles, facts))
  }
  for (const [key, { isVerified, specialisms, role, adcp_version }] of roles) {
    const holds = (badges.get(key)?.state ?? 'revoked') !== 'revoked'
    if (!isVerified || holds || !mayEarn(facts, adcp_version)) continue
    badges.set(key, issueBadge({ role, adcp_version }, specialisms, facts))
  }
  return [...badges.values()]
}

/** Builds the key of a badge among those of an agent. */
export function toBadgeKey({ role, adcp_version }: Pick<Badge, 'role' | 'adcp_version'>): string {
  return `${role} ${adcp_version}`
}

function judgeRoles({ state, isTested }: BadgeFacts): Map<string, RoleVerdict> {
  const verdicts = listTestedVersions(state).flatMap(adcp_version => {
    const judged = [...judgeVersion(state, adcp_version)]
    const byRole = Map.groupBy(judged, ([, { role }]) => role)
    return [...byRole].map(([role, members]) => ({
      role,
      adcp_version,
      isVerified: isTested && members.every(([, { status }]) => status === 'passing'),
      specialisms: members.map(([name]) => name).sort(),
    }))
  })
  return new Map(verdicts.map(verdict => [toBadgeKey(verdict), verdict]))
}

function mayEarn(facts: BadgeFacts, version: string): boolean {
  const { isFullRun, isEligible, isOptedOut, needsRequalification } = facts
  return (
    isFullRun &&
    isEligible &&
    !isOptedOut &&
    !needsRequalification &&
    isSpoken(facts.state, version)
  )
}

/** Tells whether an agent speaks a version: only those that do are tested by a further one. */
function isSpoken(state: BadgeFacts['state'], version: string): boolean {
  return version === BADGE_VERSION
    ? state.supports_version
    : listTestedVersions(state).includes(version)
}

function keepBadge(
  badge: Badge,
  roles: ReadonlyMap<string, RoleVerdict>,
  facts: BadgeFacts,
): Badge {
  const verdict = roles.get(toBadgeKey(badge))
  const loss = findLoss(facts, badge, verdict !== undefined)
  if (loss) return revoke(badge, loss)
  if (hasExpired(badge, facts.now) && !facts.isFullRun) return revoke(badge, 'expired')
  if (!verdict?.isVerified) return demote(badge, facts.now)
  const active = { ...badge, state: 'active' as const, degraded_at: null }
  if (!facts.isFullRun) return active
  return { ...active, verified_specialisms: verdict.specialisms, expires_at: findExpiry(facts) }
}

function issueBadge(
  key: Pick<Badge, 'role' | 'adcp_version'>,
  verified_specialisms: string[],
  facts: BadgeFacts,
): Badge {
  return {
    ...key,
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
  { adcp_version }: Badge,
  isDeclared: boolean,
): BadgeLoss | undefined {
  if (isOptedOut) return 'opted_out'
  if (!isEligible) return 'not_public'
  const speaks = isSpoken(state, adcp_version)
  if (!speaks && !listTestedVersions(state).includes(adcp_version)) return 'version_not_advertised'
  if (!isDeclared) return 'role_not_declared'
  return speaks ? undefined : 'version_not_advertised'
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
