import { SECOND } from '../../pipeline/core/clock.ts'
import type { Services } from '../operation/services.ts'

/** Time in addition to that of the mail server, for a busy crawler. */
const SLACK_MS = 5 * SECOND

/** Sends the link of an invitation by mail; false where no mail is sent, and whoever invites passes it on. */
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
    `You are invited to act for ${name} at ${host}.`,
    `Open this link within ${invitationDays} days, and sign in with this address:`,
    url,
    'It works once. If you expected no invitation, ignore this mail.',
  ].join('\n\n')
  const answer = await writer.requestLive(
    { kind: 'send_mail', to: email, subject: `Invitation to ${name}`, text },
    mailMs + SLACK_MS,
  )
  if ('sent' in answer) return true
  boundedLog.warn('mail', { detail: answer.failed }, 'an invitation was not sent')
  return false
}
