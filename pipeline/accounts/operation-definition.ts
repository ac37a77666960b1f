import type { MembershipRole, OrganizationRight } from '../core/roles.ts'
import type { Editor } from '../model/save.ts'
import type { Answer, Operation, OperationOf } from '../model/submission.ts'
import type { Entity } from '../store/entries.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { AccountStamp } from './stamp.ts'

export type OperationName = Operation['op']

/** Everything that the registry knows of one operation besides its schema. */
export type OperationDefinition<Name extends OperationName> = {
  /** Performs the operation on the accounts; one on the index alone is only answered. */
  perform(db: Sqlite, operation: OperationOf<Name>, stamp: AccountStamp): Answer
  /** Private rows whose values before and after the operation the audit records. */
  watches?: readonly WatchedRows[]
  requires?: Requirements<Name>
  /** True where it may change the public agents of a member, which the index shows. */
  changesEnrolments?: true
  /**
   * True where it may change the test results of agents, which the index shows; its answer names these
   * agents.
   */
  changesVerdicts?: true
} & Reversal<Name>

/** The inverse operation, or why there is none and what can be done instead. */
type Reversal<Name extends OperationName> =
  | { invert(operation: OperationOf<Name>, known: KnownChange): Inverse | Promise<Inverse> }
  | { irreversible: string }

export type OperationDefinitions<Name extends OperationName> = {
  readonly [Each in Name]: OperationDefinition<Each>
}

/** Rights that an author must still have when it is carried out; the API has checked them before. */
export interface Requirements<Name extends OperationName> {
  /** Returns the organization that the caller must be a member of; absent if no membership is needed. */
  membershipIn?(operation: OperationOf<Name>): string | null | undefined
  /** Returns the right that the caller needs in that organization; `edit` where this is absent. */
  right?(operation: OperationOf<Name>, findRole: FindRole): OrganizationRight
  moderator?(operation: OperationOf<Name>): boolean
}

/** Finds the role that a person has in an organization as of now; undefined where they do not belong to it. */
export type FindRole = (orgId: string, userId: string) => MembershipRole | undefined

export interface WatchedRows {
  table: string
  /** Condition on its rows; its parameters are the fields of the operation. */
  where: string
}

/** Rows of one table before and after an operation. */
export interface RowChange {
  table: string
  before: Row[]
  after: Row[]
}
export type Row = Record<string, unknown>

/** Facts from which the inverse of an operation is found. */
export interface KnownChange {
  changes: readonly RowChange[]
  /** Id of the revision that reverts a save. */
  revision_id: string
  editor: Editor
  findRevision: FindRevision
}

/** Finds the number of a revision in its entry, and the last number there. */
export type FindRevision = (
  entity: Entity,
  domain: string,
  revisionId: string,
) => Promise<{ number: number; last: number } | undefined>

/** The fields of the inverse operation, or why there is none. */
export type Inverse = object | string

/** Condition on the organization that an operation names by its name or its id. */
export const ORGANIZATION_NAMED =
  '(select org_id from organizations where name = $org or org_id = $org)'

/** Returns the earlier row of a table, if there was one. */
export function getRowBefore({ changes }: KnownChange, table: string): Row | undefined {
  return changes.find(change => change.table === table)?.before[0]
}

/** Inverts a revision: restores the state before it; before the first there was nothing. */
export async function invertRevision(
  entity: Entity,
  domain: string,
  revisionId: string,
  { findRevision, revision_id, editor }: KnownChange,
): Promise<Inverse> {
  const revision = await findRevision(entity, domain, revisionId)
  if (revision === undefined)
    return `there is nothing left of it: ${domain} has been taken down since`
  const { number, last } = revision
  if (last !== number) return `revision ${last} of ${domain} is newer: revert that first`
  const to_revision = number - 1
  return { op: 'entry.rollback', revision_id, domain, editor, entity, to_revision, moderates: true }
}
