import { createHash } from 'node:crypto'

const SUBJECT = /^[\x21-\x7e]{1,255}$/

/**
 * Converts the subject of an identity provider to the id of a person, which is public as the id of an
 * editor. A subject that may be an email address is hashed. Undefined if the subject is invalid.
 */
export function toUserId(subject: unknown): string | undefined {
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return undefined
  if (!subject.includes('@')) return subject
  return `user_${createHash('sha256').update(subject.toLowerCase()).digest('base64url')}`
}
