import { SECOND } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Services } from '../operation/services.ts'

/** Time in addition to that of the mail server, for a busy crawler. */
const SLACK_MS = 5 * SECOND

/** Sends a sign-in link; tells whether it was sent. A crawler does it: the API reaches no network. */
export async function sendLink(services: Services, email: string, url: string): Promise<boolean> {
  const { config, writer, printNotice, baseUrl } = services
  const { mailMs, signInLinkMinutes } = config.LIMITS
  if (config.SMTP_URL === undefined) {
    printNotice(
      `To sign in as ${email}, open this link within ${countThings(signInLinkMinutes, 'minute')}:\n${url}`,
    )
    return true
  }
  const { host } = new URL(baseUrl())
  const text = [
    `Use this link to sign in to Agentic Ad Registry at ${host}.`,
    `Open it within ${countThings(signInLinkMinutes, 'minute')}, in the browser where you requested it:`,
    url,
    'It works once. If you didn’t request it, you can ignore this email.',
  ].join('\n\n')
  const subject = 'Your sign-in link for Agentic Ad Registry'
  const answer = await writer.requestLive(
    { kind: 'send_mail', to: email, subject, text },
    mailMs + SLACK_MS,
  )
  if ('sent' in answer) return true
  services.boundedLog.warn('mail', { detail: answer.failed }, 'a sign-in link was not sent')
  return false
}
