import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { tiers } from '../core/tiers.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import { listBelongings } from '../store/private-rows/belongings.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { removeDomain } from './domains.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { findOrganization, type Organization, refuseUnknownOrganization } from './organizations.ts'
import type { AccountStamp } from './stamp.ts'

/**
 * Deletes an organization. Its keys, invitations and memberships end with it, in the same commit; its audit, and of its
 * profile a row without content, stay.
 */
function deleteOrganization(
  db: Sqlite,
  { org_id }: OperationOf<'organization.delete'>,
  stamp: AccountStamp,
): Answer {
  const known = findOrganization(db, org_id)
  if (known?.org_id !== org_id) return refuseUnknownOrganization(org_id)
  const left = listObstacles(db, known)
  if (left.length > 0) {
    return { refused: `remove these first: ${left.join('; ')}`, error: 'conflict' }
  }
  endAccess(db, org_id, stamp)
  releaseDomains(db, org_id, stamp)
  db.run(
    `update members set slug = org_id, display_name = '', is_public = false, seq = $seq
     where org_id = $org_id`,
    { org_id, seq: stamp.seq },
  )
  db.run('delete from organizations where org_id = $org_id', { org_id })
  return { done: { org_id, name: known.name } }
}

/** Lists what has to end before an organization can be deleted, in words. */
export function listObstacles(
  db: Sqlite,
  { org_id, membership_tier: tier }: Organization,
): string[] {
  const left = listBelongings(db, org_id).map(({ text }) => text)
  return tier === null
    ? left
    : [`its ${tiers[tier].label} membership, which the operator ends`, ...left]
}

/** Ends everything by which somebody acts for the organization, or could. */
function endAccess(db: Sqlite, org_id: string, { now, seq }: AccountStamp): void {
  const of = { org_id, at: toIso(now), seq }
  db.run(
    `update roles set revoked_at = $at, seq = $seq where holder = 'key' and revoked_at is null
       and id in (select key_id from api_keys where org_id = $org_id)`,
    of,
  )
  for (const [table, column] of [
    ['api_keys', 'revoked_at'],
    ['memberships', 'removed_at'],
    ['invitations', 'ended_at'],
  ] as const) {
    db.run(
      `update ${table} set ${column} = $at, seq = $seq where org_id = $org_id and ${column} is null`,
      of,
    )
  }
}

/** Gives up the domains of mailboxes, and every claim and challenge that is still open. */
function releaseDomains(db: Sqlite, org_id: string, stamp: AccountStamp): void {
  const held = db.all<{ domain: Domain }>(
    'select domain from verified_domains where org_id = $org_id',
    { org_id },
  )
  for (const { domain } of held) {
    removeDomain(db, { op: 'organization.domain.remove', org: org_id, domain }, stamp)
  }
  const { seq } = stamp
  db.run(
    `update ownership_challenges set state = 'invalidated', seq = $seq
     where org_id = $org_id and state in ('issued', 'verifying')`,
    { org_id, seq },
  )
  db.run('delete from origin_claims where org_id = $org_id', { org_id })
  db.run('update origins set org_id = null, claim = null, seq = $seq where org_id = $org_id', {
    org_id,
    seq,
  })
}

const watched = ['organizations', 'members', 'memberships', 'api_keys', 'verified_domains'].map(
  table => ({ table, where: 'org_id = $org_id' }),
)

export const organizationDeletionDefinitions: OperationDefinitions<'organization.delete'> = {
  'organization.delete': {
    perform: deleteOrganization,
    watches: watched,
    requires: { membershipIn: ({ org_id }) => org_id, right: () => 'deletion' },
    changesEnrolments: true,
    irreversible: 'its people and keys have lost their access: create another organization',
  },
}
