import type { Visibility } from '../core/tiers.ts'

/** Scopes in which a member's agents can be requested. */
export const scopes = ['all', 'public', 'member', 'private'] as const
export type Scope = (typeof scopes)[number]

/** Rights of the caller towards a member: as the member itself, and as a caller with API access. */
export interface CallerRights {
  isOwner: boolean
  hasApiAccess: boolean
}

/** Visibilities that a scope asks for; a caller is shown those among them that it may see. */
const visibilitiesByScope: Record<Scope, readonly Visibility[]> = {
  all: ['public', 'members_only', 'private'],
  public: ['public'],
  member: ['public', 'members_only'],
  private: ['private'],
}

/**
 * Lists the visibilities of a member's agents that a caller is shown. An owner sees all their own; The scope
 * `member` shows what other members see, so agents for members need API access there, even for the owner.
 */
export function listVisibilities(
  { isOwner, hasApiAccess }: CallerRights,
  scope: Scope,
): Set<Visibility> {
  const visible: Visibility[] = ['public']
  if (hasApiAccess || (isOwner && scope === 'all')) visible.push('members_only')
  if (isOwner) visible.push('private')
  return new Set(visible.filter(visibility => visibilitiesByScope[scope].includes(visibility)))
}
