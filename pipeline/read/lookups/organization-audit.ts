import {
  auditedFacts,
  auditedOperations,
  type StoredChange,
} from '../../model/accounts/organization-audit.ts'
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
  seq: number
}

const audited = Object.keys(auditedOperations)
/** Digits of a commit's number in a cursor. */
const SEQ_DIGITS = 12

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
  const [seq, after = ''] = cursor?.split('.') ?? []
  const rows =
    record?.all<SubmissionRow>(
      `select submission_id, submitted_at, operation, by_kind, by_id, content, seq
       from submissions
       where coalesce(answer ->> '$.done.org_id', org_id) = $orgId
         and operation in (select value from json_each($audited))
         and answer ->> '$.refused' is null
         ${cursor === undefined ? '' : 'and (seq, submission_id) < ($seq, $after)'}
       order by seq desc, submission_id desc limit $limit`,
      { orgId, audited, seq: Number(seq), after, limit: limit + 1 },
    ) ?? []
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    changes: shown.map(row => toStoredChange(row, orgId)),
    next: last && `${String(last.seq).padStart(SEQ_DIGITS, '0')}.${last.submission_id}`,
  }
}

function toStoredChange(row: SubmissionRow, org_id: string): StoredChange {
  const { submission_id: id, submitted_at: at, operation, by_kind, by_id, content } = row
  const by = { by_kind: toKind(by_kind), by_id: by_id ?? '' }
  return { id, org_id, at, operation, ...by, facts: selectFacts(content) }
}

function toKind(kind: string | null): StoredChange['by_kind'] {
  return kind === 'key' || kind === 'user' || kind === 'registry' ? kind : 'command'
}

const FACT_CHARS_MAX = 300

function selectFacts(content: Record<string, unknown>): Record<string, string> {
  const known = auditedFacts.filter(name => content[name] !== undefined && content[name] !== null)
  return Object.fromEntries(
    known.map(name => [name, String(content[name]).slice(0, FACT_CHARS_MAX)]),
  )
}
