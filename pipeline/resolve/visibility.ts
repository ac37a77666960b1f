import type { Visibility } from '../core/membership.ts'

/** Which of a member's agents somebody asks for. */
export const scopes = ['all', 'public', 'member', 'private'] as const
export type Scope = (typeof scopes)[number]

/** Who asks about a member: the member itself, and somebody with API access, who may be the same. */
export interface Asker {
  isOwner: boolean
  hasApiAccess: boolean
}

/** Whose agents a scope leaves over of those that the asker may see; it never adds any. */
const narrowed: Record<Scope, readonly Visibility[]> = {
  all: ['public', 'members_only', 'private'],
  public: ['public'],
  member: ['public', 'members_only'],
  private: ['private'],
}

/**
 * What somebody is shown of one member's agents. An owner sees all that is theirs; `member` shows it
 * as other members see it, so what is for members needs API access there, also the owner's.
 */
export function visibleTo({ isOwner, hasApiAccess }: Asker, scope: Scope): Set<Visibility> {
  const seen: Visibility[] = ['public']
  if (hasApiAccess || (isOwner && scope === 'all')) seen.push('members_only')
  if (isOwner) seen.push('private')
  return new Set(seen.filter(visibility => narrowed[scope].includes(visibility)))
}
