import { hasAdminPermission, hasOrganizationRight } from '../../core/roles.ts'
import { NIL_UUID } from '../../core/uuid-v7.ts'
import {
  type AuditPosition,
  formatAuditCursor,
  parseAuditCursor,
} from '../../model/accounts/audit-cursor.ts'
import {
  type AuditedOperation,
  auditedFacts,
  auditedOperations,
  describeChange,
  type StoredChange,
} from '../../model/accounts/organization-audit.ts'
import type { OrganizationChange } from '../../model/responses/organization.ts'
import { findPerson } from './people.ts'
import { listKeyLabels, listKeys, listMemberships } from './principals.ts'
import type { PrivateReader } from './private-rows.ts'

/** A page of an organization's changes; `next` continues after it. */
export interface ChangePage {
  changes: StoredChange[]
  next: string | undefined
}

interface SubmissionRow {
  submission_id: string
  submitted_at: string
  operation: string
  by_kind: string | null
  by_id: string | null
  content: Record<string, unknown>
  visibility: string | null
  made_profile: number | null
  receiver: string | null
  seq: number
}

const audited = Object.keys(auditedOperations)
/** Organization of a submission. */
const OWNER = "coalesce(answer ->> '$.done.org_id', org_id)"
/** Columns of a change besides its content; what was applied may be less than what was asked for. */
const CHANGE = `submission_id, submitted_at, operation, by_kind, by_id, seq,
  answer ->> '$.done.agent.visibility' as visibility,
  answer ->> '$.done.profile_auto_created' as made_profile,
  answer ->> '$.done.receiver' as receiver`
const SHOWN = `operation in (select value from json_each($audited)) and answer ->> '$.refused' is null`

/**
 * Lists the changes of an organization, the latest first, after the one that `cursor` names. What an answer
 * names as its organization counts before the one that its author acted for: an accepted invitation belongs to
 * the new one.
 */
export function listOrganizationChanges(
  { record }: PrivateReader,
  orgId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): ChangePage {
  const after = cursor === undefined ? undefined : parseAuditCursor(cursor)
  const rows =
    record?.all<SubmissionRow>(
      `select ${CHANGE}, content from submissions
       where ${OWNER} = $orgId and ${SHOWN}
         ${after === undefined ? '' : 'and (seq, submission_id) < ($seq, $id)'}
       order by seq desc, submission_id desc limit $limit`,
      { orgId, audited, ...after, limit: limit + 1 },
    ) ?? []
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    changes: shown.map(row => toStoredChange(row, orgId)),
    next: last && formatAuditCursor({ seq: last.seq, id: last.submission_id }),
  }
}

/** A submission of an organization, with the change that its audit shows, if any. */
export interface AuditStep {
  position: AuditPosition
  change: StoredChange | undefined
}

/**
 * Lists the submissions of an organization after a position, in their order, up to the commit `until`: a commit that
 * is not complete may still get submissions before those that it has.
 */
export function listAuditSteps(
  { record }: PrivateReader,
  orgId: string,
  { after, until, limit }: { after: AuditPosition; until: number; limit: number },
): AuditStep[] {
  const rows = record?.all<SubmissionRow & { is_shown: number }>(
    `select ${CHANGE}, ${SHOWN} as is_shown, iif(${SHOWN}, content, '{}') as "content [json]"
     from submissions
     where ${OWNER} = $orgId and (seq, submission_id) > ($seq, $id) and seq <= $until
     order by seq, submission_id limit $limit`,
    { orgId, audited, ...after, until, limit },
  )
  return (rows ?? []).map(row => ({
    position: { seq: row.seq, id: row.submission_id },
    change: row.is_shown ? toStoredChange(row, orgId) : undefined,
  }))
}

/** Finds the position after the last submission of an organization up to the commit `until`. */
export function findAuditHead({ record }: PrivateReader, orgId: string, until: number): string {
  const last = record?.one<AuditPosition>(
    `select seq, submission_id as id from submissions where ${OWNER} = $orgId and seq <= $until
     order by seq desc, submission_id desc limit 1`,
    { orgId, until },
  )
  return formatAuditCursor(last ?? { seq: 0, id: NIL_UUID })
}

/** Describes changes of an organization in words, with the names of those who made them. */
export function describeChanges(
  reader: PrivateReader,
  orgId: string,
  changes: readonly StoredChange[],
): OrganizationChange[] {
  const labels = listKeyLabels(reader, orgId)
  return changes.map(({ id, at, operation, by_kind: kind, by_id, facts }) => {
    const email = kind === 'user' ? findPerson(reader, by_id)?.email : undefined
    const by = { kind, id: by_id, name: labels.get(by_id) ?? email ?? null }
    const text = describeChange(operation as AuditedOperation, facts)
    return { id, at, operation, text, by, facts }
  })
}

/** Tells whether a key or a person may have the audit of an organization posted. */
export function mayPostAudit(reader: PrivateReader, orgId: string, holderId: string): boolean {
  const key = listKeys(reader, orgId).find(({ key_id }) => key_id === holderId)
  if (key !== undefined) return hasAdminPermission(key.permissions)
  const member = listMemberships(reader, holderId).find(({ org_id }) => org_id === orgId)
  return member !== undefined && hasOrganizationRight(member.role, 'keys')
}

function toStoredChange(row: SubmissionRow, org_id: string): StoredChange {
  const { submission_id: id, submitted_at: at, operation, by_kind, by_id } = row
  const by = { by_kind: toKind(by_kind), by_id: by_id ?? '' }
  return { id, org_id, at, operation, ...by, facts: selectFacts(row) }
}

function toKind(kind: string | null): StoredChange['by_kind'] {
  return kind === 'key' || kind === 'user' || kind === 'registry' ? kind : 'command'
}

const FACT_CHARS_MAX = 300

function selectFacts(row: SubmissionRow): Record<string, string> {
  const { operation, content, visibility, made_profile, receiver } = row
  const all: Record<string, unknown> = {
    ...content,
    ...(operation.startsWith('member.agent.') && { agent_url: content.url }),
    ...(visibility !== null && { visibility }),
    ...(made_profile && { profile_auto_created: true }),
    ...(receiver !== null && { receiver }),
  }
  const known = auditedFacts.filter(name => all[name] !== undefined && all[name] !== null)
  return Object.fromEntries(known.map(name => [name, String(all[name]).slice(0, FACT_CHARS_MAX)]))
}
