import { BADGE_MODES, type Badge, type BadgeRole, badgeRoles } from '../../pipeline/model/badge.ts'
import type { VerifiedBadge } from '../../pipeline/model/responses/compliance.ts'
import { compareVersions } from '../../pipeline/model/storyboards/storyboard-target.ts'
import { findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { isShownToAll } from '../../pipeline/resolve/agent-keeper.ts'
import { expireBadges } from '../../pipeline/resolve/badges.ts'
import { findVersion } from '../../pipeline/storyboards/catalog.ts'

/**
 * Lists the current badges of an agent, those of a role by their version, the newest first. An expired badge does not count, even if the writer has not removed
 * it yet, and agents that are not public have none.
 */
export function listBadges(reader: Reader, agentUrl: string): Badge[] {
  const tests = findAgentTests(reader, agentUrl)
  if (tests === undefined || tests.settings?.is_opted_out) return []
  if (!isShownToAll(getMembers(reader).findKeeper(agentUrl))) return []
  return expireBadges(tests.badges, reader.now())
    .filter(({ state }) => state !== 'revoked')
    .sort(
      (a, b) =>
        badgeRoles.indexOf(a.role) - badgeRoles.indexOf(b.role) ||
        compareVersions(a.adcp_version, b.adcp_version),
    )
}

/** Finds the badge of a role: of the version that is named, or the newest. */
export function findBadge(
  reader: Reader,
  agentUrl: string,
  role: BadgeRole,
  version?: string,
): Badge | undefined {
  return listBadges(reader, agentUrl).find(
    badge => badge.role === role && (version === undefined || badge.adcp_version === version),
  )
}

export function toVerifiedBadge(agentUrl: string, badge: Badge): VerifiedBadge {
  const { role, adcp_version, state, verified_at, expires_at, verified_specialisms } = badge
  return {
    role,
    adcp_version,
    status: state === 'degraded' ? 'degraded' : 'active',
    verified_at,
    expires_at,
    verified_specialisms,
    verification_modes: [...BADGE_MODES],
    verified_protocol_version: findVersion(adcp_version) ?? null,
    badge_url: buildBadgePath(agentUrl, role),
  }
}

/**
 * Builds the path of the picture of a badge; with a version, the picture shows only a badge for that version.
 */
export function buildBadgePath(agentUrl: string, role: BadgeRole, version?: string): string {
  const pinned = version === undefined ? role : `${role}/${version}`
  return `/api/registry/agents/${encodeURIComponent(agentUrl)}/badge/${pinned}.svg`
}

/** Builds the address at which anybody can verify the badges of an agent. */
export function buildVerificationUrl(baseUrl: string, agentUrl: string): string {
  return `${baseUrl}/api/registry/agents/${encodeURIComponent(agentUrl)}/verification`
}
