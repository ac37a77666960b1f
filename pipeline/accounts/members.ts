import { toIso } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'
import { hasApiAccess } from '../core/tiers.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import {
  getRowBefore,
  type OperationDefinitions,
  ORGANIZATION_NAMED,
} from './operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from './organizations.ts'
import type { AccountStamp } from './stamp.ts'

interface Profile {
  org_id: string
  slug: string
  display_name: string
}

/** Creates a member. Unless stated otherwise, its profile is private and its slug is derived from the name. */
export function createMember(
  db: Sqlite,
  operation: OperationOf<'member.create'>,
  { now, seq }: AccountStamp,
): Answer {
  const { org, is_founding = false, is_public = false } = operation
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id, name } = owner
  if (findProfile(db, org_id)) {
    return { refused: `${name} is already a member`, error: 'conflict' }
  }
  const display_name = operation.display_name ?? name
  const slug = operation.slug ?? findFreeSlug(db, display_name)
  if (isTaken(db, slug, org_id)) return refuseSlug(slug)
  db.insert('members', [
    { org_id, slug, display_name, is_founding, is_public, created_at: toIso(now), seq },
  ])
  return { done: { org_id, slug, display_name } }
}

export function updateMember(
  db: Sqlite,
  operation: OperationOf<'member.update'>,
  { seq }: AccountStamp,
): Answer {
  const member = findMember(db, operation.org)
  if ('refused' in member) return member
  const { org_id } = member
  const { slug = member.slug, display_name = member.display_name } = operation
  const { is_founding = null, is_public = null } = operation
  if (isTaken(db, slug, org_id)) return refuseSlug(slug)
  db.run(
    `update members set slug = $slug, display_name = $display_name,
       is_founding = coalesce($is_founding, is_founding),
       is_public = coalesce($is_public, is_public), seq = $seq
     where org_id = $org_id`,
    { org_id, slug, display_name, is_founding, is_public, seq },
  )
  return { done: { org_id, slug, display_name } }
}

/**
 * Sets the tier of a member. A tier without API access cannot show agents to the public: its public agents
 * become visible to members only.
 */
export function setTier(
  db: Sqlite,
  { org, tier }: OperationOf<'member.tier'>,
  { seq }: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id } = owner
  db.run('update organizations set membership_tier = $tier, seq = $seq where org_id = $org_id', {
    org_id,
    tier,
    seq,
  })
  const demoted = hasApiAccess(tier) ? 0 : demoteAgents(db, org_id, seq)
  touchMember(db, org_id, seq)
  return { done: { org_id, tier, demoted } }
}

function demoteAgents(db: Sqlite, org_id: string, seq: number): number {
  return db.run(
    `update member_agents set visibility = 'members_only', seq = $seq
     where org_id = $org_id and visibility = 'public'`,
    { org_id, seq },
  )
}

/** Finds the profile of an organization, or the reason why there is none. */
export function findMember(
  db: Sqlite,
  org: string,
): (Profile & { name: string }) | Extract<Answer, { refused: string }> {
  const owner = findOrganization(db, org)
  if (!owner) return { refused: `there is no organization called ${org}`, error: 'not_found' }
  const profile = findProfile(db, owner.org_id)
  if (!profile) return { refused: `${owner.name} is not a member`, error: 'not_found' }
  return { ...profile, name: owner.name }
}

/** Records that the public facts of a member have changed. */
export function touchMember(db: Sqlite, org_id: string, seq: number): void {
  db.run('update members set seq = $seq where org_id = $org_id', { org_id, seq })
}

function findProfile(db: Sqlite, org_id: string): Profile | undefined {
  return db.one('select org_id, slug, display_name from members where org_id = $org_id', { org_id })
}

function isTaken(db: Sqlite, slug: string, org_id: string): boolean {
  const other = db.one('select 1 from members where slug = $slug and org_id != $org_id', {
    slug,
    org_id,
  })
  return other !== undefined
}

function refuseSlug(slug: string): Answer {
  return { refused: `another member has the slug ${slug}`, error: 'conflict' }
}

/** Finds a free slug: the letters and digits of the name, with a number where that is taken. */
function findFreeSlug(db: Sqlite, displayName: string): string {
  const plain = displayName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
  const stem = plain === '' ? 'member' : plain
  const taken = db.all<{ slug: string }>(
    `select slug from members where slug = $stem or slug glob $stem || '-*'`,
    { stem },
  )
  const slugs = new Set(taken.map(({ slug }) => slug))
  for (let number = 1; ; number++) {
    const slug = number === 1 ? stem : `${stem}-${number}`
    if (!slugs.has(slug)) return slug
  }
}

const profile = { table: 'members', where: `org_id in ${ORGANIZATION_NAMED}` }
const tier = { table: 'organizations', where: `org_id in ${ORGANIZATION_NAMED}` }
const agents = { table: 'member_agents', where: `org_id in ${ORGANIZATION_NAMED}` }

export const memberDefinitions: OperationDefinitions<
  'member.create' | 'member.update' | 'member.tier'
> = {
  'member.create': {
    perform: createMember,
    watches: [profile],
    requires: { membershipIn: ({ org }) => org },
    changesEnrolments: true,
    irreversible: 'a membership cannot be deleted: remove its tier and hide it',
  },
  'member.update': {
    perform: updateMember,
    watches: [profile],
    requires: { membershipIn: ({ org }) => org },
    changesEnrolments: true,
    invert({ org }, known) {
      const { slug, display_name, is_founding, is_public } = requireValue(
        getRowBefore(known, 'members'),
        'row before',
      )
      return { op: 'member.update', org, slug, display_name, is_founding, is_public }
    },
  },
  'member.tier': {
    perform: setTier,
    watches: [tier, agents],
    requires: { membershipIn: ({ org }) => org },
    changesEnrolments: true,
    invert({ org }, known) {
      if (known.changes.some(({ table }) => table === 'member_agents')) {
        return 'it hid agents too: set the tier again, then publish each agent again'
      }
      const { membership_tier } = requireValue(getRowBefore(known, 'organizations'), 'row before')
      return { op: 'member.tier', org, tier: membership_tier }
    },
  },
}
