import { hasOrganizationRight, isModerator, type MembershipRole } from '../core/roles.ts'
import { toUserId } from '../core/user-id.ts'
import type { Answer, Asker, Refusal, Submission } from '../model/submission.ts'
import type { Database } from '../store/duckdb.ts'
import type { FindRole, Rights, RoleHolding } from './operation-definition.ts'
import { getDefinition } from './operations.ts'
import { listRevokedKeys } from './organizations.ts'

/** Refusals for rights that existed at submission and were revoked since. */
const refusals = {
  key: { refused: 'the credential is invalid', error: 'unauthenticated' },
  membership: { refused: 'you no longer belong to that organization', error: 'forbidden' },
  right: { refused: 'your role in that organization does not allow it', error: 'forbidden' },
  moderator: { refused: 'only a moderator may do that', error: 'forbidden' },
} as const satisfies Record<string, Refusal>

/**
 * Caches revocations in memory, so that a waiting submission is judged by current rights. The API has
 * checked before; this catches later revocations.
 */
export class RevocationCache implements Rights {
  readonly #db: Database
  readonly #revoked = new Set<string>()
  /** Roles of each person, by organization. */
  readonly #memberships = new Map<string, MembershipRole>()
  /** Moderating roles, by holder. */
  readonly #moderating = new Map<string, Set<string>>()
  #isCurrent = false

  constructor(db: Database) {
    this.#db = db
  }

  /** Invalidates the cache after a failed transaction of the accounts, whose changes it may already contain. */
  invalidate(): void {
    this.#isCurrent = false
  }

  /** Reads the accounts, unless the cache is known to be current. */
  async read(): Promise<void> {
    if (this.#isCurrent) return
    for (const known of [this.#revoked, this.#memberships, this.#moderating]) known.clear()
    for (const key_id of await listRevokedKeys(this.#db)) this.revokeKey(key_id)
    const members = await this.#db.all<{ user_id: string; org_id: string; role: MembershipRole }>(
      'select user_id, org_id, role from memberships where removed_at is null',
    )
    for (const { user_id, org_id, role } of members) this.setMembership(org_id, user_id, role)
    const roles = await this.#db.all<RoleHolding>(
      'select holder, id, role from roles where revoked_at is null',
    )
    for (const held of roles) this.grantRole(held)
    this.#isCurrent = true
  }

  /** Returns the refusal of a submission whose author has lost the right to it, or undefined. */
  findRefusal({ by, operation }: Submission): Refusal | undefined {
    if (by?.kind !== 'key' && by?.kind !== 'user') return undefined
    if (by.kind === 'key' && this.#revoked.has(by.id)) return refusals.key
    const { membershipIn, right, moderator } = getDefinition(operation).requires ?? {}
    const org_id = by.kind === 'user' ? membershipIn?.(operation) : undefined
    if (org_id) {
      const findRole: FindRole = (...member) => this.#memberships.get(pair(...member))
      const role = findRole(org_id, by.id)
      if (!role) return refusals.membership
      const needed = right?.(operation, findRole) ?? 'edit'
      if (!hasOrganizationRight(role, needed)) return refusals.right
    }
    return moderator?.(operation) && !this.#moderates(by) ? refusals.moderator : undefined
  }

  /** Updates the cache after a submission was carried out. */
  update({ operation }: Submission, answer: Answer): void {
    if ('done' in answer) getDefinition(operation).updateRights?.(this, operation, answer.done)
  }

  revokeKey(keyId: string): void {
    this.#revoked.add(keyId)
  }

  setMembership(orgId: string, userId: string, role: MembershipRole): void {
    this.#memberships.set(pair(orgId, userId), role)
  }

  removeMembership(orgId: string, userId: string): void {
    this.#memberships.delete(pair(orgId, userId))
  }

  grantRole(held: RoleHolding): void {
    if (!isModerator([held.role])) return
    const key = toHolderKey(held)
    const known = this.#moderating.get(key) ?? new Set()
    this.#moderating.set(key, known.add(toKey(held)))
  }

  revokeRole(held: RoleHolding): void {
    this.#moderating.get(toHolderKey(held))?.delete(toKey(held))
  }

  #moderates({ kind, id }: Asker): boolean {
    return (this.#moderating.get(pair(kind, id))?.size ?? 0) > 0
  }
}

/**
 * Converts the holder of a role to its key: roles name a person by the subject of their tokens, submissions
 * by an id.
 */
function toHolderKey({ holder, id }: RoleHolding): string {
  return pair(holder, (holder === 'user' && toUserId(id)) || id)
}

function toKey({ id, role }: RoleHolding): string {
  return pair(role, id)
}

function pair(first: string, second: string): string {
  return `${first} ${second}`
}
