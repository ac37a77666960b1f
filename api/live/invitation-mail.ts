import type { ApiWriter } from '../../jobs/api-client/writer-client.ts'
import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { MembershipRole } from '../../pipeline/core/roles.ts'
import type { BoundedLog } from '../limits/bounded-log.ts'

/** Time in addition to the mail server's own, for a busy crawler. */
const SLACK_MS = 5 * SECOND

interface MailServices {
  config: Config
  writer: ApiWriter
  boundedLog: BoundedLog
}

/** An invitation as its email tells it. */
interface SentInvitation {
  email: string
  role: MembershipRole
  organization: string
  /** Verified address of the person who invites, if there is one. */
  inviter: string | undefined
  url: string
  expires_at: string
}

/**
 * Sends the link of an invitation by email. Returns false if none was sent; the inviter then has to pass on
 * the link.
 */
export async function sendInvitation(
  { config, writer, boundedLog }: MailServices,
  invitation: SentInvitation,
): Promise<boolean> {
  if (config.SMTP_URL === undefined) return false
  const name = toLine(invitation.organization)
  const answer = await writer.requestLive(
    {
      kind: 'send_mail',
      to: invitation.email,
      subject: `Invitation to ${name}`,
      text: writeInvitation(invitation),
    },
    config.LIMITS.mailMs + SLACK_MS,
  )
  if ('sent' in answer) return true
  boundedLog.warn('mail', { detail: answer.failed }, 'an invitation was not sent')
  return false
}

/** Writes the text of an invitation. */
export function writeInvitation(invitation: SentInvitation): string {
  const { email, role, inviter, url, expires_at } = invitation
  const { host } = new URL(url)
  const to = `join ${toLine(invitation.organization)} on Agentic Ad Registry (${host}) as ${addArticle(role)}.`
  return [
    inviter === undefined ? `You are invited to ${to}` : `${inviter} invited you to ${to}`,
    `To accept, open this link and sign in with ${email}:`,
    url,
    `The link works once, until ${formatDay(expires_at)}. If you did not expect an invitation, please ignore this email.`,
  ].join('\n\n')
}

/** Names a role within a sentence: `an owner`. */
export function addArticle(role: MembershipRole): string {
  return `${/^[aeio]/.test(role) ? 'an' : 'a'} ${role}`
}

const toLine = (name: string): string => name.replace(/\s+/g, ' ')

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const formatDay = (at: string): string => days.format(new Date(at))
