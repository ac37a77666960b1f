import { z } from 'zod'
import { NIL_UUID } from '../../core/uuid-v7.ts'

/** Digits of a commit's number in a cursor. */
const SEQ_DIGITS = 12

/** Position in the audit of an organization: a commit, and a submission of it. */
export interface AuditPosition {
  seq: number
  id: string
}

export const AuditCursor = z
  .string()
  .regex(/^\d{12}\.[\da-f-]{36}$/, 'must be a cursor of the audit log')

export function formatAuditCursor({ seq, id }: AuditPosition): string {
  return `${String(seq).padStart(SEQ_DIGITS, '0')}.${id}`
}

/** Parses a cursor that was checked before. */
export function parseAuditCursor(cursor: string): AuditPosition {
  const [seq, id = NIL_UUID] = cursor.split('.')
  return { seq: Number(seq), id }
}
