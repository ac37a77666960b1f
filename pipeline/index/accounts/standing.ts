import { isModerator } from '../../core/roles.ts'
import { type MembershipRole, userIdOf } from '../../core/standing.ts'
import type { Answer, Asker, Operation, Refusal, Submission } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { revokedKeys } from './organizations.ts'

/** What each of these could do when it was handed in, and can do no more. */
const refusals = {
  key: { refused: 'the credential is not valid', error: 'unauthenticated' },
  membership: { refused: 'you belong to that organization no more', error: 'forbidden' },
  manager: { refused: 'only owners and admins do that with keys', error: 'forbidden' },
  moderator: { refused: 'only a moderator does that', error: 'forbidden' },
} as const satisfies Record<string, Refusal>

/**
 * Who counts for what as the accounts stand, in memory: what waited for the writer is judged by it as
 * if it came now. The API has looked before; this is about what was taken away since.
 */
export class Standing {
  readonly #db: Database
  readonly #revoked = new Set<string>()
  /** What each person is in each organization. */
  readonly #memberships = new Map<string, MembershipRole>()
  /** By whom it is held: all that lets somebody moderate. */
  readonly #moderating = new Map<string, Set<string>>()
  #isKnown = false

  constructor(db: Database) {
    this.#db = db
  }

  /** What is in memory may be ahead of the accounts: a transaction of theirs has failed. */
  doubt(): void {
    this.#isKnown = false
  }

  /** Reads the accounts, unless what is in memory is known to be what they say. */
  async read(): Promise<void> {
    if (this.#isKnown) return
    for (const known of [this.#revoked, this.#memberships, this.#moderating]) known.clear()
    for (const key_id of await revokedKeys(this.#db)) this.#revoked.add(key_id)
    const members = await this.#db.all<{ user_id: string; org_id: string; role: MembershipRole }>(
      'select user_id, org_id, role from memberships where removed_at is null',
    )
    for (const { user_id, org_id, role } of members) this.#join(org_id, user_id, role)
    const roles = await this.#db.all<Holding>(
      'select holder, id, role from roles where revoked_at is null',
    )
    for (const held of roles) this.#grant(held)
    this.#isKnown = true
  }

  /** Why a submission is refused; undefined where whoever asked may still ask for it. */
  refusal({ by, operation }: Submission): Refusal | undefined {
    if (by?.kind !== 'key' && by?.kind !== 'user') return undefined
    if (by.kind === 'key' && this.#revoked.has(by.id)) return refusals.key
    if (by.kind === 'user') {
      const org_id = organizationOf(operation)
      const role = org_id && this.#memberships.get(pair(org_id, by.id))
      if (org_id && !role) return refusals.membership
      if (role === 'member' && /^key\./.test(operation.op)) return refusals.manager
    }
    return needsModerator(operation) && !this.#moderates(by) ? refusals.moderator : undefined
  }

  /** Notes what a submission that was carried out changes of this. */
  follow({ operation }: Submission, answer: Answer): void {
    if (!('done' in answer)) return
    const org_id = String(answer.done.org_id)
    switch (operation.op) {
      case 'key.revoke':
        return void this.#revoked.add(operation.key_id)
      case 'membership.set':
        return this.#join(org_id, operation.user_id, operation.role)
      case 'membership.remove':
        return void this.#memberships.delete(pair(org_id, operation.user_id))
      case 'organization.found':
        return this.#join(org_id, operation.user_id, 'owner')
      case 'member.agent.enrol':
        if (answer.done.org_auto_created) this.#join(org_id, operation.founding!.user_id, 'owner')
        return
      case 'role.grant':
        return this.#grant(operation)
      case 'role.revoke':
        return void this.#moderating.get(holderOf(operation))?.delete(spelled(operation))
    }
  }

  #join(org_id: string, user_id: string, role: MembershipRole): void {
    this.#memberships.set(pair(org_id, user_id), role)
  }

  #grant(held: Holding): void {
    if (!isModerator([held.role])) return
    const key = holderOf(held)
    const known = this.#moderating.get(key) ?? new Set()
    this.#moderating.set(key, known.add(spelled(held)))
  }

  #moderates({ kind, id }: Asker): boolean {
    return (this.#moderating.get(pair(kind, id))?.size ?? 0) > 0
  }
}

interface Holding {
  holder: string
  id: string
  role: string
}

/** Roles name the subject of a person, which submissions know by an id. */
function holderOf({ holder, id }: Holding): string {
  return pair(holder, (holder === 'user' && userIdOf(id)) || id)
}

function spelled({ id, role }: Holding): string {
  return pair(role, id)
}

function pair(first: string, second: string): string {
  return `${first} ${second}`
}

/** For which organization something is asked; whoever founds one need not belong to it. */
function organizationOf(operation: Operation): string | null | undefined {
  if (operation.op === 'organization.found') return undefined
  if ('org' in operation) return operation.org
  if ('org_id' in operation) return operation.org_id
  if ('editor' in operation) return operation.editor.org_id
  if ('contributor' in operation) return operation.contributor.org_id
  return 'reporter' in operation ? operation.reporter.org_id : undefined
}

/** Whether the API takes it from moderators alone, or with a word that only they may say. */
function needsModerator(operation: Operation): boolean {
  if ('moderates' in operation) return operation.moderates
  return /^(review\.|mirror\.(publish|remove)$)/.test(operation.op)
}
