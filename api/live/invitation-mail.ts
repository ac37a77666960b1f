import { SECOND } from '../../pipeline/core/clock.ts'
import type { Services } from '../operation/services.ts'

/** Time in addition to the mail server's own, for a busy crawler. */
const SLACK_MS = 5 * SECOND

/**
 * Sends the link of an invitation by email. Returns false if none was sent; the inviter then has to pass on
 * the link.
 */
export async function sendInvitation(
  services: Services,
  { email, organization, url }: { email: string; organization: string; url: string },
): Promise<boolean> {
  const { config, writer, boundedLog } = services
  if (config.SMTP_URL === undefined) return false
  const { mailMs, invitationDays } = config.LIMITS
  const { host } = new URL(url)
  const name = organization.replace(/\s+/g, ' ')
  const text = [
    `You are invited to join ${name} at ${host}.`,
    `Open this link within ${invitationDays} days, and sign in with this address:`,
    url,
    'It works once. If you did not expect an invitation, please ignore this email.',
  ].join('\n\n')
  const answer = await writer.requestLive(
    { kind: 'send_mail', to: email, subject: `Invitation to ${name}`, text },
    mailMs + SLACK_MS,
  )
  if ('sent' in answer) return true
  boundedLog.warn('mail', { detail: answer.failed }, 'an invitation was not sent')
  return false
}
