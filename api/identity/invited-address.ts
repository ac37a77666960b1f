import { findInvitation } from '../../pipeline/read/lookups/organizations.ts'
import type { Reader } from '../../pipeline/read/reader.ts'

const JOIN = /^\/dashboard\/join\?token=([\w-]{43})$/

/** Finds the clipped address for which the link of an invitation is; undefined for any other page, and for a link that has ended. */
export function findInvitedAddress(reader: Reader, path: string | undefined): string | undefined {
  const [, token] = JOIN.exec(path ?? '') ?? []
  const invitation = token === undefined ? undefined : findInvitation(reader, token)
  return invitation && clipAddress(invitation.email)
}

/** Clips an email address so that its owner still knows which one it is: `a…@paper.example`. */
export function clipAddress(email: string): string {
  return `${email.slice(0, 1)}…${email.slice(email.lastIndexOf('@'))}`
}
